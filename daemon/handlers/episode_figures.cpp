#include "daemon/handlers/episode_figures.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace warpmind::daemon {

std::vector<double> curve_of(const Episode& episode) {
  std::vector<double> curve;
  double best = 1;
  for (std::size_t i = 1; i < episode.steps.size(); ++i) {
    const Step& step = episode.steps[i];
    // Where the edited kernel was the best one so far, the step's own comparison is with it.
    const auto& against_best = step.promotion ? step.promotion : step.verdict.comparison;
    if (step.accepted && against_best) best *= against_best->ratio;
    curve.push_back(best);
  }
  return curve;
}

std::vector<std::string> way_to_best(const Episode& episode) {
  std::vector<std::string> way;
  std::int64_t at = episode.best_step;
  // A step edits one before it, so this ends; an older record does not say which.
  while (at > 0 && at < std::ssize(episode.steps) && way.size() < episode.steps.size()) {
    const Step& step = episode.steps[static_cast<std::size_t>(at)];
    way.push_back(step.candidate.technique);
    at = step.edited < at ? step.edited : -1;
  }
  std::reverse(way.begin(), way.end());
  return way;
}

const Bottleneck* state_of_given(const Episode& episode) {
  // What was looked at before an edit stands with the step of the edit.
  for (const auto& step : episode.steps) {
    if (step.index > 0 && step.edited <= 0) return &step.before;
  }
  return nullptr;
}

std::string bottleneck_of_given(const Episode& episode) {
  const Bottleneck* const state = state_of_given(episode);
  return state == nullptr ? std::string() : std::string(name_of(state->primary));
}

protocol::JobOutcome outcome_of(const Job& job) {
  protocol::JobOutcome outcome{job.id.str(), job.state, job.request.task.name};
  if (!job.episode) return outcome;
  const Episode& episode = *job.episode;
  outcome.outcome = name_of(episode.outcome);
  outcome.summary = episode.summary;
  outcome.curve = curve_of(episode);
  if (episode.steps.empty()) return outcome;
  outcome.bottleneck = bottleneck_of_given(episode);
  outcome.how = way_to_best(episode);
  if (const auto& given = episode.steps.front().verdict.measurement) {
    outcome.device = given->device.name;
    outcome.given_ns = given->median_ns;
  }
  const auto best = static_cast<std::size_t>(std::clamp<std::int64_t>(
      episode.best_step, 0, static_cast<std::int64_t>(episode.steps.size()) - 1));
  if (const auto& measured = episode.steps[best].verdict.measurement) {
    outcome.best_ns = measured->median_ns;
  }
  return outcome;
}

}  // namespace warpmind::daemon
