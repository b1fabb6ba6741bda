#include "agents/writing/prompt_material.h"

#include "agents/writing/hardware_brief.h"
#include "agents/writing/quoted_text.h"
#include "agents/writing/situation_text.h"
#include "agents/writing/task_text.h"
#include "base/model/verdict_reading.h"
#include "base/text.h"

#include <algorithm>

namespace warpmind::agents::writing {
namespace {

using config::SlotType;
using config::SlotValue;
using config::SlotValues;

bool failed(const Step& step) { return is_failure(step.verdict.outcome); }

/// Summaries of those of `steps` that `wanted` takes; the newest kSummaries.
template <class Wanted>
std::string history(std::span<const Step> steps, Wanted wanted) {
  std::vector<std::string> lines;
  for (const auto& step : steps) {
    if (step.index > 0 && wanted(step)) lines.push_back(summary_of(step));
  }
  std::string text;
  const std::size_t first = lines.size() > kSummaries ? lines.size() - kSummaries : 0;
  if (first > 0) text = std::to_string(first) + " older steps are left out\n";
  for (std::size_t i = first; i < lines.size(); ++i) text += lines[i] + "\n";
  return or_none(std::move(text), "none yet");
}

}  // namespace

std::string name_of_edit(const std::string& technique, const std::string& parameters) {
  return parameters.empty() ? technique : technique + " (" + parameters + ")";
}

std::string summary_of(const Step& step) {
  const Candidate& candidate = step.candidate;
  if (step.index == 0)
    return "step 0, the given kernel: " + std::string(name_of(step.verdict.outcome));
  std::string text = "step " + std::to_string(step.index);
  if (step.edited >= 0) text += " on " + std::to_string(step.edited);
  text += ", " + quoted_line(name_of_edit(candidate.technique, candidate.parameters), 120) + ": " +
          std::string(name_of(step.verdict.outcome));
  if (step.verdict.comparison) text += ", " + fixed(step.verdict.comparison->ratio, 3) + "x";
  if (step.accepted) text += ", now the fastest";
  if (!candidate.rationale.empty()) text += "; meant: " + quoted_line(candidate.rationale, 200);
  // A failure by its kind alone: what the tools said belongs to the repair of that candidate.
  return quoted_line(text, 3 * kSummaryTokens);
}

SlotValues task_slots(const Task& task, const DeviceSpec& device,
                      const std::vector<Technique>& cards) {
  const std::string architecture = architecture_of(device.compute_major, device.compute_minor);
  std::string techniques;
  for (std::size_t i = 0; i < std::min(kCards, cards.size()); ++i) {
    techniques += describe_card(cards[i], architecture);
  }
  return {{"task_name", {SlotType::line, quoted_line(task.name, 120)}},
          {"interface", {SlotType::data, describe_interface(task)}},
          {"reference", {SlotType::code, quoted_text(task.reference, kReferenceBytes)}},
          {"device", {SlotType::text, hardware_brief(device)}},
          {"techniques", {SlotType::data, or_none(std::move(techniques), "none")}}};
}

SlotValues kernel_slots(const ProposalContext& context) {
  return {{"kernel_source", {SlotType::code, context.kernel.source}},
          {"launch_plan", {SlotType::data, describe_plan(context.kernel)}},
          {"bottleneck", {SlotType::data, describe_bottleneck(context.bottleneck)}},
          {"advice", {SlotType::data, describe_advice(context.advice)}}};
}

SlotValues performance_slots(const ProposalContext& context) {
  std::string gradient = "none yet";
  const auto newest =
      std::find_if(context.steps.rbegin(), context.steps.rend(), [](const Step& step) {
        // One without a time speaks of a failure: not of this feedback.
        return step.gradient && step.gradient->measured_log_gain;
      });
  if (newest != context.steps.rend()) {
    gradient =
        "step " + std::to_string(newest->index) + ": " + describe_gradient(*newest->gradient);
  }
  return {{"gradient", {SlotType::data, or_none(std::move(gradient), "none yet")}},
          {"history", {SlotType::data, history(context.steps, [](const Step&) { return true; })}}};
}

SlotValues correctness_slots(const ProposalContext& context) {
  // The candidate at hand is shown whole beside this.
  const auto earlier = context.steps.first(context.steps.empty() ? 0 : context.steps.size() - 1);
  return {{"history", {SlotType::data, history(earlier, failed)}}};
}

}  // namespace warpmind::agents::writing
