// Settings of an embeddings endpoint: what is taken, and what is refused before anything is sent.

#include "base/file.h"
#include "knowledge_base/embedding/endpoint_address.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

namespace warpmind::knowledge_base {
namespace {

using testing::HasSubstr;
using testing::Not;

class EndpointAddressTest : public testing::Test {
 protected:
  static EmbeddingOptions at(const std::string& url) {
    EmbeddingOptions options;
    options.url = url;
    options.model = "m";
    return options;
  }
  static void expect_refused(const EmbeddingOptions& options, const std::string& why) {
    const auto address = resolve_endpoint(options);
    ASSERT_FALSE(address.has_value()) << options.url;
    EXPECT_EQ(address.error().code, Errc::invalid_argument);
    EXPECT_THAT(address.error().message, HasSubstr(why)) << options.url;
  }
  [[nodiscard]] EmbeddingOptions with_key(const std::string& url, const std::string& content,
                                          std::filesystem::perms mode) const {
    auto options = at(url);
    options.key_file = scratch_.path() / "key";
    std::ofstream(options.key_file) << content;
    std::filesystem::permissions(options.key_file, mode);
    return options;
  }
  static constexpr auto kPrivate =
      std::filesystem::perms::owner_read | std::filesystem::perms::owner_write;

  const ScratchDirectory scratch_ =
      ScratchDirectory::create(std::filesystem::temp_directory_path(), "kb-embedding").value();
};

TEST_F(EndpointAddressTest, ThePathIsAddedOnceWhateverWasWritten) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"http://127.0.0.1:8080", "http://127.0.0.1:8080/v1/embeddings"},
      {"http://127.0.0.1:8080/", "http://127.0.0.1:8080/v1/embeddings"},
      {"https://api.example.com/v1", "https://api.example.com/v1/embeddings"},
      {"https://api.example.com/v1/", "https://api.example.com/v1/embeddings"},
      {"https://example.com/team/a/v1/embeddings", "https://example.com/team/a/v1/embeddings"},
      {"http://[::1]:9/tei//", "http://[::1]:9/tei/v1/embeddings"},
  };
  for (const auto& [written, meant] : cases) {
    const auto address = resolve_endpoint(at(written));
    ASSERT_TRUE(address.has_value()) << address.error().message;
    EXPECT_EQ(address->service.url, meant);
    EXPECT_EQ(address->key, "");
  }
}

TEST_F(EndpointAddressTest, OtherAddressesAreRefused) {
  expect_refused(at("localhost:8080"), "embeddings_url");
  expect_refused(at("file:///etc/passwd"), "http:// or https://");
  expect_refused(at("ftp://example.com"), "http:// or https://");
  expect_refused(at("unix:///run/x.sock"), "embeddings_url");
  expect_refused(at("http://"), "is not an address");
  expect_refused(at("http://a b/"), "is not an address");
  expect_refused(at("http://example.com/?x=1"), "before '?'");
  expect_refused(at("http://example.com/#x"), "before '?'");
  const auto secret = resolve_endpoint(at("https://me:secret@example.com"));
  ASSERT_FALSE(secret.has_value());
  EXPECT_THAT(secret.error().message, HasSubstr("embeddings_key_file"));
  EXPECT_THAT(secret.error().message, Not(HasSubstr("secret@")));
}

TEST_F(EndpointAddressTest, AModelMustBeNamed) {
  auto options = at("http://127.0.0.1");
  options.model = "";
  expect_refused(options, "embeddings_model");
  options.model = std::string(300, 'm');
  expect_refused(options, "256 bytes");
}

TEST_F(EndpointAddressTest, TheKeyComesFromAPrivateFile) {
  const auto address = resolve_endpoint(with_key("https://example.com", "sk-0123\n", kPrivate));
  ASSERT_TRUE(address.has_value()) << address.error().message;
  EXPECT_EQ(address->key, "sk-0123");
  EXPECT_TRUE(resolve_endpoint(with_key("http://localhost:1", "sk-0123", kPrivate)).has_value());
}

TEST_F(EndpointAddressTest, KeysThatOthersCouldLearnAreRefused) {
  using std::filesystem::perms;
  expect_refused(with_key("https://example.com", "k", kPrivate | perms::group_read), "chmod 600");
  expect_refused(with_key("https://example.com", "k", kPrivate | perms::others_write), "chmod 600");
  expect_refused(with_key("http://example.com", "k", kPrivate), "in the clear");
  expect_refused(with_key("http://127.example.com", "k", kPrivate), "in the clear");
}

TEST_F(EndpointAddressTest, FilesThatHoldNoKeyAreRefused) {
  for (const auto* content : {"", "\n", "two words", "a\r\nX-Header: b", "caf\xc3\xa9"}) {
    expect_refused(with_key("https://example.com", content, kPrivate), "the key and nothing else");
  }
  expect_refused(with_key("https://example.com", std::string(5000, 'k'), kPrivate), "larger");
  auto options = at("https://example.com");
  options.key_file = scratch_.path() / "missing";
  expect_refused(options, "No such file");
  options.key_file = scratch_.path();
  expect_refused(options, "directory");
}

}  // namespace
}  // namespace warpmind::knowledge_base
