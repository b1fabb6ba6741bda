#include "knowledge_base/graph/edge_learning.h"

#include "knowledge_base/remembered_kernel.h"
#include "tests/fakes/sample_episodes.h"

#include <algorithm>
#include <random>

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

EdgeExample example(const std::string& task_name, double log_gain, std::int64_t step) {
  EdgeExample made;
  made.episode = EpisodeId("e-0000000001");
  made.task = TaskId(task_name);
  made.log_gain = log_gain;
  made.step = step;
  return made;
}

TEST(OriginOf, IsTheStepThatWroteTheParent) {
  Episode episode = EpisodeSketch(1, task())
                        .step({.technique = "a", .ratio = 1.5})
                        .step({.technique = "b", .outcome = Outcome::regressed, .ratio = 0.8})
                        .step({.technique = "c", .ratio = 1.2})
                        .finish();
  auto kernels = kernel_ids(episode);

  EXPECT_EQ(origin_of(episode, kernels, 1), 0U);
  EXPECT_EQ(origin_of(episode, kernels, 2), 1U);
  EXPECT_EQ(origin_of(episode, kernels, 3), 1U) << "b was not better: c edited what a made";

  episode.steps[3].candidate.parent = kernels[2];
  EXPECT_EQ(origin_of(episode, kernels, 3), 2U) << "a search may go on from what was not better";
  episode.steps[3].candidate.parent = KernelId("k-0000000000000000");
  EXPECT_EQ(origin_of(episode, kernels, 3), 1U) << "of another episode: the incumbent";
  episode.steps[3].candidate.parent = {};
  EXPECT_EQ(origin_of(episode, kernels, 3), 1U);
}

TEST(KeysOf, CountsEverywhereAndInTheClassAndInTheState) {
  Transition transition;
  transition.evidence.scope = {Provider::sim, "unroll", BottleneckClass::memory_latency,
                               fakes::h200()};
  transition.from = "tiling";
  transition.cluster = "memory_latency/2";

  const auto keys = keys_of(transition);

  ASSERT_EQ(keys.size(), 7U);
  EXPECT_EQ(keys[0], (EdgeKey{{Provider::sim, "tiling", "unroll", "", "", ""}, EdgeLevel::edge}));
  EXPECT_EQ(keys[1], (EdgeKey{{Provider::sim, "tiling", "unroll", "memory_latency", "", ""},
                              EdgeLevel::cluster}));
  EXPECT_EQ(keys[2], (EdgeKey{{Provider::sim, "tiling", "unroll", "memory_latency", "sm_90", ""},
                              EdgeLevel::family}));
  EXPECT_EQ(keys[6],
            (EdgeKey{{Provider::sim, "tiling", "unroll", "memory_latency/2", "", "NVIDIA H200"},
                     EdgeLevel::device}));
  transition.cluster = "memory_latency";
  EXPECT_EQ(keys_of(transition).size(), 4U) << "no evidence twice";
  transition.evidence.scope.device = {};
  EXPECT_EQ(keys_of(transition).size(), 2U) << "an unknown device is no device";
}

TEST(BestExamples, AreOfDifferentTasksFirst) {
  const auto best = best_examples({example("t-1", 0.9, 1), example("t-1", 0.8, 2),
                                   example("t-1", 0.7, 3), example("t-2", 0.1, 4)});

  ASSERT_EQ(best.size(), 3U);
  EXPECT_EQ(best[0].step, 1);
  EXPECT_EQ(best[1].step, 4) << "the other task goes before a second of the first";
  EXPECT_EQ(best[2].step, 2);
}

TEST(BestExamples, KeptOneByOneAreThoseOfAllAtOnce) {
  std::mt19937 draw(5);
  std::uniform_real_distribution<double> gain(-0.5, 1);
  for (int round = 0; round < 200; ++round) {
    std::vector<EdgeExample> all;
    std::vector<EdgeExample> kept;
    for (int i = 0; i < 12; ++i) {
      all.push_back(example("t-" + std::to_string(draw() % 4), gain(draw), i));
      kept.push_back(all.back());
      kept = best_examples(std::move(kept));
    }
    std::shuffle(all.begin(), all.end(), draw);
    ASSERT_EQ(kept, best_examples(all)) << "round " << round;
  }
}

TEST(Learn, CountsGainsAndFailuresApart) {
  const Episode episode = EpisodeSketch(1, task())
                              .step({.ratio = 1.5})
                              .step({.outcome = Outcome::timed_out, .processes = 0})
                              .step({.outcome = Outcome::wrong, .processes = 0})
                              .step({.outcome = Outcome::timed_out, .processes = 0})
                              .step({.outcome = Outcome::same, .ratio = 1.01, .processes = 1})
                              .finish();
  const auto kernels = kernel_ids(episode);
  EdgeStatistics edge;

  for (const auto& evidence : evidence_of(episode)) {
    learn(edge, episode.steps[evidence.step], evidence,
          example_of(episode, kernels, evidence, origin_of(episode, kernels, evidence.step)));
  }

  EXPECT_EQ(edge.counts.feasible, 2);
  EXPECT_EQ(edge.counts.infeasible, 3);
  EXPECT_EQ(edge.counts.observations(), 1);
  EXPECT_EQ(edge.better, 1);
  EXPECT_THAT(edge.failures, ElementsAre(testing::Pair("timed_out", 2), testing::Pair("wrong", 1)));
  ASSERT_EQ(edge.examples.size(), 1U) << "a screening is no example";
  EXPECT_EQ(edge.examples[0].before, kernels[0]);
  EXPECT_EQ(edge.examples[0].after, kernels[1]);
  EXPECT_EQ(edge.counts.toolchain, (Toolchain{"13.0", "580.159.04"}));
}

TEST(Join, AddsWhatBothSaw) {
  EdgeStatistics left;
  left.counts.confirmed.add(0.5, 1);
  left.counts.feasible = 1;
  left.better = 1;
  left.failures = {{"wrong", 1}};
  left.examples = {example("t-1", 0.5, 1)};
  EdgeStatistics right;
  right.counts.confirmed.add(0.1, 1);
  right.counts.toolchain = {"13.0", "580.1"};
  right.failures = {{"wrong", 2}, {"crashed", 1}};
  right.examples = {example("t-2", 0.1, 2)};

  join(left, right);

  EXPECT_EQ(left.counts.observations(), 2);
  EXPECT_NEAR(left.counts.confirmed.mean, 0.3, 1e-12);
  EXPECT_EQ(left.counts.toolchain.toolkit, "13.0");
  EXPECT_EQ(left.failures.at("wrong"), 3);
  EXPECT_EQ(left.failures.at("crashed"), 1);
  EXPECT_EQ(left.examples.size(), 2U);
}

}  // namespace
}  // namespace warpmind::knowledge_base
