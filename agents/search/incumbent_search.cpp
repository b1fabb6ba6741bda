#include "agents/search/incumbent_search.h"

#include <algorithm>

namespace warpmind::agents {

std::vector<NodeIndex> right_kernels(const SearchTree& tree) {
  std::vector<NodeIndex> right;
  for (NodeIndex i = 0; i < tree.nodes().size(); ++i) {
    if (tree.node(i).judgement.end == CandidateEnd::measured) right.push_back(i);
  }
  std::stable_sort(right.begin(), right.end(), [&](NodeIndex a, NodeIndex b) {
    return tree.node(a).judgement.log_gain > tree.node(b).judgement.log_gain;
  });
  return right;
}

namespace {

/// The first of `kernels` that has an untried edit, with that edit.
std::optional<Choice> first_untried(const SearchTree& tree, SearchSpace& space,
                                    const std::vector<NodeIndex>& kernels, double boldness,
                                    Dice& dice) {
  for (const NodeIndex node : kernels) {
    if (const ScoredMove* move = best_untried(tree, space, node, boldness, dice)) {
      return Choice{node, move->move, tree.way_to(node)};
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Choice> GreedySearch::next(const SearchTree& tree, SearchSpace& space) {
  Dice none(0);
  return first_untried(tree, space, right_kernels(tree), 0, none);
}

std::optional<Choice> RoundSearch::next(const SearchTree& tree, SearchSpace& space) {
  if (chosen_ >= width_) {
    if (pending_ > 0) return std::nullopt;  // the round must end first
    chosen_ = 0;
  }
  if (chosen_ == 0) base_ = tree.best();
  auto kernels = right_kernels(tree);
  // The base first; the others are for when it has nothing left.
  const auto base = std::find(kernels.begin(), kernels.end(), base_);
  std::rotate(kernels.begin(), base, base + 1);
  auto choice = first_untried(tree, space, kernels, 1, dice_);
  if (choice) {
    ++chosen_;
    ++pending_;
  }
  return choice;
}

void RoundSearch::learned(const SearchTree& /*tree*/, EdgeIndex /*edge*/) { --pending_; }

}  // namespace warpmind::agents
