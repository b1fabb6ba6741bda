#include "knowledge_base/recall.h"

#include "base/part.h"
#include "base/text.h"
#include "knowledge_base/evidence.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>

namespace warpmind::knowledge_base {
namespace {

/// Counts from broad to narrow, and where the statistics of the technique end.
struct Chain {
  std::vector<PosteriorCounts> counts;
  PosteriorLevel narrowest = PosteriorLevel::global;  ///< that saw anything
  PosteriorCounts transition;                         ///< from the previous technique
};

/// Narrowest level that saw anything; global counts for nobody in particular.
PosteriorLevel narrowest_level(const std::vector<PosteriorCounts>& counts) {
  for (std::size_t level = counts.size() - 1; level > 0; --level) {
    if (!counts[level].empty()) return static_cast<PosteriorLevel>(level);
  }
  return PosteriorLevel::global;
}

/// The transition in the place that `level` stands for.
EdgeKey transition_key(const std::string& technique, const RecallQuery& query,
                       PosteriorLevel level) {
  EdgeKey key;
  key.provider = query.provider;
  key.from = query.previous_technique;
  key.to = technique;
  if (level < PosteriorLevel::bottleneck) return key;
  key.level = EdgeLevel::cluster;
  key.cluster = name_of(query.bottleneck);
  if (level == PosteriorLevel::family) {
    key.level = EdgeLevel::family;
    key.family = architecture_of(query.device.compute_major, query.device.compute_minor);
  }
  if (level == PosteriorLevel::device) {
    key.level = EdgeLevel::device;
    key.device = query.device.name;
  }
  return key;
}

/// Puts the transition, and below it that in the state at hand, right after the narrowest level
/// that saw anything. Each holds only what the level before it holds too: no evidence twice. Levels
/// that saw nothing stay narrower and widen the interval, as on a new device.
Result<void> add_transition(const std::string& technique, const RecallQuery& query,
                            const TransitionSource& transitions, Chain& chain) {
  if (!transitions.counts || chain.narrowest == PosteriorLevel::global) return {};
  EdgeKey key = transition_key(technique, query, chain.narrowest);
  WARPMIND_TRY(chain.transition, transitions.counts(key));
  // A transition nobody tried widens; but no previous technique may also mean that it is not known.
  if (chain.transition.empty() && query.previous_technique.empty()) return {};
  auto after = chain.counts.begin() + static_cast<std::ptrdiff_t>(chain.narrowest) + 1;
  after = chain.counts.insert(after, chain.transition);
  const bool finer = !key.cluster.empty() && !transitions.cluster.empty() &&
                     transitions.cluster != key.cluster && !chain.transition.empty();
  if (!finer) return {};
  key.cluster = transitions.cluster;
  WARPMIND_TRY(const auto in_state, transitions.counts(key));
  if (!in_state.empty()) chain.counts.insert(after + 1, in_state);
  return {};
}

std::string_view scope_name(PosteriorLevel level) {
  switch (level) {
    case PosteriorLevel::device: return "device";
    case PosteriorLevel::family: return "family";
    case PosteriorLevel::bottleneck:
    case PosteriorLevel::technique: return "technique";
    case PosteriorLevel::global: return "prior";
  }
  return "prior";
}

std::string place_of(PosteriorLevel level, const RecallQuery& query) {
  const std::string at = " at " + std::string(warpmind::name_of(query.bottleneck));
  const auto& device = query.device;
  switch (level) {
    case PosteriorLevel::device: return at + " on " + device.name;
    case PosteriorLevel::family:
      return at + " on " + architecture_of(device.compute_major, device.compute_minor) + " devices";
    case PosteriorLevel::bottleneck: return at + " on other devices";
    case PosteriorLevel::technique: return " at other bottlenecks";
    case PosteriorLevel::global: break;
  }
  return {};
}

/// Whether the advice rests on what came of the technique after the previous one.
bool rests_on_transition(const Chain& chain, const RecallQuery& query) {
  return !query.previous_technique.empty() && !chain.transition.empty();
}

const PosteriorCounts& evidence_behind(const Chain& chain, const RecallQuery& query) {
  return rests_on_transition(chain, query)
             ? chain.transition
             : chain.counts[static_cast<std::size_t>(chain.narrowest)];
}

std::string why_of(const Chain& chain, const RecallQuery& query,
                   const ExpectationAdvice& expectation) {
  if (chain.narrowest == PosteriorLevel::global) return "not tried yet";
  const std::string order =
      rests_on_transition(chain, query) ? " right after " + query.previous_technique : "";
  std::string text = describe(evidence_behind(chain, query), query.provider) + order +
                     place_of(chain.narrowest, query);
  if (expectation.comparisons <= 0) return text;
  return text + "; " + fixed(expectation.factor, 2) + " times what was expected (80 % interval " +
         fixed(expectation.low, 2) + " to " + fixed(expectation.high, 2) + ")";
}

GainAdvice gain_advice(const std::string& technique, const GainEstimate& predicted,
                       PosteriorLevel level) {
  return {technique,
          predicted.gain,
          predicted.low,
          predicted.high,
          predicted.feasibility,
          0,
          std::string(scope_name(level))};
}

using Counts = std::vector<PosteriorCounts>;

/// Counts of a technique, or of one with its parameters, broad to narrow.
Result<Counts> counts_along(const std::string& name, const RecallQuery& query,
                            const PosteriorLookup& lookup) {
  Counts counts;
  for (const auto& key : chain_of({query.provider, name, query.bottleneck, query.device})) {
    WARPMIND_TRY(auto found, lookup(key));
    counts.push_back(std::move(found));
  }
  return counts;
}

/// What each level saw and no narrower one.
std::vector<Moments> surprises_apart(const Counts& counts) {
  std::vector<Moments> apart;
  for (std::size_t level = 0; level < counts.size(); ++level) {
    const Moments& seen = counts[level].surprise;
    const bool narrowest = level + 1 == counts.size();
    apart.push_back(narrowest ? seen : seen.minus(counts[level + 1].surprise));
  }
  return apart;
}

/// Each level of the technique counts the same, the broadest too: what held on another device says
/// less here because the narrow levels are silent, never because they saw less.
double standing_along(const Counts& counts) {
  double sum = 0;
  for (std::size_t level = 1; level < counts.size(); ++level) sum += standing_of(counts[level]);
  return sum / static_cast<double>(counts.size() - 1);
}

ExpectationAdvice expectation_advice(const std::vector<Moments>& apart, double comparisons,
                                     double standing) {
  const ExpectationEstimate known = estimate_expectation(apart);
  return {known.factor, known.low, known.high, comparisons, standing};
}

/// That a move builds and is right: what its technique did with other parameters is the prior.
double feasibility_of(const Counts& technique, const Counts& move) {
  Counts others;
  for (std::size_t level = 0; level < technique.size(); ++level) {
    PosteriorCounts rest = technique[level];
    rest.feasible -= move[level].feasible;
    rest.infeasible -= move[level].infeasible;
    others.push_back(std::move(rest));
  }
  return feasibility_along(move, feasibility_along(others));
}

/// Comparisons in places like that of `counts`: those at the narrowest level that saw any.
double comparisons_along(const Counts& counts) {
  for (auto level = counts.rbegin(); level != counts.rend() - 1; ++level) {
    if (level->surprise.weight > kNoWeight) return level->surprise.weight;
  }
  return 0;
}

ExpectationAdvice expectation_of(const Counts& technique) {
  return expectation_advice(surprises_apart(technique), comparisons_along(technique),
                            standing_along(technique));
}

/// Of a move: what its technique did with other parameters comes first, then its own tries.
ExpectationAdvice expectation_of(const Counts& technique, const Counts& move) {
  auto apart = surprises_apart(technique);
  const auto own = surprises_apart(move);
  for (std::size_t level = 1; level < apart.size(); ++level) {
    apart[level] = apart[level].minus(own[level]);
  }
  apart.insert(apart.end(), own.begin() + 1, own.end());
  return expectation_advice(apart, comparisons_along(move),
                            (standing_along(technique) + standing_along(move)) / 2);
}

/// What gained on average comes first, what nobody compared next, what did not gain last.
enum class Rank { gained, unknown, idle };

struct RankedAdvice {
  TechniqueAdvice advice;
  Rank rank = Rank::unknown;
};

Rank rank_of(const PosteriorCounts& seen) {
  if (comparisons(seen) == 0) return Rank::unknown;
  return seen.confirmed.plus(seen.screened).mean > 0 ? Rank::gained : Rank::idle;
}

Result<RankedAdvice> advise(const std::string& technique, const RecallQuery& query,
                            const PosteriorLookup& lookup, const TransitionSource& transitions) {
  Chain chain;
  WARPMIND_TRY(chain.counts, counts_along(technique, query, lookup));
  chain.narrowest = narrowest_level(chain.counts);
  const ExpectationAdvice expectation = expectation_of(chain.counts);
  WARPMIND_CHECK(add_transition(technique, query, transitions, chain));
  const GainEstimate predicted = estimate(chain.counts, {query.toolkit, query.device.driver});
  RankedAdvice ranked;
  TechniqueAdvice& advice = ranked.advice;
  part<GainAdvice>(advice) = gain_advice(technique, predicted, chain.narrowest);
  if (chain.narrowest != PosteriorLevel::global) {
    const PosteriorCounts& behind = evidence_behind(chain, query);
    advice.observations = behind.observations();
    ranked.rank = rank_of(behind);
  }
  advice.why = why_of(chain, query, expectation);
  advice.expectation = expectation;
  return ranked;
}

/// Absent where nobody tried it. The prior of a move is that of every edit, not its technique's:
/// the mean over a sweep of parameters says little about one point of it.
Result<std::optional<MoveAdvice>> advise_move(const std::string& technique, const std::string& name,
                                              std::map<std::string, Counts>& techniques,
                                              const RecallQuery& query,
                                              const PosteriorLookup& lookup) {
  Chain chain;
  WARPMIND_TRY(chain.counts, counts_along(name, query, lookup));
  chain.narrowest = narrowest_level(chain.counts);
  if (chain.narrowest == PosteriorLevel::global) return std::optional<MoveAdvice>();
  const GainEstimate predicted = estimate(chain.counts, {query.toolkit, query.device.driver});
  // Moves are many and their techniques few.
  auto of_technique = techniques.find(technique);
  if (of_technique == techniques.end()) {
    WARPMIND_TRY(auto counts, counts_along(technique, query, lookup));
    of_technique = techniques.emplace(technique, std::move(counts)).first;
  }
  MoveAdvice advice{gain_advice(technique, predicted, chain.narrowest), {}};
  advice.expectation = expectation_of(of_technique->second, chain.counts);
  advice.feasibility = feasibility_of(of_technique->second, chain.counts);
  advice.observations = comparisons(chain.counts[static_cast<std::size_t>(chain.narrowest)]);
  return std::optional<MoveAdvice>(std::move(advice));
}

}  // namespace

Result<std::vector<MoveAdvice>> advise_moves(const RecallQuery& query,
                                             const PosteriorLookup& lookup) {
  std::vector<MoveAdvice> known;
  std::set<std::string> asked;
  std::map<std::string, Counts> techniques;
  for (const auto& [technique, parameters] : query.moves) {
    const std::string name = move_name(technique, parameters);
    if (name.empty() || !asked.insert(name).second) continue;
    WARPMIND_TRY(auto advice, advise_move(technique, name, techniques, query, lookup));
    if (!advice) continue;
    advice->parameters = parameters;
    known.push_back(std::move(*advice));
  }
  return known;
}

Result<std::vector<TechniqueAdvice>> rank_techniques(const RecallQuery& query,
                                                     const PosteriorLookup& lookup,
                                                     const TransitionSource& transitions) {
  std::vector<RankedAdvice> ranked;
  ranked.reserve(query.techniques.size());
  for (const auto& technique : query.techniques) {
    WARPMIND_TRY(auto advice, advise(technique, query, lookup, transitions));
    ranked.push_back(std::move(advice));
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const RankedAdvice& a, const RankedAdvice& b) {
    if (a.rank != b.rank) return a.rank < b.rank;
    return a.rank != Rank::unknown && a.advice.predicted_gain > b.advice.predicted_gain;
  });
  std::vector<TechniqueAdvice> techniques;
  techniques.reserve(ranked.size());
  for (auto& one : ranked) techniques.push_back(std::move(one.advice));
  return techniques;
}

}  // namespace warpmind::knowledge_base
