#include "agents/search/graph_search.h"

#include <algorithm>
#include <cmath>

namespace warpmind::agents {
namespace {

struct Arm {
  double bound = 0;
  std::optional<EdgeIndex> edge;  ///< nullopt: the untried edit
};

}  // namespace

double GraphSearch::edge_value(const SearchTree& tree, const SearchEdge& edge) const {
  const double loss = tree.node(edge.from).judgement.log_gain;
  const auto known = static_cast<double>(edge.visits);
  const auto pending = static_cast<double>(edge.pending);
  const double mean = (edge.sum + pending * loss) / (known + pending);
  return options_.best_share * edge.best + (1 - options_.best_share) * mean;
}

double GraphSearch::promise(const SearchTree& tree, SearchSpace& space, NodeIndex node) {
  const double here = tree.node(node).judgement.log_gain;
  const ScoredMove* move = best_untried(tree, space, node, 0, dice_);
  return move == nullptr ? here : here + expected_value(*move, move->log_gain);
}

std::optional<Choice> GraphSearch::next(const SearchTree& tree, SearchSpace& space) {
  std::vector<EdgeIndex> path;
  const NodeIndex best = tree.best();
  if (best != SearchTree::kRoot && dice_.uniform() < options_.onward) {
    if (const ScoredMove* move = best_untried(tree, space, best, options_.boldness, dice_)) {
      return Choice{best, move->move, tree.way_to(best)};
    }
  }
  return descend(tree, space, SearchTree::kRoot, path);
}

std::optional<Choice> GraphSearch::descend(const SearchTree& tree, SearchSpace& space,
                                           NodeIndex node, std::vector<EdgeIndex>& path) {
  const SearchNode& here = tree.node(node);
  if (path.size() >= options_.depth) return std::nullopt;
  const double log_visits = std::log(1 + static_cast<double>(here.visits));
  std::vector<Arm> arms;
  double tried = 0;
  for (const EdgeIndex index : here.out) {
    const SearchEdge& edge = tree.edge(index);
    tried += edge.state == EdgeState::dropped ? 0 : 1;
    if (edge.state != EdgeState::judged) continue;
    if (tree.node(edge.to).judgement.end != CandidateEnd::measured) continue;
    // A way back to a kernel passed on this descent leads nowhere new.
    const bool passed = edge.to == SearchTree::kRoot ||
                        std::any_of(path.begin(), path.end(), [&](EdgeIndex earlier) {
                          return tree.edge(earlier).to == edge.to;
                        });
    if (passed) continue;
    const auto visits = static_cast<double>(edge.visits + edge.pending);
    const double value = std::max(edge_value(tree, edge), promise(tree, space, edge.to));
    arms.push_back({value + options_.exploration * std::sqrt(log_visits / visits), index});
  }
  std::optional<Choice> own;
  if (const ScoredMove* move = best_untried(tree, space, node, options_.boldness, dice_)) {
    const double expected = here.judgement.log_gain + expected_value(*move, move->log_gain);
    arms.push_back({expected + options_.expansion * std::sqrt(log_visits) / (1 + tried), {}});
    own = Choice{node, move->move, path};
  }
  std::stable_sort(arms.begin(), arms.end(),
                   [](const Arm& a, const Arm& b) { return a.bound > b.bound; });
  for (const Arm& arm : arms) {
    if (!arm.edge) return own;
    path.push_back(*arm.edge);
    if (auto found = descend(tree, space, tree.edge(*arm.edge).to, path)) return found;
    path.pop_back();
  }
  return std::nullopt;
}

}  // namespace warpmind::agents
