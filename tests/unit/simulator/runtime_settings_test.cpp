#include "profilers/simulator/cudart/runtime_settings.h"

#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::simulator {
namespace {

using ::testing::HasSubstr;

Result<RuntimeSettings> read(const std::map<std::string, std::string>& variables) {
  return read_runtime_settings([&](const char* name) -> std::optional<std::string> {
    const auto at = variables.find(name);
    if (at == variables.end()) return std::nullopt;
    return at->second;
  });
}

TEST(RuntimeSettings, ChecksEverythingByDefault) {
  const auto settings = read({});
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->device, "h200");
  EXPECT_TRUE(settings->launch.check_initialised);
  EXPECT_TRUE(settings->launch.check_shared_races);
  EXPECT_TRUE(settings->launch.check_global_races);
  EXPECT_FALSE(settings->launch.reversed);
  EXPECT_FALSE(settings->profile);
  EXPECT_FALSE(settings->print);
  EXPECT_EQ(settings->launch.block_limit, 0U);
  EXPECT_TRUE(settings->trace.empty());
}

TEST(RuntimeSettings, TraceIsAFile) {
  EXPECT_EQ(read({{"CUDASIM_TRACE", "/tmp/record"}})->trace, "/tmp/record");
}

TEST(RuntimeSettings, ListOfChecks) {
  const auto settings = read({{"CUDASIM_CHECKS", "shared-races,initialised"}});
  ASSERT_TRUE(settings);
  EXPECT_TRUE(settings->launch.check_initialised);
  EXPECT_TRUE(settings->launch.check_shared_races);
  EXPECT_FALSE(settings->launch.check_global_races);
  EXPECT_FALSE(read({{"CUDASIM_CHECKS", "none"}})->launch.check_initialised);
}

TEST(RuntimeSettings, ProfileTakesNoChecksAndSamplesOnRequest) {
  const auto all = read({{"CUDASIM_PROFILE", "on"}});
  EXPECT_FALSE(all->launch.check_global_races);
  EXPECT_EQ(all->launch.block_limit, 0U);
  const auto some = read({{"CUDASIM_PROFILE", "on"}, {"CUDASIM_SAMPLE", "on"}});
  EXPECT_EQ(some->launch.block_limit, kSampledBlocks);
  EXPECT_EQ(read({{"CUDASIM_SAMPLE", "on"}})->launch.block_limit, 0U);
}

TEST(RuntimeSettings, NumbersAndOrder) {
  const auto settings = read({{"CUDASIM_STEPS", "12"}, {"CUDASIM_ORDER", "reversed"}});
  EXPECT_EQ(settings->launch.step_limit, 12U);
  EXPECT_TRUE(settings->launch.reversed);
  const auto drawn = read({{"CUDASIM_ORDER", "drawn"}});
  EXPECT_TRUE(drawn->launch.drawn);
  EXPECT_NE(drawn->launch.sample_seed, 0U);
  EXPECT_EQ(settings->time_scale, 1);
  EXPECT_EQ(read({{"CUDASIM_TIME_SCALE", "1.5"}})->time_scale, 1.5);
}

TEST(RuntimeSettings, UnknownValuesNameTheVariableAndWhatIsAllowed) {
  const std::map<std::string, std::string> wrong = {
      {"CUDASIM_CHECKS", "initialised,"}, {"CUDASIM_ORDER", "up"},    {"CUDASIM_STEPS", "0"},
      {"CUDASIM_PROFILE", "yes"},         {"CUDASIM_SAMPLE", "1"},    {"CUDASIM_PRINT", ""},
      {"CUDASIM_REPORT", "fd:-1"},        {"CUDASIM_TIME_SCALE", "0"}};
  for (const auto& [name, value] : wrong) {
    const auto settings = read({{name, value}});
    ASSERT_FALSE(settings) << name;
    EXPECT_THAT(settings.error().message, HasSubstr(name + "=" + value + " is not understood"));
    EXPECT_THAT(settings.error().message, HasSubstr("allowed: "));
  }
  EXPECT_FALSE(read({{"CUDASIM_STEPS", "12x"}}));
  EXPECT_FALSE(read({{"CUDASIM_STEPS", "99999999999999999999999"}}));
}

}  // namespace
}  // namespace warpmind::simulator
