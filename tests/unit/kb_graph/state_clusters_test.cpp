#include "knowledge_base/graph/state_clusters.h"

#include "knowledge_base/graph/seed_states.h"

#include <algorithm>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::knowledge_base {
namespace {

using enum BottleneckClass;
using testing::StartsWith;

Features profile(double dram, double sm, double stall, double active) {
  return {{"dram_share", dram},
          {"sm_share", sm},
          {"stall.long_scoreboard", stall},
          {"occupancy.active", active},
          {"lanes", 1}};
}

const Features kSaturated = profile(0.9, 0.3, 0.6, 0.8);
/// Far from every state of the class that the seed names.
const Features kOdd = profile(0.75, 0.05, 0.0, 0.1);

const StateCluster& find(const std::vector<StateCluster>& states, const std::string& id) {
  return *std::find_if(states.begin(), states.end(),
                       [&id](const StateCluster& state) { return state.id == id; });
}

TEST(StateDistance, IsTheMeanDifferenceOverWhatBothHave) {
  EXPECT_EQ(distance({{"a", 1}, {"b", 0}, {"c", 0}, {"x", 9}}, {{"a", 0}, {"b", 0}, {"c", 0}}),
            std::sqrt(1.0 / 3));
  EXPECT_EQ(distance({{"a", 1}, {"b", 0}}, {{"a", 0}, {"b", 0}}), std::nullopt) << "too few";
  EXPECT_EQ(distance({{"a", 1}, {"b", 0}, {"c", 1}, {"bottleneck.unknown", 1}},
                     {{"a", 1}, {"b", 0}, {"c", 1}, {"bottleneck.unknown", 0}}),
            0)
      << "the class is the same by construction";
}

TEST(SeedStates, EveryClassHasOneAndNoTwoOfThemAreNear) {
  for (const auto& [bottleneck, name] : EnumNames<BottleneckClass>::table) {
    const auto states = seed_states(bottleneck);
    ASSERT_FALSE(states.empty()) << name;
    EXPECT_EQ(states.front().id, name);
    for (std::size_t i = 0; i < states.size(); ++i) {
      EXPECT_EQ(states[i].source, "seed");
      EXPECT_EQ(states[i].bottleneck, bottleneck);
      EXPECT_NE(states[i].name, "");
      for (std::size_t k = 0; k < i; ++k) {
        const auto apart = distance(states[i].centroid, states[k].centroid);
        EXPECT_GT(apart.value_or(1), kMergeDistance) << states[i].id << " " << states[k].id;
      }
    }
  }
}

TEST(SeedStates, EachNameOfTheForeignTaxonomyHasAStateOfOurs) {
  const std::array names{"high_level_inefficiency",
                         "memory_bandwidth_saturated",
                         "memory_latency_bound",
                         "memory_bank_conflicts",
                         "cache_inefficient",
                         "compute_throughput_saturated",
                         "instruction_mix_suboptimal",
                         "thread_divergence_high",
                         "low_occupancy_register_pressure",
                         "low_occupancy_shared_memory",
                         "insufficient_parallelism",
                         "hybrid_bound",
                         "memory_compute_balanced",
                         "latency_memory_bound",
                         "api_overhead_dominant",
                         "transfer_bandwidth_limited"};
  std::set<std::string> ours;
  for (const std::string name : names) {
    const auto state = state_for_kernelblaster(name);
    ASSERT_TRUE(state.has_value()) << name;
    bool exists = false;
    for (const auto& [bottleneck, text] : EnumNames<BottleneckClass>::table) {
      for (const auto& seed : seed_states(bottleneck)) exists = exists || seed.id == *state;
    }
    EXPECT_TRUE(exists) << *state;
    ours.insert(std::string(*state));
  }
  EXPECT_EQ(ours.size(), names.size()) << "no two of them are one";
  EXPECT_EQ(state_for_kernelblaster("something_else"), std::nullopt);
}

TEST(TakeIn, WhatIsNearANamedStateIsOfIt) {
  auto states = seed_states(memory_bandwidth);
  const auto before = states.front().centroid.at("dram_share");

  EXPECT_EQ(take_in(states, memory_bandwidth, kSaturated), "memory_bandwidth");
  EXPECT_EQ(take_in(states, memory_bandwidth, profile(0.82, 0.8, 0.35, 0.7)),
            "memory_bandwidth/with_compute");

  EXPECT_EQ(states.front().members, 1);
  EXPECT_NEAR(states.front().centroid.at("dram_share"), before + (0.9 - before) / 9, 1e-12)
      << "the seed weighs eight members";
  EXPECT_EQ(states.size(), seed_states(memory_bandwidth).size());
}

TEST(TakeIn, MakesAStateOfWhatIsLikeNoneAndFindsItAgain) {
  auto states = seed_states(memory_bandwidth);

  const std::string made = take_in(states, memory_bandwidth, kOdd);
  const std::string again = take_in(states, memory_bandwidth, profile(0.7, 0.1, 0.05, 0.15));

  EXPECT_EQ(made, "memory_bandwidth/1");
  EXPECT_EQ(again, made);
  EXPECT_EQ(find(states, made).source, "data");
  EXPECT_EQ(find(states, made).members, 2);
  EXPECT_NEAR(find(states, made).centroid.at("dram_share"), (0.75 + 0.7) / 2, 1e-12);
  EXPECT_EQ(nearest(states, memory_bandwidth, kOdd), made);
}

TEST(TakeIn, TheThresholdIsWhatTheHeaderSays) {
  auto states = seed_states(memory_bandwidth);
  const std::string first = take_in(states, memory_bandwidth, kOdd);
  const auto moved = [](double by) {
    Features away = kOdd;
    for (auto& [name, value] : away) value -= by;
    return away;
  };

  EXPECT_EQ(nearest(states, memory_bandwidth, moved(kNewStateDistance - 0.01)), first);
  EXPECT_EQ(nearest(states, memory_bandwidth, moved(kNewStateDistance + 0.01)), "") << "a new one";
}

TEST(TakeIn, AVectorThatSaysTooLittleStaysWithItsClass) {
  auto states = seed_states(memory_bandwidth);
  const auto centroid = states.front().centroid;

  EXPECT_EQ(take_in(states, memory_bandwidth, {}), "memory_bandwidth");
  EXPECT_EQ(take_in(states, memory_bandwidth, {{"dram_share", 0}, {"sm_share", 0}}),
            "memory_bandwidth");

  EXPECT_EQ(states.front().centroid, centroid);
  EXPECT_EQ(states.front().members, 2);
}

TEST(TakeIn, AClassWithoutACentroidLearnsItFromItsFirstMember) {
  auto states = seed_states(unknown);
  const Features first = profile(0.05, 0.1, 0.9, 0.1);

  EXPECT_EQ(take_in(states, unknown, profile(0.45, 0.45, 0.4, 0.6)), "unknown/balanced");
  EXPECT_EQ(take_in(states, unknown, first), "unknown");
  EXPECT_EQ(states.front().centroid, first);
  EXPECT_EQ(take_in(states, unknown, profile(1, 0.9, 0.0, 1)), "unknown/1");
}

TEST(TakeIn, StatesThatDriftTogetherBecomeTheOlderOne) {
  auto states = seed_states(memory_bandwidth);
  const Features left = profile(0.75, 0.0, 0.0, 0.0);
  const Features right = profile(0.75, 0.0, 0.0, 0.6);
  ASSERT_EQ(take_in(states, memory_bandwidth, left), "memory_bandwidth/1");
  ASSERT_EQ(take_in(states, memory_bandwidth, right), "memory_bandwidth/2");

  // Members that lie between pull both centroids towards the middle.
  std::string last;
  for (int i = 0; i < 60 && find(states, "memory_bandwidth/2").merged_into.empty(); ++i) {
    last = take_in(states, memory_bandwidth, profile(0.75, 0.0, 0.0, i % 2 == 0 ? 0.22 : 0.36));
  }

  EXPECT_EQ(find(states, "memory_bandwidth/2").merged_into, "memory_bandwidth/1");
  EXPECT_EQ(last, "memory_bandwidth/1");
  EXPECT_EQ(alive(states, "memory_bandwidth/2"), "memory_bandwidth/1");
  EXPECT_EQ(nearest(states, memory_bandwidth, right), "memory_bandwidth/1");
  const auto members = find(states, "memory_bandwidth/1").members;
  EXPECT_GE(members, 4) << "those of both";
  EXPECT_EQ(take_in(states, memory_bandwidth, profile(0.0, 1.0, 1.0, 1.0)), "memory_bandwidth/3")
      << "a number is never given twice";
}

TEST(TakeIn, TheSeedNeverMerges) {
  auto states = seed_states(low_occupancy);
  for (int i = 0; i < 200; ++i) {
    const std::string id = take_in(states, low_occupancy,
                                   {{"occupancy.theoretical", 0.35},
                                    {"occupancy.active", 0.28},
                                    {"registers", 0.4},
                                    {"shared_bytes", 0.4},
                                    {"dram_share", 0.3},
                                    {"sm_share", 0.3}});
    EXPECT_THAT(id, StartsWith("low_occupancy"));
  }
  for (const auto& state : states) {
    EXPECT_TRUE(state.source == "data" || state.merged_into.empty()) << state.id;
  }
}

TEST(TakeIn, AClassHoldsABoundedNumberOfStates) {
  auto states = seed_states(memory_latency);
  std::mt19937 draw(7);
  std::uniform_real_distribution<double> share(0, 1);
  for (int i = 0; i < 3000; ++i) {
    Features features;
    for (const char* name : {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"}) {
      features[name] = share(draw) < 0.5 ? 0 : 1;
    }
    const std::string id = take_in(states, memory_latency, features);
    EXPECT_THAT(id, StartsWith("memory_latency"));
    EXPECT_EQ(alive(states, id), id);
  }
  const auto living = std::count_if(states.begin(), states.end(),
                                    [](const auto& state) { return state.merged_into.empty(); });
  EXPECT_LE(living, static_cast<std::ptrdiff_t>(kMostStates));
}

TEST(TakeIn, IsAFunctionOfTheOrderOfWhatItSaw) {
  std::mt19937 draw(11);
  std::uniform_real_distribution<double> share(0, 1);
  std::vector<Features> seen;
  for (int i = 0; i < 300; ++i) {
    seen.push_back(profile(share(draw), share(draw), share(draw), share(draw)));
  }
  auto once = seed_states(extra_traffic);
  auto twice = seed_states(extra_traffic);

  for (const auto& features : seen) {
    EXPECT_EQ(take_in(once, extra_traffic, features), take_in(twice, extra_traffic, features));
  }

  EXPECT_EQ(once, twice);
  EXPECT_GT(once.size(), seed_states(extra_traffic).size()) << "the data made states";
}

}  // namespace
}  // namespace warpmind::knowledge_base
