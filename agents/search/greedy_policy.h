#pragma once
/// \file
/// Hill climbing: the most promising untried move on the incumbent; an improvement becomes the
/// incumbent. The first of the search policies.

#include "agents/proposer.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpmind::agents {

/// Ranks by expected gain: what the base predicts for the technique where it has evidence, the
/// proposer's own guess where it has none, both with what the shown insights say of the move, times
/// the chance that the candidate is correct. Each
/// miss of a technique in this episode discounts its other variants, so that no technique eats
/// the budget.
class GreedyPolicy {
 public:
  /// nullopt when every move was tried.
  [[nodiscard]] std::optional<Move> next(const std::vector<Move>& moves,
                                         const Advice& advice) const;
  /// A move was taken; it will not be chosen again on the same incumbent.
  void tried(const Move& move);
  /// Outcome of a judged move.
  void learned(const Move& move, bool improved);
  /// A new incumbent: its moves are new, the memory of misses stays.
  void incumbent_changed();

 private:
  [[nodiscard]] double score(const Move& move, const Advice& advice) const;

  std::map<std::string, int> misses_;  ///< by technique
  std::map<std::pair<std::string, std::string>, int> missed_moves_;
  std::vector<std::pair<std::string, std::string>> tried_;
  std::string previous_;  ///< technique of the last improvement
};

}  // namespace warpmind::agents
