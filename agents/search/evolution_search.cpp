#include "agents/search/evolution_search.h"

#include "agents/search/incumbent_search.h"
#include "base/sequence.h"

#include <algorithm>
#include <cmath>

namespace warpmind::agents {
namespace {

/// Weight of each kernel of the archive as a parent.
std::vector<double> parent_weights(const SearchTree& tree, const std::vector<NodeIndex>& archive) {
  constexpr double kLeastSpread = 0.05;  // equal kernels are equally good parents
  std::vector<double> gains;
  gains.reserve(archive.size());
  for (const NodeIndex node : archive) gains.push_back(tree.node(node).judgement.log_gain);
  const double middle = median_of(gains);
  std::vector<double> distances;
  distances.reserve(gains.size());
  for (const double gain : gains) distances.push_back(std::abs(gain - middle));
  const double spread = std::max(median_of(distances), kLeastSpread);
  std::vector<double> weights;
  for (std::size_t i = 0; i < archive.size(); ++i) {
    const auto children = static_cast<double>(tree.node(archive[i]).out.size());
    weights.push_back(1 / (1 + std::exp(-(gains[i] - middle) / spread)) / (1 + children));
  }
  return weights;
}

}  // namespace

std::optional<Choice> EvolutionSearch::next(const SearchTree& tree, SearchSpace& space) {
  auto kernels = right_kernels(tree);
  // Kernels without an untried edit make room for the next ones.
  std::erase_if(kernels, [&](NodeIndex node) {
    return best_untried(tree, space, node, 0, dice_) == nullptr;
  });
  if (kernels.empty()) return std::nullopt;
  kernels.resize(std::min(kernels.size(), options_.archive));
  const NodeIndex parent = kernels[dice_.weighted(parent_weights(tree, kernels))];
  if (dice_.uniform() < options_.recombination) {
    if (auto choice = recombine(tree, space, parent, kernels)) return choice;
  }
  const ScoredMove* move = best_untried(tree, space, parent, options_.boldness, dice_);
  return Choice{parent, move->move, tree.way_to(parent)};
}

std::optional<Choice> EvolutionSearch::recombine(const SearchTree& tree, SearchSpace& space,
                                                 NodeIndex parent,
                                                 const std::vector<NodeIndex>& archive) {
  const NodeIndex other =
      archive[static_cast<std::size_t>(dice_.uniform() * static_cast<double>(archive.size()))];
  for (const EdgeIndex index : tree.way_to(other)) {
    const Move& wanted = tree.edge(index).move;
    if (tree.was_started(parent, wanted)) continue;
    for (const auto& one : space.moves(parent)) {
      if (one.move.technique != wanted.technique || one.move.parameters != wanted.parameters) {
        continue;
      }
      return Choice{parent, one.move, tree.way_to(parent)};
    }
  }
  return std::nullopt;
}

}  // namespace warpmind::agents
