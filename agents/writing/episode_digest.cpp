#include "agents/writing/episode_digest.h"

#include "agents/writing/prompt_material.h"
#include "agents/writing/quoted_text.h"
#include "agents/writing/task_text.h"
#include "base/text.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace warpmind::agents::writing {
namespace {

using config::SlotType;

constexpr std::size_t kLineBytes = 400;

std::string describe(const Step& step) {
  std::string text = summary_of(step) + "\n";
  if (step.index == 0) return text;
  text += "  the edited kernel was limited by " + std::string(name_of(step.before.primary)) +
          ", confidence " + fixed(step.before.confidence, 2) + "; predicted " +
          fixed(step.candidate.predicted_gain, 2) + "x\n";
  if (!step.verdict.comparison && !step.verdict.reason.empty()) {
    text += "  " + quoted_line(step.verdict.reason, kLineBytes) + "\n";
  }
  if (!step.gradient) return text;
  if (step.gradient->measured_log_gain) {
    text += "  measured log gain " + fixed(*step.gradient->measured_log_gain, 3) + "\n";
  }
  for (const auto& change : step.gradient->changes) {
    text += "  " + change.name + ": " + fixed(change.before, 2) + " to " + fixed(change.after, 2) +
            " " + change.unit + "\n";
  }
  return text;
}

std::string describe_steps(const Episode& episode) {
  const auto& steps = episode.steps;
  const std::size_t first = steps.size() > kDigestSteps ? steps.size() - kDigestSteps : 0;
  std::string text;
  if (first > 0) text = std::to_string(first) + " older steps are left out\n";
  for (std::size_t i = first; i < steps.size(); ++i) text += describe(steps[i]);
  if (text.empty()) return "none";
  text.pop_back();
  return text;
}

std::string describe_insights(const std::vector<RetrievedInsight>& insights) {
  std::string text;
  for (const auto& insight : insights) {
    if (!insight.shown) continue;
    text += insight.id.str() + " (" + std::string(name_of(insight.kind)) + ", " +
            std::string(name_of(insight.state)) + "): " + quoted_line(insight.claim, kLineBytes) +
            "\n";
  }
  if (text.empty()) return "none";
  text.pop_back();
  return text;
}

std::string describe_outcome(const Episode& episode) {
  std::string text = std::string(name_of(episode.outcome)) + "; times by provider " +
                     std::string(name_of(episode.provider));
  if (!episode.steps.empty() && episode.steps.front().verdict.measurement) {
    text += " on " + quoted_line(episode.steps.front().verdict.measurement->device.name, 80);
  }
  text += "; best step " + std::to_string(episode.best_step);
  if (episode.best_against_baseline) {
    text += ", " + fixed(episode.best_against_baseline->ratio, 3) + "x over the given kernel";
  }
  return text;
}

}  // namespace

config::SlotValues critique_slots(const Task& task, const Episode& episode,
                                  const std::vector<RetrievedInsight>& insights) {
  return {{"task_name", {SlotType::line, quoted_line(task.name, 120)}},
          {"interface", {SlotType::data, describe_interface(task)}},
          {"outcome", {SlotType::data, describe_outcome(episode)}},
          {"steps", {SlotType::data, describe_steps(episode)}},
          {"insights", {SlotType::data, describe_insights(insights)}}};
}

}  // namespace warpmind::agents::writing
