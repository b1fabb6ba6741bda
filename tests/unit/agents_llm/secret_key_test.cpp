// The key and the address: where they come from, what is refused, what is never shown.

#include "agents/llm/secret_key.h"

#include "agents/llm/endpoint_address.h"
#include "agents/llm/make_model.h"
#include "base/file.h"
#include "config/settings.h"

#include <cstdlib>
#include <fstream>
#include <sys/stat.h>

#include <gmock/gmock.h>

namespace warpmind::agents::llm {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kSecret = "sk-verysecret-0123456789";

class KeyFile : public testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path write(const std::string& content, mode_t mode) const {
    const auto path = scratch_.path() / "key";
    (void)std::filesystem::remove(path);
    std::ofstream(path) << content;
    EXPECT_EQ(::chmod(path.c_str(), mode), 0);
    return path;
  }
  void refuses(const std::filesystem::path& path, const std::string& why) const {
    const auto key = read_key_file(path);
    ASSERT_FALSE(key.has_value());
    EXPECT_EQ(key.error().code, Errc::invalid_argument);
    EXPECT_THAT(key.error().message, HasSubstr(why));
    EXPECT_THAT(key.error().message, HasSubstr("llm.key_file"));
    EXPECT_THAT(key.error().message, Not(HasSubstr("secret")));
  }

  ScratchDirectory scratch_ =
      ScratchDirectory::create(std::filesystem::temp_directory_path(), "llm").value();
};

TEST_F(KeyFile, HoldsOneKey) {
  EXPECT_EQ(read_key_file(write(std::string(kSecret) + "\r\n", 0600)).value(), kSecret);
  EXPECT_EQ(read_key_file(write(kSecret, 0400)).value(), kSecret);
}

TEST_F(KeyFile, MayBeReadByItsOwnerAlone) {
  for (const mode_t mode : {0644U, 0640U, 0604U, 0660U, 0700U, 0610U}) {
    refuses(write(kSecret, mode), "chmod 600");
  }
}

TEST_F(KeyFile, MustBeAFileWithAKey) {
  refuses(scratch_.path() / "missing", "No such file");
  refuses(scratch_.path(), "not a file");
  refuses(write("", 0600), "the key and nothing else");
  refuses(write("\n", 0600), "the key and nothing else");
  refuses(write("secret one\n", 0600), "the key and nothing else");
  refuses(write("secret\nsecret\n", 0600), "the key and nothing else");
  refuses(write("secret\x01", 0600), "the key and nothing else");
  refuses(write("secret" + std::string(5000, 'x'), 0600), "the key and nothing else");
}

TEST(SecretKey, IsTakenOutOfTheEnvironment) {
  ASSERT_EQ(::setenv(kKeyVariable, kSecret, 1), 0);  // NOLINT(concurrency-mt-unsafe)
  EXPECT_EQ(take_key_from_environment(), kSecret);
  EXPECT_EQ(std::getenv(kKeyVariable), nullptr);  // NOLINT(concurrency-mt-unsafe)
  EXPECT_EQ(take_key_from_environment(), "");
}

TEST(SecretKey, IsCutOutOfEveryText) {
  EXPECT_EQ(redacted("wrong key sk-verysecret-0123456789!", kSecret), "wrong key [key]!");
  EXPECT_EQ(redacted("wrong key sk-verysecre...", kSecret), "wrong key [key]...");
  EXPECT_EQ(redacted("it ends with et-0123456789", kSecret), "it ends with [key]");
  EXPECT_EQ(redacted("sk-verysecret-0123456789sk-verysecret-0123456789", kSecret), "[key][key]");
  EXPECT_EQ(redacted("nothing of it: sk-very", kSecret), "nothing of it: sk-very");
  EXPECT_EQ(redacted("short k3y here", "k3y"), "short [key] here");
  EXPECT_EQ(redacted("no key at all", ""), "no key at all");
}

EndpointOptions options(const std::string& url) {
  EndpointOptions options;
  options.url = url;
  options.model = "m";
  return options;
}

TEST(EndpointAddress, FindsThePathWhateverPartWasWritten) {
  for (const char* url : {"http://h:8080", "http://h:8080/", "http://h:8080/v1",
                          "http://h:8080/v1/", "http://h:8080/v1/chat/completions"}) {
    const auto address = resolve_endpoint(options(url), "/chat/completions");
    ASSERT_TRUE(address.has_value()) << address.error().message;
    EXPECT_EQ(address->url, "http://h:8080/v1/chat/completions");
    EXPECT_EQ(address->host, "h");
  }
  EXPECT_EQ(resolve_endpoint(options("https://gate.example/llm/v1"), "/messages")->url,
            "https://gate.example/llm/v1/messages");
}

TEST(EndpointAddress, RefusesWhatIsNoPlainAddress) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "not an address"},
      {"ftp://h", "http:// or https://"},
      {"file:///etc/passwd", "http:// or https://"},
      {"http://user:pass@h", "llm.key_file"},
      {"http://h/?key=secret", "'?'"},
      {"http://h/#x", "'#'"},
  };
  for (const auto& [url, why] : cases) {
    const auto address = resolve_endpoint(options(url), "/messages");
    ASSERT_FALSE(address.has_value()) << url;
    EXPECT_EQ(address.error().code, Errc::invalid_argument);
    EXPECT_THAT(address.error().message, HasSubstr(why));
    EXPECT_THAT(address.error().message, Not(HasSubstr("secret")));
  }
  auto nameless = options("http://h");
  nameless.model = "";
  EXPECT_FALSE(resolve_endpoint(nameless, "/messages").has_value());
}

TEST(EndpointAddress, AKeyDoesNotTravelInTheClear) {
  auto with_key = options("http://far.example");
  with_key.key = kSecret;
  const auto refused = resolve_endpoint(with_key, "/messages");
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().message, HasSubstr("https://"));
  EXPECT_THAT(refused.error().message, Not(HasSubstr(kSecret)));
  for (const char* url :
       {"https://far.example", "http://127.0.0.1:1", "http://localhost", "http://[::1]:8080"}) {
    with_key.url = url;
    EXPECT_TRUE(resolve_endpoint(with_key, "/messages").has_value()) << url;
  }
}

TEST_F(KeyFile, TheModelIsMadeFromSettings) {
  config::LlmSettings settings;
  settings.url = "https://api.example.com";
  settings.dialect = "messages";
  settings.model = "m-1";
  settings.stall_s = 77;
  settings.retries = 5;
  const auto options = model_options(settings, kSecret);
  EXPECT_EQ(options.endpoint.dialect, Dialect::messages);
  EXPECT_EQ(options.endpoint.key, kSecret);
  EXPECT_EQ(options.endpoint.stall_timeout, std::chrono::seconds(77));
  EXPECT_EQ(options.endpoint.retries, 5);
  EXPECT_EQ(make_http_model(options).value()->name(), "m-1 (messages)");
  EXPECT_EQ(price_of(options).value(), std::nullopt);

  // A file that is named wins over the environment.
  settings.key_file = write("other\n", 0644);
  const auto named = model_options(settings, kSecret);
  EXPECT_EQ(named.endpoint.key, "");
  EXPECT_FALSE(make_http_model(named).has_value());
}

}  // namespace
}  // namespace warpmind::agents::llm
