#include "knowledge_base/graph/edge_reader.h"
#include "knowledge_base/posterior.h"
#include "tests/unit/kb_graph/graph_fixture.h"

#include <cmath>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::knowledge_base {
namespace {

using enum BottleneckClass;
using fakes::EpisodeSketch;
using fakes::StepSketch;
using testing::HasSubstr;

const Task& task() {
  static const Task made = fakes::sample_task("scale");
  return made;
}

double mean_gain(const EdgeStatistics& edge) { return std::exp(edge.counts.confirmed.mean); }

/// A profile that puts a memory_bandwidth state where `busy` says.
Profile profile_at(double dram_pct, double sm_pct, double active_pct) {
  KernelProfile kernel;
  kernel.kernel = "scale";
  kernel.metrics = {
      {"dram__throughput.avg.pct_of_peak_sustained_elapsed", dram_pct, "percent"},
      {"sm__throughput.avg.pct_of_peak_sustained_elapsed", sm_pct, "percent"},
      {"sm__warps_active.avg.pct_of_peak_sustained_active", active_pct, "percent"},
      {"smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio", 0.1, "ratio"},
      {"smsp__thread_inst_executed_per_inst_executed.ratio", 32, "ratio"}};
  Profile profile;
  profile.tier = ProfileTier::t2;
  profile.kernels = {kernel};
  return profile;
}

/// An episode of one step whose baseline has this profile.
Episode profiled(std::int64_t number, const Profile& profile, double ratio = 1.2) {
  Episode episode =
      EpisodeSketch(number, task())
          .step({.technique = "unroll", .ratio = ratio, .bottleneck = memory_bandwidth})
          .finish();
  episode.steps[0].verdict.profile = profile;
  return episode;
}

TEST(ProjectGraph, LearnsThatOrderMatters) {
  GraphBase base;
  // Planted: b gains 1.6 after a and loses before it.
  for (std::int64_t i = 0; i < 6; ++i) {
    const double noise = 1 + 0.01 * static_cast<double>(i % 3);
    ASSERT_TRUE(base.learn(EpisodeSketch(2 * i + 1, task())
                               .step({.technique = "a", .ratio = 1.3 * noise})
                               .step({.technique = "b", .ratio = 1.6 * noise})
                               .finish())
                    .has_value());
    ASSERT_TRUE(
        base.learn(
                EpisodeSketch(2 * i + 2, task())
                    .step({.technique = "b", .outcome = Outcome::regressed, .ratio = 0.7 * noise})
                    .step({.technique = "a", .ratio = 1.3})
                    .finish())
            .has_value());
  }

  const auto b_after_a = base.edge("a", "b");
  const auto b_first = base.edge("", "b");

  EXPECT_NEAR(mean_gain(b_after_a), 1.6, 0.05);
  EXPECT_EQ(b_after_a.counts.observations(), 6);
  EXPECT_EQ(b_after_a.better, 6);
  EXPECT_NEAR(mean_gain(b_first), 0.7, 0.03);
  EXPECT_EQ(b_first.better, 0);
  EXPECT_EQ(base.edge("", "a").counts.observations(), 12)
      << "what did not become the incumbent is nobody's predecessor";
  EXPECT_EQ(base.edge("b", "a").counts.observations(), 0);
}

TEST(ProjectGraph, CreditsAgainstTheIncumbentNeverAgainstABadStepBefore) {
  GraphBase base;
  // `bad` halves the speed; undoing it is no gain over what was there before.
  ASSERT_TRUE(
      base.learn(EpisodeSketch(1, task())
                     .step({.technique = "bad", .outcome = Outcome::regressed, .ratio = 0.5})
                     .step({.technique = "undo", .outcome = Outcome::same, .ratio = 1})
                     .finish())
          .has_value());

  EXPECT_NEAR(mean_gain(base.edge("", "undo")), 1, 1e-12);
  EXPECT_EQ(base.edge("bad", "undo").counts.observations(), 0);
}

TEST(ProjectGraph, CountsByClusterFamilyAndDevice) {
  GraphBase base;
  ASSERT_TRUE(base.learn(EpisodeSketch(1, task(), fakes::h200()).step({.ratio = 1.5}).finish())
                  .has_value());
  ASSERT_TRUE(base.learn(EpisodeSketch(2, task(), fakes::h100()).step({.ratio = 1.2}).finish())
                  .has_value());
  ASSERT_TRUE(base.learn(EpisodeSketch(3, task(), fakes::a100())
                             .step({.ratio = 1.1, .bottleneck = memory_latency})
                             .finish())
                  .has_value());
  const auto seen = [&base](EdgeFilter filter) {
    return base.edge("", "block_size", std::move(filter)).counts.observations();
  };

  EXPECT_EQ(seen({}), 3);
  EXPECT_EQ(seen({.cluster = "low_occupancy"}), 2);
  EXPECT_EQ(seen({.cluster = "low_occupancy", .device = "sm_90"}), 2);
  EXPECT_EQ(seen({.cluster = "low_occupancy", .device = "NVIDIA H200"}), 1);
  EXPECT_EQ(seen({.device = "NVIDIA A100-SXM4-80GB"}), 1);
  EXPECT_EQ(seen({.cluster = "low_occupancy", .device = "sm_80"}), 0);
}

TEST(ProjectGraph, KeepsProvidersApart) {
  GraphBase base;
  ASSERT_TRUE(base.learn(EpisodeSketch(1, task()).step({.ratio = 1.2}).finish()).has_value());
  const auto before = base.edge("", "block_size", {.provider = Provider::gpu});

  for (std::int64_t i = 2; i < 12; ++i) {
    ASSERT_TRUE(
        base.learn(EpisodeSketch(i, task()).step({.ratio = 5}).provider(Provider::sim).finish())
            .has_value());
  }

  EXPECT_EQ(base.edge("", "block_size", {.provider = Provider::gpu}), before);
  EXPECT_NEAR(mean_gain(base.edge("", "block_size", {.provider = Provider::sim})), 5, 1e-9);
  EXPECT_EQ(base.graph().edges({.from = "*"}).value().size(), 2U);
}

TEST(ProjectGraph, LeavesOutHeldOutTasksAndRememberedKernels) {
  GraphBase base;
  const Task heldout = fakes::sample_task("secret", Split::heldout);
  ASSERT_TRUE(base.learn(EpisodeSketch(1, heldout).step({}).finish()).has_value());
  EXPECT_TRUE(base.bytes().empty());

  Episode episode = EpisodeSketch(2, task())
                        .step({.technique = "remembered_kernel", .proposer = "memory"})
                        .step({.technique = "unroll", .ratio = 1.1})
                        .finish();
  episode.steps[1].candidate.parameters = "tiling+vectorize";
  ASSERT_TRUE(base.learn(episode).has_value());

  const auto edges = base.graph().edges({.from = "*"}).value();
  ASSERT_EQ(edges.size(), 1U);
  EXPECT_EQ(edges[0].from, "vectorize") << "the newest technique in the remembered kernel";
  EXPECT_EQ(edges[0].to, "unroll");
}

TEST(ProjectGraph, PutsStatesIntoClustersAndTellsThemApart) {
  GraphBase base;
  const Profile named = profile_at(90, 30, 75);
  const Profile odd = profile_at(75, 5, 10);
  ASSERT_TRUE(base.learn(profiled(1, odd, 2)).has_value());
  ASSERT_TRUE(base.learn(profiled(2, odd, 2)).has_value());
  Episode usual = profiled(3, named, 1.1);
  usual.steps[0].verdict.profile->kernels[0].metrics[3].value = 18;
  ASSERT_TRUE(base.learn(usual).has_value());

  const auto in = [&base](const std::string& cluster) {
    return base.edge("", "unroll", {.cluster = cluster}).counts;
  };
  EXPECT_EQ(in("memory_bandwidth/1").observations(), 2);
  EXPECT_NEAR(std::exp(in("memory_bandwidth/1").confirmed.mean), 2, 1e-9);
  EXPECT_EQ(in("memory_bandwidth").observations(), 3) << "a class holds all its states";
  EXPECT_EQ(base.graph().cluster_of(EpisodeId("e-0000000001"), 1).value(), "memory_bandwidth/1");
  EXPECT_EQ(base.graph().cluster_of(EpisodeId("e-0000000003"), 1).value(), "memory_bandwidth");
  EXPECT_EQ(base.graph().cluster_of(EpisodeId("e-0000000003"), 0).value(), std::nullopt);
  EXPECT_FALSE(base.graph().cluster_of(EpisodeId("nonsense"), 0).has_value());
  std::int64_t members = 0;
  const auto clusters = base.graph().clusters().value();
  for (const auto& cluster : clusters) members += cluster.members;
  EXPECT_EQ(members, 3);
}

TEST(ProjectGraph, AKernelIsOneMemberHoweverOftenItIsEdited) {
  GraphBase base;
  EpisodeSketch sketch(1, task());
  for (int i = 0; i < 5; ++i) {
    sketch.step({.technique = "t" + std::to_string(i),
                 .outcome = Outcome::regressed,
                 .ratio = 0.9,
                 .bottleneck = memory_bandwidth});
  }
  Episode episode = sketch.finish();
  episode.steps[0].verdict.profile = profile_at(75, 5, 10);
  ASSERT_TRUE(base.learn(episode).has_value());

  const auto clusters = base.graph().clusters().value();
  for (const auto& cluster : clusters) {
    EXPECT_EQ(cluster.members, cluster.id == "memory_bandwidth/1" ? 1 : 0) << cluster.id;
  }
}

TEST(ProjectGraph, ReadsMergedClustersThroughTheOneThatTookThemIn) {
  GraphBase base;
  ASSERT_TRUE(base.learn(profiled(1, profile_at(75, 0, 0))).has_value());
  ASSERT_TRUE(base.learn(profiled(2, profile_at(75, 0, 80))).has_value());
  ASSERT_EQ(base.graph().cluster_of(EpisodeId("e-0000000002"), 1).value(), "memory_bandwidth/2");
  std::int64_t number = 3;
  for (; number < 60; ++number) {
    ASSERT_TRUE(
        base.learn(profiled(number, profile_at(75, 0, number % 2 == 1 ? 31 : 50))).has_value());
    if (base.graph().cluster_of(EpisodeId("e-0000000002"), 1).value() != "memory_bandwidth/2")
      break;
  }

  ASSERT_LT(number, 60) << "the two states never met";
  EXPECT_EQ(base.graph().cluster_of(EpisodeId("e-0000000002"), 1).value(), "memory_bandwidth/1");
  EXPECT_EQ(base.edge("", "unroll", {.cluster = "memory_bandwidth/1"}).counts.observations(),
            number);
  EXPECT_EQ(base.edge("", "unroll", {.cluster = "memory_bandwidth/2"}),
            base.edge("", "unroll", {.cluster = "memory_bandwidth/1"}));
  std::int64_t by_cluster = 0;
  const auto all = base.graph().edges({.from = "*", .cluster = "*"}).value();
  for (const auto& edge : all) {
    if (edge.cluster == "memory_bandwidth/1") by_cluster += edge.counts.observations();
    EXPECT_NE(edge.cluster, "memory_bandwidth/2");
  }
  EXPECT_EQ(by_cluster, number);
  const auto key = EdgeKey{{Provider::gpu, "", "unroll", "memory_bandwidth/2", "", "NVIDIA H200"},
                           EdgeLevel::device};
  const auto counts = base.base().read([&key](const Database& database, const std::string&) {
    return EdgeReader(database).counts(key);
  });
  EXPECT_EQ(counts.value().observations(), number);
}

TEST(ProjectGraph, TheSameLogGivesTheSameBytes) {
  std::mt19937 draw(17);
  std::uniform_real_distribution<double> share(0, 100);
  std::vector<Episode> log;
  for (std::int64_t number = 1; number <= 60; ++number) {
    EpisodeSketch sketch(number, fakes::sample_task("task " + std::to_string(number % 3)),
                         number % 2 == 0 ? fakes::h200() : fakes::a100());
    for (int i = 0; i < 3; ++i) {
      const bool gained = draw() % 2 == 0;
      sketch.step({.technique = "t" + std::to_string(draw() % 4),
                   .outcome = gained ? Outcome::improved : Outcome::wrong,
                   .ratio = 1 + share(draw) / 100,
                   .processes = gained ? 7 : 0,
                   .bottleneck = draw() % 2 == 0 ? memory_bandwidth : memory_latency});
    }
    Episode episode = sketch.finish();
    for (auto& step : episode.steps) {
      step.verdict.profile = profile_at(share(draw), share(draw), share(draw));
    }
    log.push_back(std::move(episode));
  }
  GraphBase once;
  GraphBase twice;
  for (const auto& episode : log) ASSERT_TRUE(once.learn(episode).has_value());
  for (const auto& episode : log) ASSERT_TRUE(twice.learn(episode).has_value());

  EXPECT_EQ(once.bytes(), twice.bytes());
  EXPECT_GT(once.bytes().size(), 100U);
  const auto rebuilt = once.base().write(0, [&log](ChangeSet& change) -> Result<void> {
    change.erase_all(Family::edges, "");
    for (const auto& episode : log) {
      WARPMIND_CHECK(project_graph(change, episode, kernel_ids(episode)));
    }
    change.describe("rebuild", {});
    return {};
  });
  ASSERT_TRUE(rebuilt.has_value());
  EXPECT_EQ(once.bytes(), twice.bytes()) << "after all of it was made again in one change";
}

TEST(Edges, RefusesWhatItCannotAnswerInASentence) {
  GraphBase base;
  const auto error = [&base](EdgeFilter filter) {
    return base.graph().edges(filter).error().message;
  };

  EXPECT_THAT(error({.limit = 100'000}), HasSubstr("100000 edges were asked for"));
  EXPECT_THAT(error({.limit = 0}), HasSubstr("1 to 1000"));
  EXPECT_THAT(error({.cluster = "bogus"}), HasSubstr("must begin with one of memory_bandwidth"));
  EXPECT_THAT(error({.cluster = "memory_latency/99"}), HasSubstr("there is no cluster"));
}

TEST(ClusterOf, FindsTheStateOfAProfileAndFallsBackToTheClass) {
  GraphBase base;
  const std::map<std::string, double> saturated{
      {"dram_share", 0.85}, {"sm_share", 0.7}, {"occupancy.active", 0.7}, {"lanes", 1}};
  const std::map<std::string, double> odd{
      {"dram_share", 0}, {"sm_share", 1}, {"occupancy.active", 0}, {"lanes", 0}};

  EXPECT_EQ(base.graph().cluster_of(memory_bandwidth, saturated).value(),
            "memory_bandwidth/with_compute");
  EXPECT_EQ(base.graph().cluster_of(memory_bandwidth, odd).value(), "memory_bandwidth");
  EXPECT_TRUE(base.bytes().empty()) << "asking changes nothing";
}

}  // namespace
}  // namespace warpmind::knowledge_base
