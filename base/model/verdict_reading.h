#pragma once
/// \file
/// What readers of verdicts and profiles ask for again and again.

#include "base/job_names.h"
#include "base/model/episode.h"
#include "base/model/profile.h"
#include "base/model/verdict.h"

#include <vector>

namespace warpmind {

/// Whether the kernel itself is no good: it does not build, is not right, or does not play fair.
[[nodiscard]] constexpr bool is_failure(Outcome outcome) {
  return outcome == Outcome::wrong || outcome == Outcome::build_failed ||
         outcome == Outcome::crashed || outcome == Outcome::timed_out ||
         outcome == Outcome::cheating;
}

/// Whether a rewrite of the built-in agent was refused for its text, which is ours: it does not
/// compile, breaks a rule, races, reads out of bounds or crashes. Such an end is a fault of
/// warpmind and says nothing about the technique. Results that differ are no such end, since
/// whether they stay within the tolerance depends on the task.
[[nodiscard]] inline bool is_own_fault(const Candidate& candidate, const Verdict& verdict) {
  if (candidate.proposer != kBuiltinProposer || !is_failure(verdict.outcome)) return false;
  if (verdict.stages.empty() || verdict.stages.back().passed) return false;
  if (verdict.outcome == Outcome::timed_out) return false;
  if (verdict.outcome == Outcome::crashed) return true;
  switch (verdict.stages.back().stage) {
    case Stage::static_checks:
    case Stage::simulation:
    case Stage::sanitizer: return true;
    case Stage::build: return verdict.build && !verdict.build->succeeded;
    default: return false;
  }
}

/// Whether nothing is known about the kernel, neither that it is right nor that it is wrong:
/// nothing is learned from it.
[[nodiscard]] constexpr bool says_nothing(Outcome outcome) {
  return outcome == Outcome::blocked || outcome == Outcome::unjudgeable;
}

/// Of a comparison that no process was timed for.
[[nodiscard]] constexpr bool is_prediction(const Comparison& comparison) {
  return comparison.processes == 0;
}

/// A prediction that is better by less is a tie: the kernel that was there first stays.
inline constexpr double kPredictedTie = 1.001;

/// Whether the first of two right kernels stays. Of two predictions the better one does: how far a
/// prediction may be off decides what is claimed and taught, not which kernel is kept.
[[nodiscard]] constexpr bool is_better(const Comparison& comparison) {
  return comparison.low > 1 || (is_prediction(comparison) && comparison.ratio > kPredictedTie);
}

/// Whether the kernel stays in the place of the one that it was compared with.
[[nodiscard]] inline bool is_better(const Verdict& verdict) {
  if (verdict.outcome == Outcome::improved) return true;
  const bool is_open = verdict.outcome == Outcome::inconclusive || verdict.outcome == Outcome::same;
  return is_open && verdict.comparison && is_prediction(*verdict.comparison) &&
         is_better(*verdict.comparison);
}

/// The launch that takes most of the time, the first of several; nullptr when there is none.
[[nodiscard]] inline const KernelProfile* largest_launch(
    const std::vector<KernelProfile>& launches) {
  const KernelProfile* largest = nullptr;
  for (const auto& launch : launches) {
    if (largest == nullptr || launch.time_share > largest->time_share) largest = &launch;
  }
  return largest;
}

}  // namespace warpmind
