// Certificates are checked.

#include "agents/llm/http_model.h"
#include "base/file.h"
#include "tests/fakes/tls_server.h"
#include "tests/unit/agents_llm/llm_fixture.h"

#include <gmock/gmock.h>

namespace warpmind::agents::llm {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class TlsTest : public testing::Test, public LlmFixture {
 protected:
  [[nodiscard]] Result<ModelReply> ask(const std::string& url,
                                       const std::filesystem::path& authorities) {
    auto encrypted = options(Dialect::chat);
    encrypted.url = url;
    encrypted.ca_file = authorities;
    encrypted.stream = false;
    return model(encrypted)->complete(sample_request(), {});
  }

  ScratchDirectory scratch_ =
      ScratchDirectory::create(std::filesystem::temp_directory_path(), "llm").value();
  std::filesystem::path certificate_ = scratch_.path() / "server.pem";
  fakes::TlsServer tls_{certificate_, fakes::llm_whole(fakes::LlmWire::chat, {.text = "secure"})};
};

TEST_F(TlsTest, ACertificateThatNobodyVouchesForIsRefusedAtOnce) {
  const auto reply = ask(tls_.url(), {});
  ASSERT_FALSE(reply.has_value());
  EXPECT_EQ(reply.error().code, Errc::unavailable);
  EXPECT_THAT(reply.error().message, HasSubstr("certificate"));
  EXPECT_THAT(waits(), IsEmpty());
  EXPECT_EQ(tls_.requests(), 0) << "nothing was sent";
}

TEST_F(TlsTest, AServerOfOnesOwnIsVouchedForByItsFile) {
  const auto reply = ask(tls_.url(), certificate_);
  ASSERT_TRUE(reply.has_value()) << reply.error().message;
  EXPECT_EQ(reply->text, "secure");
}

TEST_F(TlsTest, TheNameMustBeThatOfTheServer) {
  auto other = tls_.url();
  other.replace(other.find("127.0.0.1"), 9, "localhost");
  const auto reply = ask(other, certificate_);
  ASSERT_FALSE(reply.has_value());
  EXPECT_EQ(tls_.requests(), 0);
}

}  // namespace
}  // namespace warpmind::agents::llm
