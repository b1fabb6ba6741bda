#include "daemon/http/router.h"

#include "daemon/http/listen_address.h"
#include "tests/unit/http/fake_exchange.h"

#include <gtest/gtest.h>

namespace warpmind::daemon::http {
namespace {

TEST(RouterTest, PathAndMethodChooseTheHandler) {
  Router router;
  router.add("/mcp", "POST", [](const auto& exchange) { exchange->reply({202, "", {}, ""}); });
  router.add("/mcp", "GET", [](const auto& exchange) { exchange->open_stream({}); });
  const auto asked = [&](std::string method, std::string target) {
    auto exchange =
        std::make_shared<FakeExchange>(HttpRequest{std::move(method), std::move(target)});
    router.serve(exchange);
    return exchange;
  };
  EXPECT_EQ(asked("POST", "/mcp")->status(), 202);
  EXPECT_EQ(asked("POST", "/mcp?a=b")->status(), 202);
  EXPECT_TRUE(asked("GET", "/mcp")->streaming);
  EXPECT_EQ(asked("GET", "/mcp/")->status(), 404);
  EXPECT_EQ(asked("GET", "/")->status(), 404);
  const auto put = asked("PUT", "/mcp");
  EXPECT_EQ(put->status(), 405);
  EXPECT_EQ(put->replied->headers.at(0).value, "GET, POST");
}

TEST(RouterTest, APathSaysWhatItTakesToReachIt) {
  Router router;
  const auto handler = [](const auto& exchange) { exchange->reply({204, "", {}, ""}); };
  router.add("/mcp", "POST", handler);
  router.add("/metrics", "GET", handler, Access::figures);
  router.add("/healthz", "GET", handler, Access::open);
  const auto access = [&](std::string method, std::string target) {
    return router.access_to({std::move(method), std::move(target)});
  };
  EXPECT_EQ(access("POST", "/mcp"), Access::token);
  EXPECT_EQ(access("GET", "/metrics?x=1"), Access::figures);
  EXPECT_EQ(access("POST", "/metrics"), Access::token) << "another method is another door";
  EXPECT_EQ(access("GET", "/healthz"), Access::open);
  EXPECT_EQ(access("GET", "/healthz/"), Access::token);
  EXPECT_EQ(access("GET", "/nothing"), Access::token);
  EXPECT_TRUE(router.knows("/metrics"));
  EXPECT_FALSE(router.knows("/nothing"));
}

TEST(ListenAddressTest, LoopbackAloneIsListenedOn) {
  EXPECT_EQ(loopback_port("127.0.0.1:7411"), 7411);
  EXPECT_EQ(loopback_port("localhost:0"), 0);
  for (const char* wrong : {"0.0.0.0:7411", ":7411", "192.168.0.1:7411", "[::]:7411", "7411",
                            "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:x", "127.0.0.1:-1",
                            "127.0.0.1:80 ", "localhost.evil.example:80"}) {
    const auto port = loopback_port(wrong);
    ASSERT_FALSE(port.has_value()) << wrong;
    EXPECT_EQ(port.error().code, Errc::invalid_argument);
    EXPECT_NE(port.error().message.find("http.listen"), std::string::npos);
  }
}

}  // namespace
}  // namespace warpmind::daemon::http
