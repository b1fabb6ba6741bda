/// \file
/// Search policies on landscapes with a known optimum. Figures of docs/search.md.

#include "agents/search/graph_search.h"
#include "tests/unit/agents/planted_landscape.h"

#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::agents {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kFirstSeed = 5000;  // constants were chosen with other seeds
constexpr int kSeeds = 20;

struct PolicyCase {
  const char* policy;
  Ground ground;
  bool memory;
  std::int64_t judgements;
  int found;  ///< of kSeeds, at least
};

void PrintTo(const PolicyCase& one, std::ostream* out) {
  const char* const grounds[] = {"chain", "detour", "trap"};
  *out << one.policy << "_" << grounds[static_cast<int>(one.ground)]
       << (one.memory ? "_memory_" : "_alone_") << one.judgements;
}

class PolicyTest : public testing::TestWithParam<PolicyCase> {
 protected:
  static int found_by(const PolicyCase& one, std::size_t workers) {
    int found = 0;
    for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + kSeeds; ++seed) {
      PlantedLandscape landscape(one.ground, seed);
      if (one.memory) landscape.give_memory();
      const auto policy = make_search_policy(one.policy, seed).value();
      if (landscape.run(*policy, one.judgements, workers) > 0) ++found;
    }
    return found;
  }
};

TEST_P(PolicyTest, FindsThePlantedWay) { EXPECT_GE(found_by(GetParam(), 1), GetParam().found); }

INSTANTIATE_TEST_SUITE_P(All, PolicyTest,
                         testing::Values(PolicyCase{"greedy", Ground::chain, false, 60, 20},
                                         PolicyCase{"greedy", Ground::detour, false, 120, 18},
                                         PolicyCase{"fsr", Ground::chain, false, 60, 20},
                                         PolicyCase{"fsr", Ground::detour, false, 130, 18},
                                         PolicyCase{"mcgs", Ground::chain, false, 60, 16},
                                         PolicyCase{"mcgs", Ground::detour, false, 120, 15},
                                         PolicyCase{"mcgs", Ground::chain, true, 60, 18},
                                         PolicyCase{"mcgs", Ground::detour, true, 60, 18},
                                         PolicyCase{"mcgs", Ground::trap, true, 60, 18},
                                         PolicyCase{"evolve", Ground::chain, true, 60, 14},
                                         PolicyCase{"turns", Ground::chain, true, 60, 14},
                                         PolicyCase{"auto", Ground::chain, true, 60, 19},
                                         PolicyCase{"auto", Ground::detour, true, 120, 16}),
                         [](const auto& tested) { return testing::PrintToString(tested.param); });

/// The control: a landscape that chance alone walks through would prove nothing.
class RandomWalk final : public SearchPolicy {
 public:
  explicit RandomWalk(std::uint64_t seed) : dice_(seed) {}
  [[nodiscard]] std::string_view name() const override { return "random"; }
  [[nodiscard]] std::optional<Choice> next(const SearchTree& tree, SearchSpace& space) override {
    std::vector<Choice> all;
    for (NodeIndex node = 0; node < tree.nodes().size(); ++node) {
      if (tree.node(node).judgement.end != CandidateEnd::measured) continue;
      for (const auto& one : space.moves(node)) {
        if (!tree.was_started(node, one.move)) all.push_back({node, one.move, tree.way_to(node)});
      }
    }
    if (all.empty()) return std::nullopt;
    return all[static_cast<std::size_t>(dice_.uniform() * static_cast<double>(all.size()))];
  }
  void learned(const SearchTree& /*tree*/, EdgeIndex /*edge*/) override {}

 private:
  Dice dice_;
};

TEST(RandomWalkTest, RarelyFindsThePlantedWay) {
  int found = 0;
  for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + kSeeds; ++seed) {
    PlantedLandscape landscape(Ground::chain, seed);
    RandomWalk walk(seed);
    if (landscape.run(walk, 60) > 0) ++found;
  }
  EXPECT_LE(found, 5);
}

TEST(SearchPolicyTest, WorkersSideBySideFindIt) {
  int found = 0;
  for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + kSeeds; ++seed) {
    PlantedLandscape landscape(Ground::detour, seed);
    landscape.give_memory();
    GraphSearch policy(seed);
    if (landscape.run(policy, 60, 4) > 0) ++found;
  }
  EXPECT_GE(found, 18);
}

TEST(SearchPolicyTest, TheSameSeedMakesTheSameSearch) {
  for (const char* name : {"greedy", "fsr", "mcgs", "evolve", "turns", "auto"}) {
    PlantedLandscape first(Ground::trap, 3);
    PlantedLandscape second(Ground::trap, 3);
    (void)first.run(*make_search_policy(name, 11).value(), 40);
    (void)second.run(*make_search_policy(name, 11).value(), 40);
    ASSERT_EQ(first.tree().nodes().size(), second.tree().nodes().size()) << name;
    for (NodeIndex i = 0; i < first.tree().nodes().size(); ++i) {
      EXPECT_EQ(first.tree().node(i).key, second.tree().node(i).key) << name;
    }
  }
}

TEST(SearchPolicyTest, NoEditIsTriedTwice) {
  for (const char* name : {"greedy", "fsr", "mcgs", "evolve", "turns", "auto"}) {
    PlantedLandscape landscape(Ground::trap, 4);
    (void)landscape.run(*make_search_policy(name, 12).value(), 150);
    for (const auto& node : landscape.tree().nodes()) {
      std::set<std::string> tried;
      for (const EdgeIndex edge : node.out) {
        const Move& move = landscape.tree().edge(edge).move;
        EXPECT_TRUE(tried.insert(move.technique + move.parameters).second) << name;
      }
    }
  }
}

TEST(SearchPolicyTest, AnUnknownNameIsRefusedWithTheNamesThereAre) {
  const auto policy = make_search_policy("magic", 1);
  ASSERT_FALSE(policy.has_value());
  EXPECT_EQ(policy.error().code, Errc::invalid_argument);
  EXPECT_THAT(policy.error().message, HasSubstr("greedy, fsr, mcgs, evolve, turns or auto"));
}

}  // namespace
}  // namespace warpmind::agents
