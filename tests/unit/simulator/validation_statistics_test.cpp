// The figures of validation_bench, on data whose answers are plain.

#include "tests/bench/validation/statistics.h"

#include <gtest/gtest.h>

namespace warpmind::validation {
namespace {

TEST(ValidationStatistics, TauIsOneInOrderMinusOneInReverse) {
  EXPECT_DOUBLE_EQ(ordering_of({{1, 10}, {2, 20}, {3, 30}}, 0).tau(), 1);
  EXPECT_DOUBLE_EQ(ordering_of({{3, 10}, {2, 20}, {1, 30}}, 0).tau(), -1);
}

TEST(ValidationStatistics, TauOfOneSwapAmongFour) {
  // Six pairs, one of them the wrong way round: (5 - 1) / 6.
  const auto ordering = ordering_of({{1, 10}, {3, 20}, {2, 30}, {4, 40}}, 0);
  EXPECT_DOUBLE_EQ(ordering.pairs, 6);
  EXPECT_DOUBLE_EQ(ordering.tau(), 4.0 / 6);
}

TEST(ValidationStatistics, MeasuredTiesDoNotCountAndPredictedTiesCountHalf) {
  EXPECT_DOUBLE_EQ(ordering_of({{1, 10}, {2, 10}}, 0).pairs, 0);
  EXPECT_DOUBLE_EQ(ordering_of({{1, 10}, {1, 20}}, 0).share(), 0.5);
}

TEST(ValidationStatistics, MarginLeavesOutPairsThatAreClose) {
  // 100 and 109 are close; both are more than 10 % from 130. 100 before 130 is predicted wrong.
  const auto ordering = ordering_of({{5, 100}, {1, 109}, {4, 130}}, 0.1);
  EXPECT_DOUBLE_EQ(ordering.pairs, 2);
  EXPECT_DOUBLE_EQ(ordering.right, 1);
  EXPECT_DOUBLE_EQ(ordering.share(), 0.5);
}

TEST(ValidationStatistics, OrderingsOfTasksAddUp) {
  Ordering sum = ordering_of({{1, 10}, {2, 20}}, 0);
  sum += ordering_of({{2, 10}, {1, 20}}, 0);
  EXPECT_DOUBLE_EQ(sum.pairs, 2);
  EXPECT_DOUBLE_EQ(sum.tau(), 0);
}

TEST(ValidationStatistics, RegretIsOfThePointPredictedFastest) {
  EXPECT_DOUBLE_EQ(top_regret({{2, 10}, {1, 15}, {3, 30}}), 1.5);
  EXPECT_DOUBLE_EQ(top_regret({{1, 10}, {2, 15}}), 1);
}

TEST(ValidationStatistics, QuantilesAreInterpolated) {
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(quantile({1, 2}, 1), 2);
  EXPECT_DOUBLE_EQ(quantile({}, 0.5), 0);
}

TEST(ValidationStatistics, FactorsMissAlikeUpAndDown) {
  EXPECT_NEAR(mean_factor({{20, 10}, {5, 10}}), 2, 1e-12);
  const auto misses = ratio_misses({{20, 10}, {5, 10}, {10, 5}});
  ASSERT_EQ(misses.size(), 3U);
  EXPECT_DOUBLE_EQ(misses[0], 4);  // a ratio of 4 was predicted for equal times
  EXPECT_DOUBLE_EQ(misses[1], 1);
}

}  // namespace
}  // namespace warpmind::validation
