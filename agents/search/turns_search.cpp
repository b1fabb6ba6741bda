#include "agents/search/turns_search.h"

#include "agents/search/incumbent_search.h"
#include "agents/search/reward.h"

#include <algorithm>
#include <cmath>

namespace warpmind::agents {

double TurnsSearch::bonus(const std::string& technique) const {
  const auto found = credits_.find(technique);
  if (found == credits_.end() || all_.count < 2) return 0;
  const double mean = all_.sum / all_.count;
  const double deviation = std::sqrt(std::max(all_squares_ / all_.count - mean * mean, 1e-6));
  return options_.trust * (found->second.sum / found->second.count - mean) / deviation;
}

const ScoredMove* TurnsSearch::pick(const SearchTree& tree, SearchSpace& space) {
  return best_untried(tree, space, at_, options_.boldness, dice_,
                      [this](const Move& move) { return bonus(move.technique); });
}

std::optional<Choice> TurnsSearch::next(const SearchTree& tree, SearchSpace& space) {
  if (waits_) return std::nullopt;
  if (row_.size() >= options_.turns) end_row(tree);
  const ScoredMove* move = pick(tree, space);
  if (move == nullptr) {
    end_row(tree);
    // Wherever something is left, the fastest kernels first.
    for (const NodeIndex node : right_kernels(tree)) {
      at_ = node;
      move = pick(tree, space);
      if (move != nullptr) break;
    }
  }
  if (move == nullptr) return std::nullopt;
  waits_ = true;
  return Choice{at_, move->move, tree.way_to(at_)};
}

void TurnsSearch::learned(const SearchTree& tree, EdgeIndex edge) {
  waits_ = false;
  if (tree.edge(edge).state != EdgeState::judged) return;
  row_.push_back(edge);
  const NodeIndex to = tree.edge(edge).to;
  if (tree.node(to).judgement.end == CandidateEnd::measured) at_ = to;
}

void TurnsSearch::end_row(const SearchTree& tree) {
  std::vector<double> scores;
  for (const EdgeIndex edge : row_) {
    const auto& judgement = tree.node(tree.edge(edge).to).judgement;
    const bool right = judgement.end == CandidateEnd::measured;
    scores.push_back(turn_score(right, right ? std::exp(judgement.log_gain) : 0));
  }
  const auto returns = discounted_returns(scores);
  for (std::size_t i = 0; i < row_.size(); ++i) {
    auto& credit = credits_[tree.edge(row_[i]).move.technique];
    credit.sum += returns[i];
    ++credit.count;
    all_.sum += returns[i];
    ++all_.count;
    all_squares_ += returns[i] * returns[i];
  }
  row_.clear();
  ++rows_;
  at_ = rows_ % 2 == 0 ? SearchTree::kRoot : tree.best();
}

}  // namespace warpmind::agents
