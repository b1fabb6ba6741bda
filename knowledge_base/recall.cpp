#include "knowledge_base/recall.h"

#include "base/part.h"
#include "base/text.h"
#include "knowledge_base/evidence.h"

#include <algorithm>
#include <cstdint>
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

std::string why_of(const Chain& chain, const RecallQuery& query, const GainEstimate& predicted) {
  const std::string expectation = "expected " + factor_text(predicted.gain) + " (80 % interval " +
                                  factor_text(predicted.low) + " to " +
                                  factor_text(predicted.high) + ")";
  if (chain.narrowest == PosteriorLevel::global) return "not tried yet: " + expectation;
  const std::string order =
      rests_on_transition(chain, query) ? " right after " + query.previous_technique : "";
  return describe(evidence_behind(chain, query), query.provider) + order +
         place_of(chain.narrowest, query) + "; " + expectation;
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

Result<TechniqueAdvice> advise(const std::string& technique, const RecallQuery& query,
                               const PosteriorLookup& lookup, const TransitionSource& transitions) {
  Chain chain;
  for (const auto& key : chain_of({query.provider, technique, query.bottleneck, query.device})) {
    WARPMIND_TRY(auto counts, lookup(key));
    chain.counts.push_back(std::move(counts));
  }
  chain.narrowest = narrowest_level(chain.counts);
  WARPMIND_CHECK(add_transition(technique, query, transitions, chain));
  const GainEstimate predicted = estimate(chain.counts, {query.toolkit, query.device.driver});
  TechniqueAdvice advice;
  part<GainAdvice>(advice) = gain_advice(technique, predicted, chain.narrowest);
  if (chain.narrowest != PosteriorLevel::global) {
    advice.observations = evidence_behind(chain, query).observations();
  }
  advice.why = why_of(chain, query, predicted);
  return advice;
}

/// Absent where nobody tried it. The prior of a move is that of every edit, not its technique's:
/// the mean over a sweep of parameters says little about one point of it.
Result<std::optional<MoveAdvice>> advise_move(const std::string& name, const RecallQuery& query,
                                              const PosteriorLookup& lookup) {
  Chain chain;
  for (const auto& key : chain_of({query.provider, name, query.bottleneck, query.device})) {
    WARPMIND_TRY(auto counts, lookup(key));
    chain.counts.push_back(std::move(counts));
  }
  chain.narrowest = narrowest_level(chain.counts);
  if (chain.narrowest == PosteriorLevel::global) return std::optional<MoveAdvice>();
  const GainEstimate predicted = estimate(chain.counts, {query.toolkit, query.device.driver});
  MoveAdvice advice{gain_advice({}, predicted, chain.narrowest), {}};
  advice.observations = comparisons(chain.counts[static_cast<std::size_t>(chain.narrowest)]);
  return std::optional<MoveAdvice>(std::move(advice));
}

}  // namespace

Result<std::vector<MoveAdvice>> advise_moves(const RecallQuery& query,
                                             const PosteriorLookup& lookup) {
  std::vector<MoveAdvice> known;
  std::set<std::string> asked;
  for (const auto& [technique, parameters] : query.moves) {
    const std::string name = move_name(technique, parameters);
    if (name.empty() || !asked.insert(name).second) continue;
    WARPMIND_TRY(auto advice, advise_move(name, query, lookup));
    if (!advice) continue;
    advice->technique = technique;
    advice->parameters = parameters;
    known.push_back(std::move(*advice));
  }
  return known;
}

Result<std::vector<TechniqueAdvice>> rank_techniques(const RecallQuery& query,
                                                     const PosteriorLookup& lookup,
                                                     const TransitionSource& transitions) {
  std::vector<TechniqueAdvice> ranked;
  ranked.reserve(query.techniques.size());
  for (const auto& technique : query.techniques) {
    WARPMIND_TRY(auto advice, advise(technique, query, lookup, transitions));
    ranked.push_back(std::move(advice));
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const TechniqueAdvice& a, const TechniqueAdvice& b) {
                     return a.predicted_gain > b.predicted_gain;
                   });
  return ranked;
}

}  // namespace warpmind::knowledge_base
