#include "knowledge_base/toolchain_distance.h"

#include <gtest/gtest.h>

namespace warpmind::knowledge_base {
namespace {

TEST(ToolchainDistance, CountsReleasesOfTheToolkit) {
  EXPECT_EQ(toolkit_distance("13.0", "13.0"), 0);
  EXPECT_EQ(toolkit_distance("12.4", "12.6"), 2);
  EXPECT_EQ(toolkit_distance("12.6", "12.4"), 2) << "an older one is as far";
  EXPECT_EQ(toolkit_distance("12.9", "13.0"), 4);
  EXPECT_EQ(toolkit_distance("11.8", "13.0"), 8);
  EXPECT_EQ(toolkit_distance("13.0.48", "13.0.88"), 0.25);
  EXPECT_EQ(toolkit_distance("13.0", "13.0.88"), 0.25);
}

TEST(ToolchainDistance, CountsBranchesOfTheDriver) {
  EXPECT_EQ(driver_distance("580.159.04", "580.159.04"), 0);
  EXPECT_EQ(driver_distance("580.95.05", "580.159.04"), 0.25);
  EXPECT_EQ(driver_distance("535.104", "580.159.04"), 9);
  EXPECT_EQ(driver_distance("575.57", "576.02"), 1);
  EXPECT_EQ(driver_distance("12.8", "13.0"), 4) << "a CUDA version where NVML is absent";
}

TEST(ToolchainDistance, SaysNothingOfWhatIsUnknownAndOneStepOfWhatIsNoVersion) {
  EXPECT_EQ(toolkit_distance("", "13.0"), 0);
  EXPECT_EQ(driver_distance("580.1", ""), 0);
  EXPECT_EQ(driver_distance("580.1", "13.0"), 1) << "two sorts of numbers";
  EXPECT_EQ(driver_distance("nightly", "580.1"), 1);
  EXPECT_EQ(toolkit_distance("99999999999.0", "13.0"), 1);
  EXPECT_EQ(toolkit_distance("13,0", "13.0"), 1);
}

TEST(ToolchainDistance, WidensByTheStatedFactorsUpToACeiling) {
  const Toolchain now{"13.0", "580.159.04"};

  EXPECT_DOUBLE_EQ(variance_factor(now, now), 1);
  EXPECT_DOUBLE_EQ(variance_factor({"12.9", now.driver}, now), 1 + 0.15 * 4);
  EXPECT_DOUBLE_EQ(variance_factor({"13.0", "575.1"}, now), 1 + 0.05);
  EXPECT_DOUBLE_EQ(variance_factor({"12.9", "575.1"}, now), 1.6 * 1.05);
  EXPECT_DOUBLE_EQ(variance_factor({"1.0", "100.0"}, now), 4);
  EXPECT_DOUBLE_EQ(variance_factor({}, now), 1) << "records of before it was kept";
}

}  // namespace
}  // namespace warpmind::knowledge_base
