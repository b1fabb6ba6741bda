#pragma once
/// \file
/// `mcgs`: search over the graph of kernels (after ReGraphT's Monte Carlo graph search, corrected).

#include "agents/search/search_policy.h"

namespace warpmind::agents {

struct GraphSearchOptions {
  double exploration = 0.1;  ///< c of the upper confidence bound, in ln(gain)
  double expansion = 1.0;    ///< the same for the arm that tries a new edit
  double best_share = 0.5;   ///< value of an edge = share × best + (1 - share) × mean
  double boldness = 0.5;     ///< of the draws that order untried edits
  std::size_t depth = 8;     ///< most edits in a row
  double onward = 0.25;      ///< share of choices that go on from the fastest kernel
};

/// Each choice descends from the given kernel. At a kernel, the judged edits compete by
///   max(Q(edge), promise) + c sqrt(ln N(kernel) / n(edge)),  Q = share × best + (1 - share) × mean
/// where the promise is what the best untried edit of the kernel behind is expected to reach: so
/// memory leads through an edit that pays only with the next one,
/// with one more arm, the best untried edit of the kernel itself:
///   value(kernel) + expectation(edit) + e sqrt(ln N(kernel)) / (1 + edits tried here).
/// One choice in four instead goes on from the fastest kernel, as a rollout would: bounds alone
/// come back to a long way too seldom. Counts are those of the edge that was followed, not of the
/// kernel behind it, so that a kernel with two ways in gives each way its own credit. Candidates
/// under way count as visits with the parent's value: parallel workers spread.
class GraphSearch final : public SearchPolicy {
 public:
  explicit GraphSearch(std::uint64_t seed, GraphSearchOptions options = {})
      : dice_(seed), options_(options) {}

  [[nodiscard]] std::string_view name() const override { return "mcgs"; }
  [[nodiscard]] std::optional<Choice> next(const SearchTree& tree, SearchSpace& space) override;
  void learned(const SearchTree& /*tree*/, EdgeIndex /*edge*/) override {}

 private:
  [[nodiscard]] std::optional<Choice> descend(const SearchTree& tree, SearchSpace& space,
                                              NodeIndex node, std::vector<EdgeIndex>& path);
  [[nodiscard]] double edge_value(const SearchTree& tree, const SearchEdge& edge) const;

  /// What the best untried edit of a kernel is expected to reach.
  [[nodiscard]] double promise(const SearchTree& tree, SearchSpace& space, NodeIndex node);

  Dice dice_;
  GraphSearchOptions options_;
};

}  // namespace warpmind::agents
