#include "base/log.h"

#include "base/file.h"
#include "base/ids.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Log, WritesKeysAndQuotesWhatNeedsIt) {
  auto scratch =
      std::move(ScratchDirectory::create(std::filesystem::temp_directory_path(), "log_test"))
          .value();
  const auto file = scratch.path() / "warpmindd.log";
  ASSERT_TRUE(log::open({file, log::Level::info, false}).has_value());

  log::info("agents", "step", {{"task", TaskId("t-1")}, {"reason", "a \"b\"\nc"}, {"step", 3}});
  log::debug("agents", "hidden");
  log::flush();

  const auto text = read_file(file, 1 << 20).value();
  EXPECT_THAT(text, HasSubstr(R"(info agents step task=t-1 reason="a \"b\"\nc" step=3)"));
  EXPECT_THAT(text, Not(HasSubstr("hidden")));
}

TEST(Log, UnwritableFileIsAnError) {
  const auto opened = log::open({"/proc/nowhere/x.log", log::Level::info, false});

  ASSERT_FALSE(opened.has_value());
  EXPECT_THAT(opened.error().message, HasSubstr("/proc/nowhere/x.log"));
}

}  // namespace
}  // namespace warpmind
