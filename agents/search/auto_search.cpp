#include "agents/search/auto_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace warpmind::agents {
namespace {

constexpr double kExploration = 0.3;
/// Choices after which another arm joins: an episode of few candidates takes the surest ones.
constexpr double kAlone = 4;

}  // namespace

AutoSearch::AutoSearch(std::uint64_t seed) {
  for (const char* name : {"greedy", "mcgs", "evolve", "fsr", "turns"}) {
    auto policy = make_search_policy(name, seed++);
    Arm arm;
    arm.policy = std::move(*policy);
    arms_.push_back(std::move(arm));
  }
}

/// Arms, the most promising first; arms never asked before all others, as soon as they joined.
std::vector<std::size_t> AutoSearch::order() const {
  double all = 1;
  for (const auto& arm : arms_) all += arm.chosen;
  std::vector<double> bounds;
  const double joined = 1 + std::floor((all - 1) / kAlone);
  for (const auto& arm : arms_) {
    if (static_cast<double>(bounds.size()) >= joined) {
      bounds.push_back(-std::numeric_limits<double>::infinity());
      continue;
    }
    const double mean = arm.judged == 0 ? 0 : arm.reward / arm.judged;
    bounds.push_back(arm.chosen == 0 ? std::numeric_limits<double>::infinity()
                                     : mean + kExploration * std::sqrt(std::log(all) / arm.chosen));
  }
  std::vector<std::size_t> order(arms_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return bounds[a] > bounds[b]; });
  return order;
}

std::optional<Choice> AutoSearch::next(const SearchTree& tree, SearchSpace& space) {
  for (const std::size_t index : order()) {
    auto choice = arms_[index].policy->next(tree, space);
    if (!choice) continue;
    ++arms_[index].chosen;
    pending_.push_back({index, choice->from, choice->move});
    return choice;
  }
  return std::nullopt;
}

void AutoSearch::learned(const SearchTree& tree, EdgeIndex edge) {
  const SearchEdge& done = tree.edge(edge);
  const auto mine = std::find_if(pending_.begin(), pending_.end(), [&](const Pending& one) {
    return one.from == done.from && one.move == done.move;
  });
  if (mine == pending_.end()) return;
  Arm& arm = arms_[mine->arm];
  pending_.erase(mine);
  arm.policy->learned(tree, edge);
  ++arm.judged;
  if (done.state != EdgeState::judged) return;
  const double gained = tree.node(done.to).judgement.log_gain - best_seen_;
  if (tree.node(done.to).judgement.end != CandidateEnd::measured || gained <= 0) return;
  arm.reward += std::min(gained / std::max(best_seen_, 0.1), 1.0);
  best_seen_ += gained;
}

}  // namespace warpmind::agents
