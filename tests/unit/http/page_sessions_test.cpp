#include "daemon/http/page_sessions.h"

#include "daemon/http/connection_fork.h"

#include <set>

#include <gtest/gtest.h>

namespace warpmind::daemon::http {
namespace {

using std::chrono::seconds;

class PageSessionsTest : public testing::Test {
 protected:
  PageSessions::Time now_ = PageSessions::Time{} + std::chrono::hours(1);
  PageSessions sessions_{[this] { return now_; }};

  std::string code() {
    const auto made = sessions_.make_code();
    EXPECT_TRUE(made.has_value());
    return made.value_or("");
  }
  bool is_good(const std::string& code) { return sessions_.redeem(code).has_value(); }
};

TEST_F(PageSessionsTest, ACodeIsGoodOnce) {
  const std::string first = code();
  const auto opened = sessions_.redeem(first);
  ASSERT_TRUE(opened.has_value());
  EXPECT_EQ(opened->token.size(), 64U);
  EXPECT_NE(opened->token, first);
  EXPECT_GE(opened->connection, kFirstPageConnection);
  const auto again = sessions_.redeem(first);
  ASSERT_FALSE(again.has_value());
  EXPECT_EQ(again.error().code, Errc::not_found);
  EXPECT_TRUE(sessions_.knows(opened->token)) << "a second try must not end the session";
}

TEST_F(PageSessionsTest, ACodeIsGoodForSixtySeconds) {
  const std::string in_time = code();
  const std::string late = code();
  now_ += seconds(60);
  EXPECT_TRUE(is_good(in_time));
  now_ += seconds(1);
  EXPECT_FALSE(is_good(late));
}

TEST_F(PageSessionsTest, AWrongCodeOpensNothingAndSoundsAsAUsedOne) {
  const std::string good = code();
  std::string near = good;
  near.back() = near.back() == '0' ? '1' : '0';
  std::set<std::string> sentences;
  for (const auto& wrong :
       {near, good.substr(1), std::string(), std::string(64, '0'), good + "0"}) {
    const auto refused = sessions_.redeem(wrong);
    ASSERT_FALSE(refused.has_value()) << wrong;
    sentences.insert(refused.error().message);
  }
  EXPECT_TRUE(is_good(good));
  sentences.insert(sessions_.redeem(good).error().message);
  EXPECT_EQ(sentences.size(), 1U);
  EXPECT_EQ(sessions_.count(), 1U);
}

TEST_F(PageSessionsTest, CodesAndTokensDiffer) {
  std::set<std::string> seen;
  for (int i = 0; i < 8; ++i) {
    const std::string one = code();
    EXPECT_TRUE(seen.insert(one).second);
    EXPECT_TRUE(seen.insert(sessions_.redeem(one)->token).second);
  }
}

TEST_F(PageSessionsTest, OfManyCodesThatWaitTheOldestGivesWay) {
  const std::string oldest = code();
  const std::string second = code();
  for (int i = 0; i < 15; ++i) (void)code();
  EXPECT_FALSE(is_good(oldest));
  EXPECT_TRUE(is_good(second));
}

TEST_F(PageSessionsTest, ASessionEndsWhenItIsLeftOrForgotten) {
  const std::string left = sessions_.redeem(code())->token;
  const std::string forgotten = sessions_.redeem(code())->token;
  const std::string used = sessions_.redeem(code())->token;
  EXPECT_TRUE(sessions_.end(left).has_value());
  EXPECT_FALSE(sessions_.end(left).has_value());
  now_ += std::chrono::hours(8);
  EXPECT_TRUE(sessions_.use(used).has_value());
  now_ += std::chrono::hours(8);
  EXPECT_FALSE(sessions_.use(left).has_value());
  EXPECT_FALSE(sessions_.knows(forgotten));
  EXPECT_FALSE(sessions_.use(forgotten).has_value());
  EXPECT_TRUE(sessions_.knows(used));
  EXPECT_EQ(sessions_.sweep().size(), 1U);
  EXPECT_EQ(sessions_.count(), 1U);
}

}  // namespace
}  // namespace warpmind::daemon::http
