#include "agents/search/search_policy.h"

#include "agents/search/auto_search.h"
#include "agents/search/evolution_search.h"
#include "agents/search/graph_search.h"
#include "agents/search/incumbent_search.h"
#include "agents/search/turns_search.h"

#include <cmath>
#include <numbers>

namespace warpmind::agents {

double Dice::uniform() {
  constexpr double kUnit = 0x1.0p-53;
  return static_cast<double>(engine_() >> 11U) * kUnit;
}

double Dice::normal() {
  // Box and Muller; 1 - u keeps the logarithm finite.
  const double radius = std::sqrt(-2 * std::log(1 - uniform()));
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

std::size_t Dice::weighted(std::span<const double> weights) {
  double total = 0;
  for (const double weight : weights) total += weight;
  double left = uniform() * total;
  std::size_t last = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] <= 0) continue;
    last = i;
    left -= weights[i];
    if (left < 0) return i;
  }
  return last;
}

double expected_value(const ScoredMove& move, double log_gain) {
  return move.feasibility * log_gain - (1 - move.feasibility) * kWrongPenalty;
}

const ScoredMove* best_untried(const SearchTree& tree, SearchSpace& space, NodeIndex node,
                               double boldness, Dice& dice,
                               const std::function<double(const Move&)>& bonus) {
  const ScoredMove* best = nullptr;
  double best_value = 0;
  for (const auto& one : space.moves(node)) {
    if (tree.was_started(node, one.move)) continue;
    const double draw = boldness == 0 ? 0 : boldness * one.deviation * dice.normal();
    const double value = expected_value(one, one.log_gain + one.order_shift + draw) +
                         (bonus ? bonus(one.move) : 0.0);
    if (best == nullptr || value > best_value) {
      best = &one;
      best_value = value;
    }
  }
  return best;
}

Result<std::unique_ptr<SearchPolicy>> make_search_policy(std::string_view name,
                                                         std::uint64_t seed) {
  std::unique_ptr<SearchPolicy> policy;
  if (name == "greedy") policy = std::make_unique<GreedySearch>();
  if (name == "fsr") policy = std::make_unique<RoundSearch>(seed);
  if (name == "mcgs") policy = std::make_unique<GraphSearch>(seed);
  if (name == "evolve") policy = std::make_unique<EvolutionSearch>(seed);
  if (name == "turns") policy = std::make_unique<TurnsSearch>(seed);
  if (name == "auto") policy = std::make_unique<AutoSearch>(seed);
  if (policy) return policy;
  return fail(Errc::invalid_argument, "there is no search policy \"" + std::string(name) +
                                          "\"; use greedy, fsr, mcgs, evolve, turns or auto");
}

}  // namespace warpmind::agents
