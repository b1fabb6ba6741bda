#pragma once
/// \file
/// Landscapes with a known optimum, to try search policies on: no compiler, no clock.

#include "agents/search/episode_learning.h"
#include "agents/search/search_policy.h"

#include <cstdint>
#include <string>
#include <vector>

namespace warpmind::agents {

enum class Ground {
  chain,   ///< four edits in order are worth 6x; each pays when it is made
  detour,  ///< the same, but the first edit costs 5 % and pays later only
  trap,    ///< the same, and another edit is worth 1.6x at once and closes the way
};

/// Twelve techniques: four of the planted way, two that fail to build, two that come out wrong, one
/// trap (small where there is none), three small gains that go with everything. Which is which
/// follows from the seed.
class PlantedLandscape final : public SearchSpace {
 public:
  static constexpr int kTechniques = 12;
  static constexpr double kPlanted = 1.791759469228055;  ///< ln 6

  PlantedLandscape(Ground ground, std::uint64_t seed);

  [[nodiscard]] std::span<const ScoredMove> moves(NodeIndex node) override;
  /// What memory of such tasks would expect: the planted edit after its forerunner is known with
  /// some error, everything else is not.
  void give_memory() { remembers_ = true; }

  /// Runs a policy for so many judgements with so many candidates under way; how many judgements
  /// it needed for the whole planted way, or 0 if it never got there.
  [[nodiscard]] std::int64_t run(SearchPolicy& policy, std::int64_t judgements,
                                 std::size_t workers = 1);
  [[nodiscard]] const SearchTree& tree() const { return tree_; }

 private:
  /// What has been done to a kernel.
  struct State {
    int planted = 0;  ///< steps of the way made, in order
    bool trapped = false;
    std::vector<bool> used = std::vector<bool>(kTechniques, false);
  };

  [[nodiscard]] static std::string key_of(const State& state);
  [[nodiscard]] double log_gain_of(const State& state) const;
  [[nodiscard]] int technique_of(const Move& move) const;
  void judge(EdgeIndex edge);

  Ground ground_;
  std::vector<int>
      role_;  ///< by technique: 0-3 planted, 4-5 unbuildable, 6-7 wrong, 8 trap, 9- small
  std::vector<double> small_;
  bool remembers_ = false;
  EpisodeLearning learning_;
  SearchTree tree_;
  std::vector<State> states_;  ///< by node
  std::vector<ScoredMove> answer_;
};

}  // namespace warpmind::agents
