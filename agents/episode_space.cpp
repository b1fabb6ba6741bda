#include "agents/episode_space.h"

#include "agents/search/move_scoring.h"
#include "knowledge_base/evidence.h"

#include <algorithm>

namespace warpmind::agents {

std::span<const ScoredMove> EpisodeSpace::moves(NodeIndex node) {
  answer_.clear();
  auto expected = expected_.find(node);
  if (expected == expected_.end()) {
    const auto known = session_.know(node);
    if (!known) {
      error_ = known.error();
      return {};
    }
    const auto context = session_.context(node);
    const std::string previous =
        knowledge_base::technique_behind(context.steps[context.edited].candidate);
    std::vector<ScoredMove> fresh;
    for (const auto& move : proposer_.moves(context)) {
      fresh.push_back(scored(move, context.advice, previous));
    }
    expected = expected_.emplace(node, std::move(fresh)).first;
  }
  for (const auto& move : expected->second) answer_.push_back(learning_.adjusted(move));
  return answer_;
}

void EpisodeSpace::learn(EdgeIndex index) {
  const SearchEdge& edge = session_.tree().edge(index);
  if (edge.state != EdgeState::judged) return;
  const Judgement& judgement = session_.tree().node(edge.to).judgement;
  const double parent = session_.tree().node(edge.from).judgement.log_gain;
  learning_.learn(edge.move, judgement.end, judgement.log_gain - parent);
}

ScoredMove EpisodeSpace::expectation(NodeIndex node, const Move& move) {
  for (const auto& known : moves(node)) {
    if (known.move.technique == move.technique && known.move.parameters == move.parameters) {
      return known;
    }
  }
  return scored(move, {}, "");
}

}  // namespace warpmind::agents
