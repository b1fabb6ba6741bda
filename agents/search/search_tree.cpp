#include "agents/search/search_tree.h"

#include <algorithm>
#include <utility>

namespace warpmind::agents {
namespace {

double value_of(const Judgement& judgement, double parent) {
  switch (judgement.end) {
    case CandidateEnd::measured: return judgement.log_gain;
    case CandidateEnd::wrong: return parent - kWrongPenalty;
    case CandidateEnd::unbuildable: return parent - kUnbuildablePenalty;
    case CandidateEnd::unknown: break;
  }
  return parent;
}

}  // namespace

SearchTree::SearchTree(std::string root_key) {
  by_key_[root_key] = kRoot;
  nodes_.push_back({std::move(root_key), {}, 0, {}, 1, 0});
}

std::optional<NodeIndex> SearchTree::find(const std::string& key) const {
  const auto known = by_key_.find(key);
  if (known == by_key_.end()) return std::nullopt;
  return known->second;
}

bool SearchTree::was_started(NodeIndex from, const Move& move) const {
  const auto& out = nodes_[from].out;
  return std::any_of(out.begin(), out.end(), [&](EdgeIndex index) {
    const Move& known = edges_[index].move;
    return known.technique == move.technique && known.parameters == move.parameters;
  });
}

EdgeIndex SearchTree::start(NodeIndex from, const Move& move, std::span<const EdgeIndex> path) {
  const EdgeIndex index = edges_.size();
  SearchEdge edge;
  edge.from = from;
  edge.move = move;
  edges_.push_back(std::move(edge));
  nodes_[from].out.push_back(index);
  std::vector<EdgeIndex> way(path.begin(), path.end());
  way.push_back(index);
  for (const EdgeIndex passed : way) ++edges_[passed].pending;
  paths_[index] = std::move(way);
  return index;
}

NodeIndex SearchTree::finish(EdgeIndex index, const std::string& key, const Judgement& judgement) {
  const NodeIndex from = edges_[index].from;
  const auto [known, is_new] = by_key_.try_emplace(key, nodes_.size());
  const NodeIndex to = known->second;
  if (is_new) {
    nodes_.push_back({key, judgement, nodes_[from].depth + 1, {}, 0, index});
    const bool right = judgement.end == CandidateEnd::measured;
    if (right && judgement.log_gain > best_log_gain()) best_ = to;
    ++judged_;
  }
  edges_[index].to = to;
  edges_[index].state = EdgeState::judged;
  const Judgement& settled = nodes_[to].judgement;
  const double parent = nodes_[from].judgement.log_gain;
  const double value = value_of(settled, parent);
  const auto path = paths_.extract(index);
  for (const EdgeIndex passed : path.mapped()) credit(passed, value);
  ++nodes_[kRoot].visits;
  return to;
}

void SearchTree::credit(EdgeIndex index, double value) {
  SearchEdge& edge = edges_[index];
  --edge.pending;
  edge.best = edge.visits == 0 ? value : std::max(edge.best, value);
  edge.sum += value;
  ++edge.visits;
  if (edge.state == EdgeState::judged) ++nodes_[edge.to].visits;
}

void SearchTree::drop(EdgeIndex index) {
  edges_[index].state = EdgeState::dropped;
  const auto path = paths_.extract(index);
  for (const EdgeIndex passed : path.mapped()) --edges_[passed].pending;
}

std::vector<EdgeIndex> SearchTree::way_to(NodeIndex node) const {
  std::vector<EdgeIndex> way;
  while (node != kRoot) {
    way.push_back(nodes_[node].first_in);
    node = edges_[nodes_[node].first_in].from;
  }
  std::reverse(way.begin(), way.end());
  return way;
}

}  // namespace warpmind::agents
