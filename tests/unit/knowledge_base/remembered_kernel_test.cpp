#include "knowledge_base/remembered_kernel.h"

#include "tests/fakes/sample_episodes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::knowledge_base {
namespace {

using fakes::EpisodeSketch;
using testing::ElementsAre;

const Task& task() {
  static const Task made = fakes::sample_task("scale");
  return made;
}

std::optional<BestKernel> best_kernel_of(const Episode& episode) {
  const auto offer = best_offer(episode, kernel_ids(episode));
  return offer ? std::optional<BestKernel>(offer->best) : std::nullopt;
}

BestKernel best_with(double speedup, double median_ns, const std::string& baseline) {
  BestKernel best;
  best.speedup = speedup;
  best.median_ns = median_ns;
  best.baseline = KernelId(baseline);
  best.workload = "main";
  best.harness = "1";
  return best;
}

TEST(BestOffer, FollowsParentsNotTheOrderOfSteps) {
  const auto episode = EpisodeSketch(1, task())
                           .step({.technique = "vectorize"})
                           .step({.technique = "unroll", .outcome = Outcome::regressed})
                           .step({.technique = "block_size"})
                           .finish();

  const auto best = best_kernel_of(episode);

  ASSERT_TRUE(best.has_value());
  EXPECT_EQ(best->kernel, id_of(episode.steps[3].candidate.kernel));
  EXPECT_EQ(best->baseline, id_of(task().kernel));
  EXPECT_THAT(best->techniques, ElementsAre("vectorize", "block_size"));
  EXPECT_EQ(best->architecture, "sm_90");
}

TEST(BestOffer, NothingWithoutAConfirmedComparisonWithTheBaseline) {
  Episode episode = EpisodeSketch(1, task()).step({}).finish();
  ASSERT_TRUE(best_kernel_of(episode).has_value());

  Episode screened = episode;
  screened.best_against_baseline->processes = 1;
  Episode slower = episode;
  slower.best_against_baseline->ratio = 0.99;
  Episode undecided = episode;
  undecided.outcome = Outcome::inconclusive;
  Episode damaged = episode;
  damaged.best_step = 99;

  EXPECT_EQ(best_kernel_of(screened), std::nullopt);
  EXPECT_EQ(best_kernel_of(slower), std::nullopt);
  EXPECT_EQ(best_kernel_of(undecided), std::nullopt);
  EXPECT_EQ(best_kernel_of(damaged), std::nullopt);
  EXPECT_EQ(best_kernel_of(EpisodeSketch(1, task()).finish()), std::nullopt);
}

TEST(BestOffer, SurvivesKernelsThatAreTheirOwnParents) {
  Episode episode = EpisodeSketch(1, task()).step({}).finish();
  episode.steps[1].candidate.parent = id_of(episode.steps[1].candidate.kernel);

  EXPECT_THAT(best_kernel_of(episode)->techniques, ElementsAre("block_size"));
}

TEST(Replaces, ComparesSpeedupsOnlyOverTheSameBaseline) {
  EXPECT_TRUE(replaces(best_with(3, 900, "a"), best_with(2, 500, "a")));
  EXPECT_FALSE(replaces(best_with(2, 500, "a"), best_with(3, 900, "a")));
  EXPECT_FALSE(replaces(best_with(9, 900, "a"), best_with(2, 500, "b"))) << "a slow baseline";
  EXPECT_TRUE(replaces(best_with(2, 500, "a"), best_with(9, 900, "b")));
}

TEST(Replaces, TheNewerWinsWhereTimesCannotBeCompared) {
  BestKernel other_harness = best_with(9, 100, "b");
  other_harness.harness = "0";

  EXPECT_TRUE(replaces(best_with(2, 500, "a"), other_harness));
}

TEST(Choose, TakesTheSameModelThenTheFastestOfTheSameCapability) {
  BestKernel own = best_with(1.5, 0, "a");
  own.device = "NVIDIA H200";
  own.architecture = "sm_90";
  BestKernel sibling = best_with(4, 0, "a");
  sibling.device = "NVIDIA GH200";
  sibling.architecture = "sm_90";
  BestKernel slow_sibling = best_with(2, 0, "a");
  slow_sibling.device = "NVIDIA H20";
  slow_sibling.architecture = "sm_90";

  EXPECT_EQ(choose({sibling, own}, fakes::h200()), own);
  EXPECT_EQ(choose({slow_sibling, sibling}, fakes::h200()), sibling);
  EXPECT_EQ(choose({sibling, own}, fakes::a100()), std::nullopt);
}

}  // namespace
}  // namespace warpmind::knowledge_base
