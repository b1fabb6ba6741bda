#include "base/model/verdict_reading.h"
#include "knowledge_base/key_codec.h"
#include "knowledge_base/retrieval/lift_codec.h"
#include "knowledge_base/retrieval/projection.h"

#include <map>

namespace warpmind::knowledge_base {
namespace {

/// What the steps of one episode say about each insight.
std::map<InsightId, LiftArms> arms_of(const Episode& episode) {
  std::map<InsightId, LiftArms> arms;
  for (const auto& step : episode.steps) {
    const auto outcome = outcome_of(step.verdict);
    if (!outcome || is_own_fault(step.candidate, step.verdict)) continue;
    for (const auto& exposure : step.exposures) {
      // Where chance did not decide there is nothing to compare with. Also refuses NaN.
      const bool by_chance = exposure.propensity > 0 && exposure.propensity < 1;
      if (!by_chance) continue;
      auto& [shown, withheld] = arms[exposure.insight];
      if (exposure.shown) {
        shown.add(*outcome, exposure.propensity);
      } else {
        withheld.add(*outcome, 1 - exposure.propensity);
      }
    }
  }
  return arms;
}

void add(LiftArm& sum, const LiftArm& part) {
  sum.steps += part.steps;
  sum.weight += part.weight;
  sum.weight_squares += part.weight_squares;
  sum.weighted += part.weighted;
  sum.weighted_by_squares += part.weighted_by_squares;
  sum.weighted_squares_twice += part.weighted_squares_twice;
}

}  // namespace

Result<std::vector<InsightId>> project_exposures(ChangeSet& change, const Episode& episode) {
  std::vector<InsightId> harmful;
  if (episode.split == Split::heldout) return harmful;
  for (const auto& [id, arms] : arms_of(episode)) {
    WARPMIND_TRY(const auto stored, change.get(Family::posteriors, lift_key(id)));
    LiftCounts counts;
    if (stored) {
      WARPMIND_TRY(counts, decode_lift(*stored));
    }
    auto& [shown, withheld] = counts.by_provider[episode.provider];
    add(shown, arms.shown);
    add(withheld, arms.withheld);
    WARPMIND_TRY(auto bytes, encode_lift(counts));
    change.put(Family::posteriors, lift_key(id), std::move(bytes));
    if (is_harmful(estimate_lift(counts))) harmful.push_back(id);
  }
  return harmful;
}

}  // namespace warpmind::knowledge_base
