// Who may run the daemon.
#include "daemon/process_setup.h"

#include <gmock/gmock.h>

namespace warpmind::daemon {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(CheckUser, RootStartsInAContainerOrWhenAllowed) {
  EXPECT_TRUE(check_user(false, "false", ""));
  EXPECT_TRUE(check_user(true, "auto", "/.dockerenv"));
  EXPECT_TRUE(check_user(true, "true", ""));
}

TEST(CheckUser, TheRefusalNamesTheFlagThatWorksForClientAndDaemon) {
  const auto outside = check_user(true, "auto", "");
  ASSERT_FALSE(outside);
  EXPECT_EQ(outside.error().code, Errc::invalid_argument);
  EXPECT_THAT(outside.error().message, AllOf(HasSubstr("as root outside of a container"),
                                             HasSubstr("add `--set daemon.allow_root=true`")));
  const auto forbidden = check_user(true, "false", "/.dockerenv");
  ASSERT_FALSE(forbidden);
  EXPECT_THAT(forbidden.error().message, HasSubstr("daemon.allow_root = false"));
}

}  // namespace
}  // namespace warpmind::daemon
