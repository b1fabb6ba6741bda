#pragma once
/// \file
/// `turns`: refinement in a row with discounted credit (after Kevin).

#include "agents/search/search_policy.h"

#include <map>

namespace warpmind::agents {

struct TurnsOptions {
  std::size_t turns = 8;  ///< of one row
  double boldness = 0.7;  ///< of the draws that choose an edit
  double trust = 0.25;    ///< ln(gain) that one deviation of credit is worth to a technique
};

/// A row starts at the fastest kernel, every second one at the given kernel, and goes on from its
/// last right kernel even where that became slower. When it ends, each turn's discounted return
/// (`reward.h`) is credited to its technique: one that makes the next step fast is chosen again.
/// Rows run one turn at a time.
class TurnsSearch final : public SearchPolicy {
 public:
  explicit TurnsSearch(std::uint64_t seed, TurnsOptions options = {})
      : dice_(seed), options_(options) {}

  [[nodiscard]] std::string_view name() const override { return "turns"; }
  [[nodiscard]] std::optional<Choice> next(const SearchTree& tree, SearchSpace& space) override;
  void learned(const SearchTree& tree, EdgeIndex edge) override;

 private:
  struct Credit {
    double sum = 0;
    double count = 0;
  };

  [[nodiscard]] const ScoredMove* pick(const SearchTree& tree, SearchSpace& space);
  [[nodiscard]] double bonus(const std::string& technique) const;
  void end_row(const SearchTree& tree);

  Dice dice_;
  TurnsOptions options_;
  std::map<std::string, Credit> credits_;  ///< by technique
  Credit all_;
  double all_squares_ = 0;
  std::vector<EdgeIndex> row_;
  NodeIndex at_ = SearchTree::kRoot;
  std::size_t rows_ = 0;
  bool waits_ = false;
};

}  // namespace warpmind::agents
