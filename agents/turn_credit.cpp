#include "agents/turn_credit.h"

#include "agents/search/reward.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace warpmind::agents {

void credit_turns(Episode& episode, const SearchTree& tree,
                  const std::map<NodeIndex, std::size_t>& steps) {
  for (auto& step : episode.steps) step.score = turn_score(false, 0);
  for (const auto& [node, position] : steps) {
    if (tree.node(node).judgement.end != CandidateEnd::measured) continue;
    episode.steps[position].score = turn_score(true, std::exp(tree.node(node).judgement.log_gain));
  }
  std::vector<double> onward(episode.steps.size(), 0);
  // A step edits an earlier one: from the end, every step finds its successors done.
  for (std::size_t i = episode.steps.size(); i-- > 0;) {
    Step& step = episode.steps[i];
    step.turn_return = step.score + kDiscount * onward[i];
    if (step.edited < 0 || i == 0) continue;
    double& parent = onward[static_cast<std::size_t>(step.edited)];
    parent = std::max(parent, step.turn_return);
  }
}

}  // namespace warpmind::agents
