#include "knowledge_base/insights/utility.h"

#include "base/model/verdict_reading.h"

#include <algorithm>
#include <cmath>

namespace warpmind::knowledge_base {
namespace {

/// Shape of the prior of the variance, as in posterior.cpp; here the variance is that between tasks
/// of one scope, which is narrower: without evidence the 80 % interval is 0.88 … 1.13.
constexpr double kPriorShape = 2;
constexpr double kPriorVariance = 0.02;
/// No other base says more than "twice as fast".
constexpr double kMostAttested = 0.693147180559945;  // ln 2

/// Mean of what other bases say, and how much it weighs: 0 … 1 pseudo-counts in all.
Moments attested(const std::vector<Attestation>& attestations) {
  Moments sum;
  for (const auto& attestation : attestations) {
    const auto seen = static_cast<double>(std::max<std::int64_t>(0, attestation.supports) +
                                          std::max<std::int64_t>(0, attestation.contradicts));
    if (seen <= 0) continue;
    double mean = std::clamp(attestation.mean_log_gain, -kMostAttested, kMostAttested);
    if (!is_offered(attestation.state)) mean = std::min(mean, 0.0);
    sum.add(mean, seen / (seen + kPseudoCounts));
  }
  sum.weight = std::min(sum.weight, 1.0);
  return sum;
}

}  // namespace

WeightedValue value_of(InsightKind kind, const EvidenceRef& evidence,
                       std::optional<Outcome> outcome) {
  const bool failed = outcome && is_failure(*outcome);
  const double weight = evidence.confirmed || failed ? 1 : kScreeningWeight;
  if (kind != InsightKind::negative) return {failed ? 0 : evidence.log_gain, weight};
  return {failed ? kFailedTryCost : kTryCost - evidence.log_gain, weight};
}

bool is_confirmed_grade(const EvidenceRef& evidence, std::optional<Outcome> outcome) {
  return evidence.confirmed || (outcome && is_failure(*outcome));
}

std::optional<Provider> judged_provider(const std::vector<EvidenceCell>& cells) {
  for (const Provider provider : {Provider::gpu, Provider::sim, Provider::fixture}) {
    for (const auto& cell : cells) {
      if (cell.provider == provider) return provider;
    }
  }
  return std::nullopt;
}

Moments values_of(const std::vector<EvidenceCell>& cells, Provider provider) {
  Moments sum;
  for (const auto& cell : cells) {
    if (cell.provider == provider) sum = sum.plus(cell.values);
  }
  return sum;
}

Utility utility_of(const std::vector<EvidenceCell>& cells,
                   const std::vector<Attestation>& attestations) {
  const auto provider = judged_provider(cells);
  const Moments seen = provider ? values_of(cells, *provider) : Moments{};
  const Moments hearsay = attested(attestations);
  const double prior_mean = hearsay.weight * hearsay.mean / (kPseudoCounts + hearsay.weight);
  const double strength = kPseudoCounts + seen.weight;
  const double shape = kPriorShape + seen.weight / 2;
  const double shift = seen.mean - prior_mean;
  const double rate = kPriorShape * kPriorVariance + seen.squares / 2 +
                      kPseudoCounts * seen.weight * shift * shift / (2 * strength);
  const double scale = std::sqrt(rate / (shape * strength));
  const double degrees = 2 * shape;
  Utility utility;
  utility.mean = (kPseudoCounts * prior_mean + seen.weight * seen.mean) / strength;
  utility.deviation = scale * std::sqrt(degrees / (degrees - 2));
  utility.low = utility.mean - t_quantile_90(degrees) * scale;
  utility.high = utility.mean + t_quantile_90(degrees) * scale;
  for (const auto& cell : cells) {
    if (cell.provider != provider) continue;
    utility.observations += cell.supports.confirmed + cell.supports.weak +
                            cell.contradicts.confirmed + cell.contradicts.weak;
  }
  return utility;
}

}  // namespace warpmind::knowledge_base
