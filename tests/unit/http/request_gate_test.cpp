#include "daemon/http/request_gate.h"

#include "base/file.h"

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace warpmind::daemon::http {
namespace {

class RequestGateTest : public testing::Test {
 protected:
  RequestGateTest() {
    const auto file = home_.path() / "http.token";
    token_ = AccessToken::open(file).value();
    secret_ = read_file(file, 100).value().substr(0, 64);
  }

  HttpRequest honest() const {
    return {"POST",
            "/mcp",
            11,
            {{"host", "127.0.0.1:7411"},
             {"authorization", "Bearer " + secret_},
             {"content-type", "application/json"},
             {"content-length", "10"}}};
  }
  static void set(HttpRequest& request, const std::string& name, const std::string& value) {
    for (auto& header : request.headers) {
      if (header.name == name) {
        header.value = value;
        return;
      }
    }
    request.headers.push_back({name, value});
  }
  static void erase(HttpRequest& request, const std::string& name) {
    std::erase_if(request.headers, [&](const auto& header) { return header.name == name; });
  }
  /// 0 = it passes.
  int status(const HttpRequest& request) const {
    const auto refusal = turn_away(request, {7411, 1000}, *token_);
    return refusal ? refusal->status : 0;
  }
  int with(const std::string& name, const std::string& value) const {
    HttpRequest request = honest();
    set(request, name, value);
    return status(request);
  }
  int without(const std::string& name) const {
    HttpRequest request = honest();
    erase(request, name);
    return status(request);
  }
  int twice(const std::string& name) const {
    HttpRequest request = honest();
    request.headers.push_back({name, *request.find(name)});
    return status(request);
  }

  ScratchDirectory home_ =
      std::move(*ScratchDirectory::create(std::filesystem::temp_directory_path(), "gate"));
  std::optional<AccessToken> token_;
  std::string secret_;
};

TEST_F(RequestGateTest, HonestRequestsPass) {
  EXPECT_EQ(status(honest()), 0);
  EXPECT_EQ(with("host", "localhost:7411"), 0);
  EXPECT_EQ(with("host", "LocalHost:7411"), 0);
  EXPECT_EQ(with("host", "[::1]:7411"), 0);
  EXPECT_EQ(with("origin", "http://127.0.0.1:7411"), 0);
  EXPECT_EQ(with("origin", "http://localhost:7411"), 0);
  EXPECT_EQ(with("sec-fetch-site", "same-origin"), 0);
  EXPECT_EQ(with("sec-fetch-site", "none"), 0);
  EXPECT_EQ(with("authorization", "bearer " + secret_), 0);
  EXPECT_EQ(with("content-type", "Application/JSON; charset=utf-8"), 0);
  HttpRequest chunked = honest();
  erase(chunked, "content-length");
  set(chunked, "transfer-encoding", "chunked");
  EXPECT_EQ(status(chunked), 0);
}

TEST_F(RequestGateTest, NamesOfOthersAreRefused) {
  for (const char* host : {"evil.example",
                           "evil.example:7411",
                           "127.0.0.1",
                           "localhost",
                           "127.0.0.1:80",
                           "127.0.0.1:74110",
                           "localhost.evil.example:7411",
                           "127.0.0.1.nip.io:7411",
                           "evil.example:7411@127.0.0.1:7411",
                           "127.0.0.1:7411.evil.example",
                           "127.1:7411",
                           "2130706433:7411",
                           "0x7f.1:7411",
                           "0.0.0.0:7411",
                           "[::]:7411",
                           "[::ffff:127.0.0.1]:7411",
                           "localhost.:7411",
                           " 127.0.0.1:7411",
                           "127.0.0.1:7411 ",
                           "127.0.0.1:07411",
                           ""}) {
    EXPECT_EQ(with("host", host), 403) << host;
  }
  EXPECT_EQ(without("host"), 403);
  EXPECT_EQ(twice("host"), 403);
}

TEST_F(RequestGateTest, PagesOfOthersAreRefused) {
  for (const char* origin :
       {"null", "http://evil.example", "http://evil.example:7411", "https://127.0.0.1:7411",
        "http://127.0.0.1", "http://127.0.0.1:7412", "http://127.0.0.1:7411.evil.example",
        "http://127.0.0.1.evil.example:7411", "http://localhost:7411@evil.example",
        "http://evil.example/http://localhost:7411", "file://", "", "*", "chrome-extension://abc",
        "http://127.0.0.1:7411/", "http://127.0.0.1:7411 http://evil.example"}) {
    EXPECT_EQ(with("origin", origin), 403) << origin;
  }
  EXPECT_EQ(with("sec-fetch-site", "cross-site"), 403);
  EXPECT_EQ(with("sec-fetch-site", "same-site"), 403);
  HttpRequest both = honest();
  set(both, "origin", "http://127.0.0.1:7411");
  both.headers.push_back({"origin", "http://evil.example"});
  EXPECT_EQ(status(both), 403);
}

TEST_F(RequestGateTest, TokenIsNeededInItsHeader) {
  EXPECT_EQ(without("authorization"), 401);
  EXPECT_EQ(twice("authorization"), 401);
  std::string near = secret_;
  near.back() = near.back() == '0' ? '1' : '0';
  for (const std::string& shown :
       {std::string(), std::string("Bearer"), std::string("Bearer "), "Basic " + secret_, secret_,
        "Bearer " + near, "Bearer " + secret_ + "0", "Bearer  " + secret_,
        "Bearer " + secret_ + ",", "Token " + secret_}) {
    EXPECT_EQ(with("authorization", shown), 401) << shown;
  }
  HttpRequest in_url = honest();
  erase(in_url, "authorization");
  in_url.target = "/mcp?token=" + secret_ + "&access_token=" + secret_;
  set(in_url, "cookie", "token=" + secret_);
  EXPECT_EQ(status(in_url), 401);
  const auto refusal = turn_away(in_url, {7411, 1000}, *token_);
  EXPECT_EQ(refusal->headers.at(0).name, "WWW-Authenticate");
}

TEST_F(RequestGateTest, PreflightLearnsNothing) {
  HttpRequest preflight{"OPTIONS",
                        "/mcp",
                        11,
                        {{"host", "127.0.0.1:7411"},
                         {"origin", "http://evil.example"},
                         {"access-control-request-method", "POST"}}};
  const auto refusal = turn_away(preflight, {7411, 1000}, *token_);
  ASSERT_TRUE(refusal.has_value());
  EXPECT_EQ(refusal->status, 403);
  EXPECT_TRUE(refusal->headers.empty());
  erase(preflight, "origin");
  EXPECT_EQ(status(preflight), 401);
}

TEST_F(RequestGateTest, BodiesAreJsonOfKnownLength) {
  for (const char* type : {"text/plain", "application/x-www-form-urlencoded", "multipart/form-data",
                           "application/jsonp", "", "text/plain; application/json"}) {
    EXPECT_EQ(with("content-type", type), 415) << type;
  }
  EXPECT_EQ(without("content-type"), 415);
  EXPECT_EQ(without("content-length"), 411);
  EXPECT_EQ(with("content-length", "1000"), 0);
  EXPECT_EQ(with("content-length", "1001"), 413);
  EXPECT_EQ(with("content-length", "99999999999999999999999"), 400);
  EXPECT_EQ(with("content-length", "-1"), 400);
  EXPECT_EQ(with("content-length", "1,1"), 400);
  EXPECT_EQ(twice("content-length"), 400);
  EXPECT_EQ(with("transfer-encoding", "chunked"), 400);  // beside Content-Length
  HttpRequest zipped = honest();
  erase(zipped, "content-length");
  set(zipped, "transfer-encoding", "gzip, chunked");
  EXPECT_EQ(status(zipped), 501);
}

TEST_F(RequestGateTest, OnlyPlainPathsOfThisVersionAreRead) {
  HttpRequest request = honest();
  for (const char* target :
       {"", "mcp", "http://127.0.0.1:7411/mcp", "/../etc/passwd", "/mcp/..", "/%2e%2e/etc/passwd",
        "/mcp%00", "//mcp", "/mcp\\..", "*", "/mcp\x01", "/mcp\xff"}) {
    request.target = target;
    EXPECT_EQ(status(request), 400) << target;
  }
  request.target = "/" + std::string(1024, 'a');
  EXPECT_EQ(status(request), 400);
  request = honest();
  request.version = 10;
  EXPECT_EQ(status(request), 505);
}

TEST_F(RequestGateTest, AnOpenPathNeedsNoTokenButAllElse) {
  const auto judged = [&](const HttpRequest& request) {
    const auto refusal = turn_away(request, GateRules{7411, 1000}, Pass{});
    return refusal ? refusal->status : 0;
  };
  HttpRequest request = honest();
  erase(request, "authorization");
  EXPECT_EQ(judged(request), 0);
  set(request, "origin", "http://evil.example");
  EXPECT_EQ(judged(request), 403);
  set(request, "origin", "http://127.0.0.1:7411");
  set(request, "host", "evil.example");
  EXPECT_EQ(judged(request), 403);
}

}  // namespace
}  // namespace warpmind::daemon::http
