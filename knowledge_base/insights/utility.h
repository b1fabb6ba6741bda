#pragma once
/// \file
/// What following an insight is worth, as ln of a factor of time, and the belief about it.
///
/// Follow a positive claim = do it: worth the measured ln(gain); 0 when the try failed, for the
/// kernel at hand stays. Follow a negative claim = leave it: worth what the try would have cost.

#include "base/model/insight.h"
#include "base/model/verdict.h"
#include "knowledge_base/insights/insight_fold.h"
#include "knowledge_base/posterior.h"

#include <optional>
#include <vector>

namespace warpmind::knowledge_base {

/// A try must gain 5 % to be worth its evaluation: leaving one that gained g is worth
/// kTryCost - ln(g).
inline constexpr double kTryCost = 0.048790164169432;  // ln 1.05
/// A try that failed gained nothing and may be tried again and again: as bad as 20 % lost.
inline constexpr double kFailedTryCost = 0.182321556793955;  // ln 1.2
/// A screening is one process: half a confirmed comparison.
inline constexpr double kScreeningWeight = 0.5;

struct WeightedValue {
  double value = 0;
  double weight = 1;
};
/// `outcome` is that of the cited step; absent = it was timed.
[[nodiscard]] WeightedValue value_of(InsightKind kind, const EvidenceRef& evidence,
                                     std::optional<Outcome> outcome);
/// May decide a state: several fresh process pairs, or a failure (which repeats).
[[nodiscard]] bool is_confirmed_grade(const EvidenceRef& evidence, std::optional<Outcome> outcome);

/// The provider whose evidence counts: gpu before sim before fixture. Never two together.
[[nodiscard]] std::optional<Provider> judged_provider(const std::vector<EvidenceCell>& cells);
/// All evidence of `provider`.
[[nodiscard]] Moments values_of(const std::vector<EvidenceCell>& cells, Provider provider);

/// Normal-Inverse-Gamma posterior of the mean, shrunk to 0 by 3 pseudo-counts. Attestations move
/// the 0 by at most a quarter of the way and never narrow the interval.
[[nodiscard]] Utility utility_of(const std::vector<EvidenceCell>& cells,
                                 const std::vector<Attestation>& attestations);

}  // namespace warpmind::knowledge_base
