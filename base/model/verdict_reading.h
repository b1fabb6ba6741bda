#pragma once
/// \file
/// What readers of verdicts and profiles ask for again and again.

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

/// Whether nothing is known about the kernel, neither that it is right nor that it is wrong:
/// nothing is learned from it.
[[nodiscard]] constexpr bool says_nothing(Outcome outcome) {
  return outcome == Outcome::blocked || outcome == Outcome::unjudgeable;
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
