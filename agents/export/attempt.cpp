#include "agents/export/attempt.h"

#include "agents/export/text_tokens.h"
#include "base/model/verdict_reading.h"
#include "base/text.h"
#include "knowledge_base/insights/reflection.h"

#include <algorithm>

namespace warpmind::agents {
namespace {

constexpr std::int64_t kSummaryTokens = 200;

bool judged_right(const Verdict& verdict) {
  switch (verdict.outcome) {
    case Outcome::improved:
    case Outcome::same:
    case Outcome::regressed: return true;
    case Outcome::inconclusive: return verdict.correctness && verdict.correctness->passed;
    default: return false;
  }
}

std::size_t edited_position(const Episode& episode, std::size_t position) {
  const std::int64_t recorded = episode.steps[position].edited;
  if (recorded < 0) return knowledge_base::edited_step(episode, position);
  const auto edited = static_cast<std::size_t>(recorded);
  return edited < position ? edited : 0;
}

bool can_compare(const Measurement& a, const Measurement& b) {
  return a.workload == b.workload && a.harness == b.harness && a.device.name == b.device.name &&
         a.median_ns > 0 && b.median_ns > 0;
}

void take_times(Attempt& attempt) {
  const auto& before = attempt.episode().steps.front().verdict.measurement;
  const auto& after = attempt.step().verdict.measurement;
  if (!before || !after || !can_compare(*before, *after)) return;
  attempt.baseline_ns = before->median_ns;
  attempt.kernel_ns = after->median_ns;
  attempt.speedup = before->median_ns / after->median_ns;
  attempt.kernel_ci95 = {after->low_ns, after->high_ns};
  if (after->low_ns > 0) {
    attempt.speedup_ci95 = {before->low_ns / after->high_ns, before->high_ns / after->low_ns};
  }
}

/// Ratios along the way from the given kernel, where a step has no time of its own.
std::optional<double> chained_speedup(const Episode& episode, std::size_t position) {
  double speedup = 1;
  for (std::size_t at = position; at > 0; at = edited_position(episode, at)) {
    const auto& comparison = episode.steps[at].verdict.comparison;
    if (!comparison || !(comparison->ratio > 0)) return std::nullopt;
    speedup *= comparison->ratio;
  }
  return speedup;
}

const Exchange* last_writing(const SourceEpisode& source, std::size_t position) {
  if (position >= source.exchanges.size()) return nullptr;
  const auto& all = source.exchanges[position];
  const auto found = std::find_if(all.rbegin(), all.rend(), [](const Exchange& exchange) {
    return exchange.purpose == "proposal" || exchange.purpose == "repair";
  });
  return found == all.rend() ? nullptr : &*found;
}

}  // namespace

std::optional<Attempt> attempt_at(const SourceEpisode& source, std::size_t position) {
  const Verdict& verdict = source.episode.steps[position].verdict;
  if (says_nothing(verdict.outcome)) return std::nullopt;
  Attempt attempt;
  attempt.source = &source;
  attempt.position = position;
  attempt.edited = edited_position(source.episode, position);
  attempt.is_right = judged_right(verdict);
  attempt.exchange = last_writing(source, position);
  if (attempt.is_right) {
    take_times(attempt);
    if (!attempt.speedup) attempt.speedup = chained_speedup(source.episode, position);
  }
  return attempt;
}

bool is_contaminated(const Attempt& attempt, const HeldOut& held_out) {
  return held_out.has_source(attempt.step().candidate.kernel.source) ||
         held_out.has_source(attempt.episode().steps[attempt.edited].candidate.kernel.source);
}

std::string author_of(const Attempt& attempt) {
  const Candidate& candidate = attempt.step().candidate;
  if (!candidate.model.empty()) return candidate.model;
  if (attempt.exchange != nullptr && !attempt.exchange->model.empty()) {
    return attempt.exchange->model;
  }
  return candidate.proposer;
}

std::string prompt_of(const Attempt& attempt) {
  if (attempt.exchange != nullptr) return attempt.exchange->prompt;
  const Episode& episode = attempt.episode();
  const Step& edited = episode.steps[attempt.edited];
  const Bottleneck& state = attempt.step().before;
  std::string text = "Make this CUDA kernel faster without changing what it computes.\nTask: " +
                     episode.task_name + " (" + episode.operator_family +
                     ")\nLimited by: " + std::string(name_of(state.primary));
  if (!state.explanation.empty()) text += ": " + state.explanation;
  text += "\n";
  for (const auto& metric : state.deciders) {
    text += metric.name + " = " + fixed(metric.value, 2) + " " + metric.unit;
    if (metric.needed) text += ", " + fixed(*metric.needed, 2) + " would do";
    text += "\n";
  }
  if (edited.gradient && !edited.gradient->text.empty()) {
    text += "Feedback on it: " + edited.gradient->text + "\n";
  }
  return text + "```cuda\n" + edited.candidate.kernel.source + "\n```\n";
}

std::string response_summary(const Attempt& attempt) {
  const Candidate& candidate = attempt.step().candidate;
  std::string text = candidate.technique;
  if (!candidate.parameters.empty()) text += " " + candidate.parameters;
  if (!candidate.rationale.empty()) text += (text.empty() ? "" : ": ") + candidate.rationale;
  return first_tokens(text, kSummaryTokens);
}

std::string feedback_of(const Attempt& attempt) {
  const Verdict& verdict = attempt.step().verdict;
  std::string text(name_of(verdict.outcome));
  if (!verdict.reason.empty()) text += ": " + verdict.reason;
  if (attempt.speedup) {
    text += "; " + fixed(*attempt.speedup, 3) + " times as fast as the given kernel";
  }
  const auto& gradient = attempt.step().gradient;
  if (gradient && !gradient->text.empty()) text += "\n" + gradient->text;
  return text + "\n";
}

}  // namespace warpmind::agents
