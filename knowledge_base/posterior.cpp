#include "knowledge_base/posterior.h"

#include "knowledge_base/toolchain_distance.h"

#include <algorithm>
#include <cmath>

namespace warpmind::knowledge_base {
namespace {

/// Shape of the prior of the variance: a t distribution with 4 degrees of freedom, the heaviest
/// tail whose variance is still finite with room to spare.
constexpr double kPriorShape = 2;
/// With it the 80 % interval of a technique nobody tried is 0.69 … 1.60.
constexpr double kPriorVariance = 0.0565;

/// Likewise of an expectation that nobody measured yet: 0.68 … 1.47.
constexpr double kExpectationVariance = 0.0473;
/// Comparisons that no evidence counts as, in the order of moves.
constexpr double kStandingPrior = 1;

/// Belief about log gain: mean, strength in counts, and shape and rate of the inverse variance.
struct NormalInverseGamma {
  double mean = 0;
  double strength = kPseudoCounts;
  double shape = kPriorShape;
  double rate = kPriorShape * kPriorVariance;
};

NormalInverseGamma update(const NormalInverseGamma& prior, const Moments& seen) {
  if (seen.weight <= kNoWeight) return prior;
  NormalInverseGamma next;
  next.strength = prior.strength + seen.weight;
  next.mean = (prior.strength * prior.mean + seen.weight * seen.mean) / next.strength;
  next.shape = prior.shape + seen.weight / 2;
  const double shift = seen.mean - prior.mean;
  next.rate = prior.rate + seen.squares / 2 +
              prior.strength * seen.weight * shift * shift / (2 * next.strength);
  return next;
}

/// What a broader level says to a narrower one: its mean and variance, with the weight of
/// kPseudoCounts however much it saw. This is what widens the interval of a new device.
NormalInverseGamma as_prior(const NormalInverseGamma& broader) {
  NormalInverseGamma prior;
  prior.mean = broader.mean;
  prior.rate = kPriorShape * broader.rate / broader.shape;
  return prior;
}

/// `broad` without what `narrow` holds.
PosteriorCounts without(const PosteriorCounts& broad, const PosteriorCounts& narrow) {
  PosteriorCounts rest;
  rest.confirmed = broad.confirmed.minus(narrow.confirmed);
  rest.screened = broad.screened.minus(narrow.screened);
  rest.feasible = std::max<std::int64_t>(0, broad.feasible - narrow.feasible);
  rest.infeasible = std::max<std::int64_t>(0, broad.infeasible - narrow.infeasible);
  return rest;
}

bool saw_gain(const PosteriorCounts& counts) {
  return counts.confirmed.weight > kNoWeight || counts.screened.weight > kNoWeight;
}

/// By what the toolchain of the evidence that a chain rests on widens its variance.
double staleness(std::span<const PosteriorCounts> chain, const Toolchain& now) {
  for (auto level = chain.rbegin(); level != chain.rend(); ++level) {
    if (saw_gain(*level)) return variance_factor(level->toolchain, now);
  }
  return 1;
}

/// ln(high / mean) of the 80 % interval of the next try.
double reach_of(const NormalInverseGamma& belief, double staleness) {
  const double variance = belief.rate / belief.shape * (1 + 1 / belief.strength) * staleness;
  return t_quantile_90(2 * belief.shape) * std::sqrt(variance);
}

}  // namespace

double t_quantile_90(double degrees) {
  constexpr double kZ = 1.2815515655446004;
  constexpr double kZ3 = kZ * kZ * kZ;
  constexpr double kZ5 = kZ3 * kZ * kZ;
  constexpr double kZ7 = kZ5 * kZ * kZ;
  return kZ + (kZ3 + kZ) / (4 * degrees) +
         (5 * kZ5 + 16 * kZ3 + 3 * kZ) / (96 * degrees * degrees) +
         (3 * kZ7 + 19 * kZ5 + 17 * kZ3 - 15 * kZ) / (384 * degrees * degrees * degrees);
}

std::array<PosteriorKey, kPosteriorLevels> chain_of(const PosteriorScope& scope) {
  PosteriorKey key;
  key.provider = scope.provider;
  std::array<PosteriorKey, kPosteriorLevels> chain;
  chain[0] = key;
  key.level = PosteriorLevel::technique;
  key.technique = scope.technique;
  chain[1] = key;
  key.level = PosteriorLevel::bottleneck;
  key.bottleneck = name_of(scope.bottleneck);
  chain[2] = key;
  key.level = PosteriorLevel::family;
  key.family = architecture_of(scope.device.compute_major, scope.device.compute_minor);
  chain[3] = key;
  key.level = PosteriorLevel::device;
  key.device = scope.device.name;
  chain[4] = key;
  return chain;
}

GainEstimate estimate(std::span<const PosteriorCounts> chain, const Toolchain& now) {
  NormalInverseGamma belief;
  belief.mean = std::log(kPriorGain);
  for (std::size_t level = 0; level < chain.size(); ++level) {
    const bool narrowest = level + 1 == chain.size();
    const PosteriorCounts own = narrowest ? chain[level] : without(chain[level], chain[level + 1]);
    const NormalInverseGamma prior = level == 0 ? belief : as_prior(belief);
    belief = update(prior, own.confirmed.plus(own.screened));
  }
  const double reach = reach_of(belief, staleness(chain, now));
  return {std::exp(belief.mean), std::exp(belief.mean - reach), std::exp(belief.mean + reach),
          feasibility_along(chain)};
}

ExpectationEstimate estimate_expectation(std::span<const Moments> apart) {
  NormalInverseGamma belief;
  belief.rate = kPriorShape * kExpectationVariance;
  bool is_first = true;
  for (const Moments& seen : apart) {
    belief = update(is_first ? belief : as_prior(belief), seen);
    is_first = false;
  }
  const double reach = reach_of(belief, 1);
  return {std::exp(belief.mean), std::exp(belief.mean - reach), std::exp(belief.mean + reach)};
}

double feasibility_along(std::span<const PosteriorCounts> chain, double prior) {
  double feasibility = prior;
  for (std::size_t level = 1; level < chain.size(); ++level) {
    const bool narrowest = level + 1 == chain.size();
    const PosteriorCounts own = narrowest ? chain[level] : without(chain[level], chain[level + 1]);
    const auto worked = static_cast<double>(own.feasible);
    const auto failed = static_cast<double>(own.infeasible);
    feasibility = (kPseudoCounts * feasibility + worked) / (kPseudoCounts + worked + failed);
  }
  return feasibility;
}

double standing_of(const PosteriorCounts& counts) {
  const Moments& seen = counts.standing;
  return seen.weight * seen.mean / (seen.weight + kStandingPrior);
}

GainEstimate estimate(const std::array<PosteriorCounts, kPosteriorLevels>& chain) {
  return estimate(std::span<const PosteriorCounts>(chain));
}

}  // namespace warpmind::knowledge_base
