#include "base/text.h"

#include "base/model/verdict_reading.h"

#include <gtest/gtest.h>

namespace warpmind {
namespace {

TEST(TextTest, NumbersAsPeopleReadThem) {
  EXPECT_EQ(fixed(1.5, 2), "1.50");
  EXPECT_EQ(significant(1.0 / 3), "0.3333");
  EXPECT_EQ(significant(100), "100");
  EXPECT_EQ(significant(0.00012345, 3), "0.000123");
  EXPECT_EQ(significant(1e9), "1e+09");
}

TEST(LargestLaunchTest, IsTheFirstOfThoseThatTakeMost) {
  EXPECT_EQ(largest_launch({}), nullptr);
  const std::vector<KernelProfile> launches{{"a", 0.2, {}}, {"b", 0.4, {}}, {"c", 0.4, {}}};
  EXPECT_EQ(largest_launch(launches), &launches[1]);
}

TEST(OutcomeTest, AFailureIsTheKernelsOwn) {
  for (const Outcome outcome : {Outcome::wrong, Outcome::build_failed, Outcome::crashed,
                                Outcome::timed_out, Outcome::cheating}) {
    EXPECT_TRUE(is_failure(outcome)) << name_of(outcome);
  }
  for (const Outcome outcome : {Outcome::improved, Outcome::same, Outcome::regressed,
                                Outcome::inconclusive, Outcome::blocked, Outcome::unjudgeable}) {
    EXPECT_FALSE(is_failure(outcome)) << name_of(outcome);
  }
}

TEST(OutcomeTest, OfTwoPredictionsTheBetterStaysAndOfTwoTimesTheConfirmedOne) {
  const Comparison predicted{.ratio = 1.2, .low = 0.8, .high = 1.8, .processes = 0};
  Comparison timed = predicted;
  timed.processes = 7;
  EXPECT_TRUE(is_better(predicted));
  EXPECT_FALSE(is_better(timed)) << "its interval holds 1";
  EXPECT_FALSE(is_better(Comparison{.ratio = 1.0005, .low = 0.7, .high = 1.4, .processes = 0}));
  EXPECT_FALSE(is_better(Comparison{.ratio = 0.9, .low = 0.6, .high = 1.4, .processes = 0}));
  Verdict verdict;
  verdict.comparison = predicted;
  for (const Outcome outcome : {Outcome::wrong, Outcome::crashed, Outcome::unjudgeable}) {
    verdict.outcome = outcome;
    EXPECT_FALSE(is_better(verdict)) << name_of(outcome);
  }
  verdict.outcome = Outcome::inconclusive;
  EXPECT_TRUE(is_better(verdict));
}

TEST(OutcomeTest, NothingIsKnownOfWhatCouldNotBeMeasuredOrJudged) {
  EXPECT_TRUE(says_nothing(Outcome::blocked));
  EXPECT_TRUE(says_nothing(Outcome::unjudgeable));
  for (const Outcome outcome : {Outcome::improved, Outcome::inconclusive, Outcome::wrong,
                                Outcome::build_failed, Outcome::timed_out}) {
    EXPECT_FALSE(says_nothing(outcome)) << name_of(outcome);
  }
}

}  // namespace
}  // namespace warpmind
