#include "knowledge_base/retrieval/lift.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace warpmind::knowledge_base {
namespace {

/// 97.5 % quantile of Student's t. Cornish-Fisher from 3 degrees on (right to 1.5 %, from 6 on to
/// 0.1 %); below that the values of the table.
double t_quantile_975(double degrees) {
  constexpr double kZ = 1.959963984540054;
  constexpr double kZ3 = kZ * kZ * kZ;
  constexpr double kZ5 = kZ3 * kZ * kZ;
  constexpr double kZ7 = kZ5 * kZ * kZ;
  constexpr double kOneDegree = 12.706;
  constexpr double kTwoDegrees = 4.303;
  if (degrees < 2) return kOneDegree;
  if (degrees < 3) return kTwoDegrees;
  return kZ + (kZ3 + kZ) / (4 * degrees) +
         (5 * kZ5 + 16 * kZ3 + 3 * kZ) / (96 * degrees * degrees) +
         (3 * kZ7 + 19 * kZ5 + 17 * kZ3 - 15 * kZ) / (384 * degrees * degrees * degrees);
}

/// Number of equally weighted steps that say as much.
double effective_steps(const LiftArm& arm) {
  return arm.weight_squares > 0 ? arm.weight * arm.weight / arm.weight_squares : 0;
}

double degrees_of(const LiftArm& a, const LiftArm& b) {
  const double va = a.variance();
  const double vb = b.variance();
  const double bottom = va * va / std::max(effective_steps(a) - 1, 1.0) +
                        vb * vb / std::max(effective_steps(b) - 1, 1.0);
  // Without any spread the interval has no width, whatever the quantile.
  return bottom > 0 ? (va + vb) * (va + vb) / bottom : 1;
}

}  // namespace

void LiftArm::add(double outcome, double probability) {
  const double w = 1 / probability;
  ++steps;
  weight += w;
  weight_squares += w * w;
  weighted += w * outcome;
  weighted_by_squares += w * w * outcome;
  weighted_squares_twice += w * w * outcome * outcome;
}

double LiftArm::mean() const { return weight > 0 ? weighted / weight : 0; }

double LiftArm::variance() const {
  if (steps < 2) return 0;
  const double m = mean();
  const double spread =
      weighted_squares_twice - 2 * m * weighted_by_squares + m * m * weight_squares;
  const auto n = static_cast<double>(steps);
  return std::max(spread, 0.0) / (weight * weight) * n / (n - 1);
}

std::optional<double> outcome_of(const Verdict& verdict) {
  switch (verdict.outcome) {
    case Outcome::build_failed: return kOutcomeOfBuildFailure;
    case Outcome::wrong:
    case Outcome::crashed:
    case Outcome::timed_out:
    case Outcome::cheating: return kOutcomeOfWrong;
    case Outcome::blocked:
    case Outcome::unjudgeable: return std::nullopt;
    case Outcome::improved:
    case Outcome::same:
    case Outcome::regressed:
    case Outcome::inconclusive: break;
  }
  if (!verdict.comparison || !(verdict.comparison->ratio > 0)) return std::nullopt;
  return std::clamp(std::log(verdict.comparison->ratio), kLeastOutcome, kMostOutcome);
}

LiftEstimate estimate_lift(const LiftArms& arms) {
  LiftEstimate estimate;
  estimate.shown = arms.shown.steps;
  estimate.withheld = arms.withheld.steps;
  if (estimate.shown == 0 || estimate.withheld == 0) return estimate;
  estimate.lift = arms.shown.mean() - arms.withheld.mean();
  estimate.known = estimate.shown >= kLeastLiftSteps && estimate.withheld >= kLeastLiftSteps;
  if (!estimate.known) return estimate;
  const double deviation = std::sqrt(arms.shown.variance() + arms.withheld.variance());
  const double half = t_quantile_975(degrees_of(arms.shown, arms.withheld)) * deviation;
  estimate.low = estimate.lift - half;
  estimate.high = estimate.lift + half;
  return estimate;
}

LiftEstimate estimate_lift(const LiftCounts& counts) {
  LiftEstimate first;
  for (const auto provider : {Provider::gpu, Provider::sim, Provider::fixture}) {
    const auto found = counts.by_provider.find(provider);
    if (found == counts.by_provider.end()) continue;
    const auto estimate = estimate_lift(found->second);
    if (estimate.known) return estimate;
    if (first.shown + first.withheld == 0) first = estimate;
  }
  return first;
}

bool is_harmful(const LiftEstimate& estimate) { return estimate.known && estimate.high < 0; }

}  // namespace warpmind::knowledge_base
