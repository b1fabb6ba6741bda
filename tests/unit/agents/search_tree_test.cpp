#include "agents/search/search_tree.h"

#include "agents/search/episode_learning.h"
#include "agents/search/reward.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::agents {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

constexpr double kExact = 1e-12;

class SearchTreeTest : public testing::Test {
 protected:
  /// One candidate, judged at once.
  EdgeIndex judge(NodeIndex from, const char* technique, const char* key,
                  const Judgement& judgement, std::vector<EdgeIndex> path = {}) {
    const EdgeIndex edge = tree_.start(from, {technique, ""}, path);
    (void)tree_.finish(edge, key, judgement);
    return edge;
  }
  static Judgement gain(double log_gain) { return {CandidateEnd::measured, log_gain}; }

  SearchTree tree_{"given"};
};

// given -a-> A(0.2) -c-> AC(0.5); given -b-> B(0.1) -d-> AC again; given -e-> wrong; A -f->
// unbuildable
TEST_F(SearchTreeTest, SevenEditsAreCreditedAsComputedByHand) {
  const auto a = judge(SearchTree::kRoot, "a", "A", gain(0.2));
  const auto b = judge(SearchTree::kRoot, "b", "B", gain(0.1));
  const auto c = judge(1, "c", "AC", gain(0.5), {a});
  const auto d = judge(2, "d", "AC", gain(0.7), {b});  // known: its first judgement holds
  const auto e = judge(SearchTree::kRoot, "e", "E", {CandidateEnd::wrong, 0});
  const auto f = judge(1, "f", "F", {CandidateEnd::unbuildable, 0}, {a});

  EXPECT_EQ(tree_.judged(), 5);  // AC once
  EXPECT_EQ(tree_.best(), 3U);
  EXPECT_EQ(tree_.best_log_gain(), 0.5);
  EXPECT_EQ(tree_.edge(d).to, tree_.edge(c).to);
  EXPECT_EQ(tree_.edge(a).visits, 3);
  EXPECT_THAT(tree_.edge(a).mean(), DoubleNear((0.2 + 0.5 + (0.2 - 0.4)) / 3, kExact));
  EXPECT_EQ(tree_.edge(a).best, 0.5);
  EXPECT_EQ(tree_.edge(b).visits, 2);
  EXPECT_THAT(tree_.edge(b).mean(), DoubleNear((0.1 + 0.5) / 2, kExact));
  EXPECT_THAT(tree_.edge(e).mean(), DoubleNear(-0.25, kExact));
  EXPECT_THAT(tree_.edge(f).mean(), DoubleNear(0.2 - 0.4, kExact));
  EXPECT_THAT(tree_.edge(d).mean(), DoubleNear(0.5, kExact)) << "each way its own credit";
  EXPECT_THAT(tree_.way_to(3), ElementsAre(a, c));
}

TEST_F(SearchTreeTest, CandidatesUnderWayCountUntilTheyAreJudgedOrDropped) {
  const auto a = judge(SearchTree::kRoot, "a", "A", gain(0.2));
  const std::vector<EdgeIndex> path{a};
  const auto first = tree_.start(1, {"b", ""}, path);
  const auto second = tree_.start(1, {"c", ""}, path);
  EXPECT_EQ(tree_.edge(a).pending, 2);
  tree_.drop(first);
  EXPECT_EQ(tree_.edge(a).pending, 1);
  (void)tree_.finish(second, "AC", gain(0.4));
  EXPECT_EQ(tree_.edge(a).pending, 0);
  EXPECT_EQ(tree_.edge(a).visits, 2);
  EXPECT_TRUE(tree_.was_started(1, {"b", ""})) << "what did not apply is not tried again";
  EXPECT_FALSE(tree_.was_started(1, {"b", "width=4"}));
}

TEST(RewardTest, ReturnsAreThoseOfTheSource) {
  const std::vector<double> scores{turn_score(false, 9), turn_score(true, 1), turn_score(false, 0),
                                   turn_score(true, 2)};
  EXPECT_THAT(scores, ElementsAre(0, 1.3, 0, 2.3));
  EXPECT_THAT(discounted_returns(scores),
              ElementsAre(DoubleNear(0.6672, kExact), DoubleNear(1.668, kExact),
                          DoubleNear(0.92, kExact), DoubleNear(2.3, kExact)));
  EXPECT_TRUE(discounted_returns({}).empty());
}

TEST(EpisodeLearningTest, AGainBelongsToTheKernelThatWasEdited) {
  EpisodeLearning learning;
  learning.learn({"a", "1", 20}, CandidateEnd::measured, std::log(10.0));
  ScoredMove next;
  next.move = {"a", "2", 1.2};  // of the kernel that is ten times as fast now
  next.log_gain = std::log(1.2);

  const double adjusted = learning.adjusted(next).log_gain;

  EXPECT_LT(adjusted, std::log(1.2)) << "the guess was too high";
  EXPECT_GT(adjusted, std::log(1.2 / 2));
}

TEST(EpisodeLearningTest, AMoveWithoutAGuessTeachesThatItWorks) {
  EpisodeLearning learning;
  learning.learn({"a", "1", 0}, CandidateEnd::measured, std::log(10.0));
  ScoredMove next;
  next.move = {"a", "1", 1.2};
  next.log_gain = std::log(1.2);
  next.feasibility = 0.5;

  EXPECT_EQ(learning.adjusted(next).log_gain, next.log_gain);
  EXPECT_GT(learning.adjusted(next).feasibility, 0.5);
}

TEST(EpisodeLearningTest, ExpectationsMoveTowardsWhatWasSeen) {
  EpisodeLearning learning({1, 0.5});
  const ScoredMove before{{"a", "x"}, 0.4, 0.3, 0.8};
  EXPECT_EQ(learning.adjusted(before).log_gain, 0.4);
  learning.learn({"a", "x"}, CandidateEnd::measured, 0);
  const auto after = learning.adjusted(before);
  EXPECT_THAT(after.log_gain, DoubleNear(0.2, kExact));
  EXPECT_THAT(after.deviation, DoubleNear(0.3 * std::sqrt(0.5), kExact));
  EXPECT_THAT(after.feasibility, DoubleNear(0.9, kExact));
  const ScoredMove other{{"a", "y"}, 0.4, 0.3, 0.8};
  EXPECT_THAT(learning.adjusted(other).log_gain, DoubleNear(0.4 / 1.5, kExact));
  learning.learn({"a", "x"}, CandidateEnd::wrong, 0);
  EXPECT_THAT(learning.adjusted(before).feasibility, DoubleNear(1.8 / 3, kExact));
  EXPECT_EQ(learning.adjusted({{"b", ""}, 0.4, 0.3, 0.8}).log_gain, 0.4);
}

}  // namespace
}  // namespace warpmind::agents
