#include "daemon/http/access_token.h"

#include "base/file.h"

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>

#include <gtest/gtest.h>

namespace warpmind::daemon::http {
namespace {

namespace fs = std::filesystem;

class AccessTokenTest : public testing::Test {
 protected:
  std::string text() const {
    std::string content = read_file(file_, 4096).value_or("");
    return content.substr(0, content.find('\n'));
  }

  ScratchDirectory home_ = std::move(*ScratchDirectory::create(fs::temp_directory_path(), "token"));
  fs::path file_ = home_.path() / "http.token";
};

TEST_F(AccessTokenTest, IsMadeOnceForItsOwnerAlone) {
  ASSERT_TRUE(AccessToken::open(file_).has_value());
  const std::string first = text();
  struct stat status {};
  ASSERT_EQ(::stat(file_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  EXPECT_EQ(first.size(), 64U);

  const auto again = AccessToken::open(file_);

  ASSERT_TRUE(again.has_value());
  EXPECT_TRUE(again->matches(first));
  EXPECT_EQ(text(), first);
  fs::remove(file_);
  ASSERT_TRUE(AccessToken::open(file_).has_value());
  EXPECT_NE(text(), first);
}

TEST_F(AccessTokenTest, NothingElseMatches) {
  const auto token = AccessToken::open(file_);
  ASSERT_TRUE(token.has_value());
  const std::string right = text();
  EXPECT_FALSE(token->matches(""));
  EXPECT_FALSE(token->matches(right.substr(1)));
  EXPECT_FALSE(token->matches(right + "0"));
  for (std::size_t i = 0; i < right.size(); ++i) {
    std::string wrong = right;
    wrong[i] = wrong[i] == '0' ? '1' : '0';
    EXPECT_FALSE(token->matches(wrong)) << i;
  }
}

TEST_F(AccessTokenTest, FileThatOthersCanReadIsRefused) {
  ASSERT_TRUE(AccessToken::open(file_).has_value());
  fs::permissions(file_, fs::perms::group_read, fs::perm_options::add);
  const auto opened = AccessToken::open(file_);
  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(opened.error().code, Errc::invalid_argument);
  EXPECT_NE(opened.error().message.find("remove it"), std::string::npos);
}

TEST_F(AccessTokenTest, LinkAndOtherContentAreRefused) {
  const fs::path target = home_.path() / "target";
  ASSERT_TRUE(AccessToken::open(target).has_value());
  fs::create_symlink(target, file_);
  EXPECT_FALSE(AccessToken::open(file_).has_value());
  fs::remove(file_);
  ASSERT_TRUE(write_file_atomic(file_, "secret\n").has_value());
  EXPECT_FALSE(AccessToken::open(file_).has_value());
}

// reliability: a difference under a microsecond, over a million comparisons.
TEST_F(AccessTokenTest, PlaceOfTheFirstDifferenceTakesNoTime) {
  const auto token = AccessToken::open(file_);
  ASSERT_TRUE(token.has_value());
  std::string early = text();
  std::string late = early;
  early.front() = early.front() == '0' ? '1' : '0';
  late.back() = late.back() == '0' ? '1' : '0';
  constexpr int kRounds = 500'000;
  const auto microseconds = [&](const std::string& shown) {
    const auto start = std::chrono::steady_clock::now();
    int matched = 0;
    for (int i = 0; i < kRounds; ++i) matched += token->matches(shown) ? 1 : 0;
    EXPECT_EQ(matched, 0);
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
    return time.count() / kRounds;
  };
  EXPECT_LT(std::abs(microseconds(early) - microseconds(late)), 1.0);
}

}  // namespace
}  // namespace warpmind::daemon::http
