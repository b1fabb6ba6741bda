#pragma once
/// \file
/// One episode as the experiment sees it: how good the best kernel was after each evaluation.

#include "agents/benchmark/evaluation_table.h"
#include "base/model/episode.h"

#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace warpmind::agents::benchmark {

/// A way to fail: outcome, technique, bottleneck of the kernel that was edited.
using Failure = std::tuple<Outcome, std::string, BottleneckClass>;

struct EpisodeScore {
  /// ln(gain) over the given kernel, by the recorded times, of the kernel that would be handed out
  /// after 0, 1, … evaluations; as long as the budget and one.
  std::vector<double> curve;
  double reach = 0;              ///< half the interval of the last kernel's time, in logarithms
  std::int64_t evaluations = 0;  ///< candidates judged
  std::int64_t failed = 0;       ///< of them: wrong, not built, crashed, timed out, cheating
  std::int64_t repeated = 0;     ///< of those: a way to fail that was seen before
  double seconds = 0;            ///< wall time of the episode

  [[nodiscard]] double last() const { return curve.empty() ? 0 : curve.back(); }
};

/// The ways in which the steps of an episode failed.
[[nodiscard]] std::set<Failure> failures_of(const Episode& episode);

/// `before`: the ways to fail that were seen before the episode; those of its own earlier steps
/// count as seen, too.
[[nodiscard]] EpisodeScore score_of(const Episode& episode, const TaskRecording& recording,
                                    std::int64_t budget, const std::set<Failure>& before);

/// First number of evaluations at which `curve` reaches `target`, in ln(gain); its length (budget
/// + 1) when it never does.
[[nodiscard]] double evaluations_to(const std::vector<double>& curve, double target);

/// Mean of the curve after 1 … B evaluations.
[[nodiscard]] double anytime_area(const std::vector<double>& curve);

/// Whether `arm` ended below `control` by more than noise and 2 %.
[[nodiscard]] bool did_harm(const EpisodeScore& arm, const EpisodeScore& control);

}  // namespace warpmind::agents::benchmark
