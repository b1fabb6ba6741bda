#include "agents/benchmark/episode_score.h"

#include "base/model/verdict_reading.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace warpmind::agents::benchmark {
namespace {

/// A loss that is worth the name.
constexpr double kLeastLoss = 0.02;

std::optional<Failure> failure_of(const Step& step) {
  if (!is_failure(step.verdict.outcome)) return std::nullopt;
  return Failure{step.verdict.outcome, step.candidate.technique, step.before.primary};
}

}  // namespace

std::set<Failure> failures_of(const Episode& episode) {
  std::set<Failure> all;
  for (std::size_t i = 1; i < episode.steps.size(); ++i) {
    if (auto failure = failure_of(episode.steps[i])) all.insert(std::move(*failure));
  }
  return all;
}

EpisodeScore score_of(const Episode& episode, const TaskRecording& recording, std::int64_t budget,
                      const std::set<Failure>& before) {
  EpisodeScore score;
  score.curve.assign(1, 0.0);
  std::set<Failure> seen = before;
  for (std::size_t i = 1; i < episode.steps.size(); ++i) {
    const Step& step = episode.steps[i];
    ++score.evaluations;
    if (auto failure = failure_of(step)) {
      ++score.failed;
      if (!seen.insert(std::move(*failure)).second) ++score.repeated;
    }
    const KernelId kernel = id_of(step.candidate.kernel);
    const auto gain = step.accepted ? recording.log_gain(kernel) : std::nullopt;
    score.curve.push_back(gain.value_or(score.curve.back()));
    if (gain) score.reach = recording.time_of(kernel)->reach;
  }
  score.curve.resize(static_cast<std::size_t>(budget) + 1, score.curve.back());
  return score;
}

double evaluations_to(const std::vector<double>& curve, double target) {
  constexpr double kRounding = 1e-9;
  const auto reached = std::find_if(curve.begin(), curve.end(),
                                    [&](double gain) { return gain >= target - kRounding; });
  return static_cast<double>(reached - curve.begin());
}

double anytime_area(const std::vector<double>& curve) {
  if (curve.size() < 2) return 0;
  return std::accumulate(curve.begin() + 1, curve.end(), 0.0) /
         static_cast<double>(curve.size() - 1);
}

bool did_harm(const EpisodeScore& arm, const EpisodeScore& control) {
  const double noise = std::hypot(arm.reach, control.reach);
  return arm.last() < control.last() - std::max(noise, kLeastLoss);
}

}  // namespace warpmind::agents::benchmark
