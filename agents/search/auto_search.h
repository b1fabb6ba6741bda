#pragma once
/// \file
/// `auto`: a bandit over the other policies, all of them on the same tree.

#include "agents/search/search_policy.h"

namespace warpmind::agents {

/// Each choice is made by the policy with the greatest
///   mean reward + c sqrt(ln choices / its choices),
/// where the reward of a choice is the share by which it raised the best ln(gain), at most 1.
class AutoSearch final : public SearchPolicy {
 public:
  explicit AutoSearch(std::uint64_t seed);

  [[nodiscard]] std::string_view name() const override { return "auto"; }
  [[nodiscard]] std::optional<Choice> next(const SearchTree& tree, SearchSpace& space) override;
  void learned(const SearchTree& tree, EdgeIndex edge) override;

 private:
  struct Arm {
    std::unique_ptr<SearchPolicy> policy;
    double reward = 0;
    double judged = 0;
    double chosen = 0;
  };
  struct Pending {
    std::size_t arm = 0;
    NodeIndex from = 0;
    Move move;
  };

  [[nodiscard]] std::vector<std::size_t> order() const;

  std::vector<Arm> arms_;
  std::vector<Pending> pending_;
  double best_seen_ = 0;
};

}  // namespace warpmind::agents
