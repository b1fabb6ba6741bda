#pragma once
/// \file
/// What the steps of an episode say about techniques, as claims with their evidence: pure. The
/// rules are in docs/knowledge.md.

#include "base/model/episode.h"
#include "base/model/insight.h"

#include <cstddef>
#include <string>
#include <vector>

namespace warpmind::knowledge_base {

/// One try that says something: it gained, it did not, or it failed.
struct TechniqueTry {
  std::size_t step = 0;
  bool gained = false;     ///< confirmed
  bool failed = false;     ///< nothing was timed
  double log_gain = 0;     ///< 0 when it failed
  std::string parameters;  ///< as the proposer spelt them
  bool operator==(const TechniqueTry&) const = default;
};

/// A technique, and where it was tried.
struct TechniqueSetting {
  std::string technique;
  BottleneckClass bottleneck = BottleneckClass::unknown;
  DeviceIdentity device = {};
  std::string toolkit = {};
  bool operator==(const TechniqueSetting&) const = default;
};

/// All tries of one technique at one bottleneck on one device.
struct TechniqueTries : TechniqueSetting {
  std::vector<TechniqueTry> tries;  ///< in the order made

  /// With the largest gain; those that failed are the worst. Never called on no tries.
  [[nodiscard]] const TechniqueTry& best() const;
  bool operator==(const TechniqueTries&) const = default;
};

/// In the order first tried. Empty for held-out episodes; without the baseline, remembered kernels
/// and steps that say nothing.
[[nodiscard]] std::vector<TechniqueTries> tries_of(const Episode& episode);

/// Techniques of the steps on the way to the best, in order, when they are two or more and their
/// gain together was confirmed; repeats in a row count once. Else empty.
[[nodiscard]] std::vector<std::string> sequence_of(const Episode& episode);

/// Positions of the steps that made the kernel of step `at`, from the first edit of the given
/// kernel to `at` itself.
[[nodiscard]] std::vector<std::size_t> way_to(const Episode& episode, std::size_t at);

/// Position of the kernel that step `at` edited: 0 when it is not among the steps before.
[[nodiscard]] std::size_t edited_step(const Episode& episode, std::size_t at);

}  // namespace warpmind::knowledge_base
