#pragma once
/// \file
/// What an insight is worth: outcomes of steps that saw it against outcomes of steps from which it
/// was withheld by chance, each weighted by the inverse of its probability.

#include "base/model/measurement.h"
#include "base/model/verdict.h"
#include "knowledge_base/retrieval/query.h"

#include <cstdint>
#include <map>
#include <optional>

namespace warpmind::knowledge_base {

/// Steps of one arm: enough to estimate a weighted mean and its variance.
struct LiftArm {
  std::int64_t steps = 0;
  double weight = 0;                  ///< sum of w
  double weight_squares = 0;          ///< sum of w^2
  double weighted = 0;                ///< sum of w y
  double weighted_by_squares = 0;     ///< sum of w^2 y
  double weighted_squares_twice = 0;  ///< sum of w^2 y^2

  /// `probability` of the step to be in this arm, above 0.
  void add(double outcome, double probability);
  [[nodiscard]] double mean() const;      ///< 0 without steps
  [[nodiscard]] double variance() const;  ///< of the mean; 0 with fewer than two steps
  bool operator==(const LiftArm&) const = default;
};

struct LiftArms {
  LiftArm shown;
  LiftArm withheld;
  bool operator==(const LiftArms&) const = default;
};

/// By provider: simulated outcomes say nothing about measured ones.
struct LiftCounts {
  std::map<Provider, LiftArms> by_provider;
  bool operator==(const LiftCounts&) const = default;
};

/// Steps in each arm from which on there is an interval.
inline constexpr std::int64_t kLeastLiftSteps = 5;

/// Outcomes of steps that were not timed, and the bounds of those that were (ln of the gain).
inline constexpr double kOutcomeOfWrong = -0.25;  ///< also crashed, timed out, cheating
inline constexpr double kOutcomeOfBuildFailure = -0.4;
inline constexpr double kLeastOutcome = -1;
inline constexpr double kMostOutcome = 1.5;

/// What a step came to; nullopt when it says nothing about the move (blocked, never timed).
[[nodiscard]] std::optional<double> outcome_of(const Verdict& verdict);

/// Difference of the weighted means (Hájek) with its 95 % interval by Student's t, degrees of
/// freedom by Welch from the effective numbers of steps. Steps of one episode are taken as
/// independent, which makes the interval somewhat short where they are not.
[[nodiscard]] LiftEstimate estimate_lift(const LiftArms& arms);
/// Of the first provider of gpu, sim, fixture that is known; else of the first with any step.
[[nodiscard]] LiftEstimate estimate_lift(const LiftCounts& counts);

/// Known, and below zero with its whole interval.
[[nodiscard]] bool is_harmful(const LiftEstimate& estimate);

}  // namespace warpmind::knowledge_base
