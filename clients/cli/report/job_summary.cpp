#include "clients/cli/report/job_summary.h"

#include "base/best_library.h"
#include "base/compiler_complaint.h"
#include "base/input_ranges.h"
#include "base/limit.h"
#include "base/model/verdict_reading.h"
#include "base/prediction_interval.h"
#include "base/text.h"
#include "clients/cli/report/episode_sections.h"
#include "clients/cli/report/units.h"
#include "clients/shell_command.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace warpmind::clients {
namespace {

constexpr std::size_t kLabelColumns = 11;
constexpr std::size_t kMostReasonLines = 240;  ///< characters of a reason that somebody else wrote
/// With a larger share of the limit, little is left to gain.
constexpr double kNearLimit = 0.9;

const Measurement* measurement_of(const Step* step) {
  return step != nullptr && step->verdict.measurement ? &*step->verdict.measurement : nullptr;
}

bool has_low_confidence(const Step* step) {
  const Measurement* const m = measurement_of(step);
  return m != nullptr && m->confidence == "low";
}

std::string clipped(const std::string& foreign) {
  return clip(clean_line(foreign), kMostReasonLines);
}

/// "99 % of the limit (6.99 µs, memory bandwidth), 1.3x of cuBLASLt 13.1.0 (…)", or why nobody can
/// say; nothing of a library where none is known. Empty for a record older than limits.
std::string against_best(const Measurement& measurement) {
  std::string text = describe_share(measurement.limit, measurement.median_ns);
  if (times_best_library(measurement.best_library, measurement.median_ns)) {
    text += (text.empty() ? "" : ", ") +
            describe_best_library(measurement.best_library, measurement.median_ns);
  }
  return clipped(text);
}

std::string short_directory(const Job& job, const ReportOptions& options) {
  return shell_word(clean_line(options.path.empty() ? job.request.task.directory : options.path));
}

// ---- what was tried ------------------------------------------------------------------------

/// What a candidate came to, in the order in which a report counts them.
enum class Attempt {
  faster,             ///< than everything before it
  faster_than_given,  ///< and not than the best of its time
  maybe_faster,       ///< than the given kernel, by less than what the comparison leaves open
  not_faster,
  wrong,
  did_not_build,
  crashed,
  rejected,
  not_judged
};
constexpr std::size_t kAttempts = 9;

std::string_view words_of(Attempt attempt, bool is_predicted) {
  switch (attempt) {
    case Attempt::faster: return "faster";
    case Attempt::faster_than_given: return "faster than given but not than the best";
    case Attempt::maybe_faster:
      return is_predicted ? "faster within the prediction's error" : "faster within noise";
    case Attempt::not_faster: return "not faster";
    case Attempt::wrong: return "wrong";
    case Attempt::did_not_build: return "did not build";
    case Attempt::crashed: return "crashed or hung";
    case Attempt::rejected: return "rejected";
    case Attempt::not_judged: break;
  }
  return "not judged";
}

/// A step against the given kernel: the comparisons along the edits that lead to it. Nothing where
/// one is missing, as in records of older builds.
std::optional<Comparison> against_given(const Episode& episode, const Step& step) {
  Comparison whole;
  const Step* at = &step;
  while (at->index != 0) {
    const auto edited = static_cast<std::size_t>(at->edited);
    // An edit is of an earlier step: whatever a record says, this ends.
    if (!at->verdict.comparison || at->edited < 0 || edited >= episode.steps.size() ||
        episode.steps[edited].index >= at->index) {
      return std::nullopt;
    }
    const Comparison& one = *at->verdict.comparison;
    whole.ratio *= one.ratio;
    whole.low *= one.low;
    whole.high *= one.high;
    whole.processes = one.processes;
    at = &episode.steps[edited];
  }
  return whole;
}

/// Of a kernel that is right. The outcome of its verdict is against the kernel that it edits, which
/// need be neither the given one nor the best.
Attempt attempt_of_right(const Episode& episode, const Step& step) {
  const bool improved = step.verdict.outcome == Outcome::improved;
  const auto whole = against_given(episode, step);
  if (!whole) return improved ? Attempt::faster : Attempt::not_faster;
  if (claims_gain(*whole)) {
    return step.accepted ? Attempt::faster : Attempt::faster_than_given;
  }
  const bool is_tie = step.edited == 0 && step.verdict.outcome == Outcome::same;
  if (!is_prediction(*whole)) {
    return whole->ratio > 1 && !is_tie ? Attempt::maybe_faster : Attempt::not_faster;
  }
  return is_better(*whole) ? Attempt::maybe_faster : Attempt::not_faster;
}

Attempt attempt_of(const Episode& episode, const Step& step) {
  switch (step.verdict.outcome) {
    case Outcome::wrong: return Attempt::wrong;
    case Outcome::build_failed: return Attempt::did_not_build;
    case Outcome::crashed:
    case Outcome::timed_out: return Attempt::crashed;
    case Outcome::cheating: return Attempt::rejected;
    case Outcome::blocked:
    case Outcome::unjudgeable: return Attempt::not_judged;
    default: return attempt_of_right(episode, step);
  }
}

std::string tried_words(const Job& job, const Episode& episode) {
  std::array<std::int64_t, kAttempts> counts{};
  for (const auto& step : episode.steps) {
    if (step.index == 0) continue;
    ++counts.at(static_cast<std::size_t>(attempt_of(episode, step)));
  }
  const auto judged = static_cast<std::int64_t>(episode.steps.size()) - 1;
  if (judged <= 0) return {};
  std::string text = format_count_noun(judged, "candidate");
  if (job.spent.seconds > 0) text += " in " + format_duration(job.spent.seconds);
  std::string separator = ": ";
  for (std::size_t i = 0; i < kAttempts; ++i) {
    if (counts.at(i) == 0) continue;
    text += std::exchange(separator, ", ") + format_count(counts.at(i)) + " ";
    text += words_of(static_cast<Attempt>(i), episode.provider == Provider::sim);
  }
  return text;
}

std::string checked_words(const Job& job, const Episode& episode) {
  const Step* best = best_of(episode);
  const Step* shown = best != nullptr ? best : baseline_of(episode);
  if (shown == nullptr) return {};
  std::string text;
  if (const auto& c = shown->verdict.correctness; c && c->passed && c->cases > 0) {
    text = format_count_noun(c->cases, "case") + " against the " +
           (job.request.task.reference.empty() ? "given kernel" : "double-precision reference");
    const auto& stages = shown->verdict.stages;
    const bool hidden = std::any_of(stages.begin(), stages.end(), [](const StageReport& stage) {
      return stage.stage == Stage::hidden_oracle && stage.passed;
    });
    if (hidden) text += ", hidden ones included";
  }
  const Step* const given = baseline_of(episode);
  const auto add = [&](const char* words) {
    text += (text.empty() ? "" : "; ") + std::string(words);
  };
  if (const auto& c = shown->verdict.correctness; c && !c->unchecked.empty()) {
    text += (text.empty() ? "" : "; ") + clean_line(c->unchecked);
  }
  if (given->verdict.effort == Effort::quick) add("effort quick: few cases only");
  const Measurement* const m = measurement_of(given);
  if (m != nullptr && !m->sandboxed) add("run without a sandbox");
  return text;
}

// ---- headlines -----------------------------------------------------------------------------

std::string headline_words(const Episode& episode) {
  switch (episode.outcome) {
    case Outcome::improved:
      return episode.best_against_baseline
                 ? gain_words(episode, episode.best_against_baseline->ratio) + " faster"
                 : "faster";
    case Outcome::inconclusive:
      if (best_of(episode) != nullptr && episode.best_against_baseline) {
        return gain_words(episode, episode.best_against_baseline->ratio) + " better";
      }
      [[fallthrough]];
    case Outcome::same: return "no faster kernel found";
    case Outcome::regressed: return "every candidate was slower";
    case Outcome::wrong: return "the given kernel computes wrong results";
    case Outcome::build_failed: return "the given kernel does not build";
    case Outcome::crashed: return "the given kernel crashes";
    case Outcome::timed_out: return "the given kernel does not end in time";
    case Outcome::cheating: return "the given kernel was rejected";
    case Outcome::blocked: return "nothing could be measured";
    case Outcome::unjudgeable: return "the given kernel cannot be judged";
  }
  return std::string(name_of(episode.outcome));
}

/// " (predicted for NVIDIA H200; likely 19.8× to 49.9×)"; empty without a measurement.
std::string headline_remark(const Episode& episode) {
  std::string remark = evidence_words(episode);
  if (best_of(episode) != nullptr && episode.best_against_baseline) {
    remark += interval_words(episode, *episode.best_against_baseline);
  }
  return remark.empty() ? remark : " (" + remark + ")";
}

std::string painted(const Episode& episode, const std::string& words, const Paint& paint) {
  if (episode.outcome == Outcome::improved) return paint.good(words);
  return is_failure(episode.outcome) ? paint.bad(words) : paint.strong(words);
}

std::string headline_line(const Job& job, const Episode& episode, const ReportOptions& options) {
  std::string name = job.request.task.name.empty() ? episode.task_name : job.request.task.name;
  if (name.empty()) name = job.id.str();
  const std::string words = headline_words(episode);
  std::string text =
      wrap(clean_line(name) + ": " + words + headline_remark(episode), 0, options.columns);
  // Coloured after wrapping: escape sequences have no width.
  const std::size_t at = text.find(words);
  if (at == std::string::npos) return text;
  return text.substr(0, at) + painted(episode, words, options.paint) +
         text.substr(at + words.size());
}

// ---- why there is nothing, and what to do ---------------------------------------------------

std::string failure_words(const Episode& episode) {
  const Step* const given = baseline_of(episode);
  if (given == nullptr) return {};
  const Verdict& verdict = given->verdict;
  if (verdict.outcome == Outcome::build_failed && verdict.build &&
      !verdict.build->diagnostics.empty()) {
    return clipped(first_complaint(verdict.build->diagnostics));
  }
  if (verdict.outcome != Outcome::unjudgeable && verdict.correctness &&
      !verdict.correctness->passed && !verdict.correctness->worst_case.empty()) {
    return clipped(verdict.correctness->worst_case);
  }
  return clipped(verdict.reason);
}

std::string dead_end_words(const Episode& episode) {
  const Measurement* const given = measurement_of(baseline_of(episode));
  const auto share =
      given != nullptr ? share_of_limit(given->limit, given->median_ns) : std::nullopt;
  if (share && *share > kNearLimit) {
    return "the given kernel is at its limit: little is left to gain";
  }
  if (episode.ended == "every edit that is known was tried") {
    return "no other built-in rewrite fits this kernel";
  }
  return clipped(episode.ended);
}

using Commands = std::vector<std::pair<std::string, std::string>>;  ///< command, what it is for

/// Three or four times the candidates of before, or the usual number.
std::string more_candidates(const Episode& episode) {
  const auto judged = static_cast<std::int64_t>(episode.steps.size()) - 1;
  return std::to_string(judged < 12 ? 24 : 4 * judged);
}

Commands dead_end_commands(const Job& job, const Episode& episode, const ReportOptions& options) {
  const std::string task = short_directory(job, options);
  Commands commands;
  const bool all_tried = episode.ended == "every edit that is known was tried";
  if (!all_tried) {
    commands.emplace_back("optimize " + task + " --evaluations " + more_candidates(episode),
                          "more candidates");
  }
  commands.emplace_back("explain-moves " + task, "which rewrites apply, and why not");
  commands.emplace_back("episode open " + task, "write candidates with an agent");
  if (episode.proposer != "llm") {
    commands.emplace_back("optimize " + task + " --proposer llm", "ask a language model");
  }
  return commands;
}

Commands next_commands(const Job& job, const Episode& episode, const ReportOptions& options) {
  const std::string number = short_number(job.id.str());
  const std::string task = short_directory(job, options);
  if (best_of(episode) != nullptr) {
    Commands commands;
    if (options.output_file.empty()) {
      commands.emplace_back("result " + number + " --output best.cu", "write the kernel");
    }
    commands.emplace_back("why " + number, "step by step");
    commands.emplace_back("result " + number + " --verbose", "metrics and diff");
    return commands;
  }
  if (episode.outcome == Outcome::blocked) {
    return {{"doctor", "what this machine lacks"},
            {"optimize " + task + " --provider sim", "predict without a GPU"}};
  }
  if (is_failure(episode.outcome) || episode.outcome == Outcome::unjudgeable) {
    return {{"result " + number + " --verbose", "the whole message"},
            {"validate " + task, "after the repair"}};
  }
  return dead_end_commands(job, episode, options);
}

std::string command_rows(const Commands& commands, const ReportOptions& options) {
  std::size_t widest = 0;
  for (const auto& [command, what] : commands) widest = std::max(widest, columns_of(command));
  const std::string program = shell_word(clean_line(options.program)) + " ";
  std::string text;
  for (const auto& [command, what] : commands) {
    std::string line = program + command;
    const std::string remark = std::string(widest - columns_of(command), ' ') + "  # " + what;
    // Never broken: a command is copied as it stands.
    if (kLabelColumns + columns_of(line + remark) <= options.columns) line += remark;
    text += (text.empty() ? "  next     " : std::string(kLabelColumns, ' ')) + line + "\n";
  }
  return text;
}

/// A row for each option of the job that reports print.
std::string option_rows(const Job& job, std::size_t columns) {
  std::string text;
  for (const auto& [name, value] : reported_options(job.request)) {
    text += summary_row(name, clean_line(value), columns);
  }
  return text;
}

std::string without_episode(const Job& job, const ReportOptions& options) {
  const std::string number = short_number(job.id.str());
  const std::string program = shell_word(clean_line(options.program));
  switch (job.state) {
    case JobState::queued:
    case JobState::running:
      return std::string(name_of(job.state)) + ", no result yet\n" +
             command_rows(
                 {{"attach " + number, "follow it to its end"}, {"cancel " + number, "end it now"}},
                 options);
    case JobState::failed:
      return options.paint.bad("failed") + "\n" +
             summary_row("why", clipped(job.error), options.columns);
    case JobState::cancelled:
      return options.paint.strong("cancelled") + " before the given kernel was judged\n";
    case JobState::done: break;
  }
  return "done, but no episode was stored\n" +
         (job.error.empty() ? "" : summary_row("why", clipped(job.error), options.columns));
}

}  // namespace

std::string summary_row(std::string_view label, const std::string& text, std::size_t columns) {
  if (text.empty()) return {};
  std::string row = wrap(text, kLabelColumns, columns);
  row.replace(2, label.size(), label);
  return row;
}

std::string gain_words(const Episode& episode, double ratio) {
  return episode.provider == Provider::sim ? format_rough(ratio) : format_ratio(ratio);
}

std::string evidence_words(const Episode& episode) {
  const Measurement* const m = measurement_of(baseline_of(episode));
  if (m == nullptr) return {};
  std::string device = clean_line(m->device.name);
  constexpr std::string_view kMaker = "NVIDIA ";
  if (device.starts_with(kMaker)) device.erase(0, kMaker.size());
  switch (episode.provider) {
    case Provider::sim: return "predicted for " + device;
    case Provider::fixture: return "recorded on " + device;
    case Provider::gpu: break;
  }
  return "measured on " + device;
}

std::string outcome_line(const Episode& episode, const Paint& paint) {
  const std::string words = headline_words(episode);
  const bool failed = is_failure(episode.outcome) || says_nothing(episode.outcome);
  const std::string why = failed ? failure_words(episode) : std::string();
  return painted(episode, words, paint) + headline_remark(episode) +
         (why.empty() ? "" : ": " + why) + "\n";
}

std::string interval_words(const Episode& episode, const Comparison& comparison) {
  // Records from before low confidence meant no interval have one.
  const bool is_low =
      has_low_confidence(baseline_of(episode)) || has_low_confidence(best_of(episode));
  if (is_low || !has_interval(comparison)) return ", low confidence";
  if (episode.provider == Provider::sim) {
    return "; likely " + format_rough(comparison.low) + " to " + format_rough(comparison.high);
  }
  return "; " + format_percent_of(comparison.confidence) + ": " + format_ratio(comparison.low) +
         " to " + format_ratio(comparison.high);
}

std::string share_words(const Episode& episode) {
  const Measurement* const best = measurement_of(best_of(episode));
  const Measurement* const last = best != nullptr ? best : measurement_of(baseline_of(episode));
  return last != nullptr ? against_best(*last) : std::string();
}

std::string time_words(const Episode& episode) {
  const Measurement* const given = measurement_of(baseline_of(episode));
  if (given == nullptr) return {};
  const Measurement* const best = measurement_of(best_of(episode));
  std::string text = format_time(given->median_ns);
  if (best != nullptr) text += " → " + format_time(best->median_ns);
  const std::string share = share_words(episode);
  return share.empty() ? text : text + ", " + share;
}

std::string time_words(const Verdict& verdict) {
  if (!verdict.measurement) return {};
  const std::string share = against_best(*verdict.measurement);
  return format_time(verdict.measurement->median_ns) + (share.empty() ? "" : ", " + share);
}

std::string reason_rows(const Episode& episode, const SourceFile& source, std::size_t columns) {
  std::string text;
  const Step* const given = baseline_of(episode);
  const Bottleneck* const bottleneck = given_bottleneck(episode);
  if (given != nullptr && bottleneck != nullptr) {
    for (const auto& reason : reasons_of(*given, *bottleneck, source)) {
      text += summary_row(text.empty() ? "slow" : "also", reason, columns);
    }
  }
  const Step* const best = best_of(episode);
  if (best == nullptr) return text;
  const std::string changes = join_text(changes_to(episode, *best), "; ");
  return text + summary_row("changed", changes, columns);
}

std::string short_number(std::string_view id) {
  const std::size_t digits = id.find_first_of("0123456789");
  if (digits == std::string_view::npos) return clean_line(id);
  const std::size_t first = id.find_first_not_of('0', digits);
  return first == std::string_view::npos ? "0" : clean_line(id.substr(first));
}

std::string render_job(const Job& job, const ReportOptions& options) {
  if (!job.episode) {
    const std::string name = job.request.task.name.empty() ? job.id.str() : job.request.task.name;
    return clean_line(name) + ": " + without_episode(job, options) +
           option_rows(job, options.columns);
  }
  const Episode& episode = *job.episode;
  const std::size_t columns = options.columns;
  const bool failed = is_failure(episode.outcome) || says_nothing(episode.outcome);
  std::string text = headline_line(job, episode, options);
  text += summary_row("time", time_words(episode), columns);
  text += reason_rows(episode, options.source, columns);
  if (!failed) text += summary_row("checked", checked_words(job, episode), columns);
  text += summary_row("inputs", describe_inputs(job.request.task), columns);
  text += summary_row("tried", tried_words(job, episode), columns);
  if (job.state == JobState::cancelled) {
    const auto judged = static_cast<std::int64_t>(episode.steps.size()) - 1;
    text += summary_row("ended",
                        "cancelled after " +
                            format_count_noun(std::max<std::int64_t>(judged, 0), "candidate") +
                            "; what was found is kept",
                        columns);
  }
  if (failed) {
    text += summary_row("why", failure_words(episode), columns);
  } else if (best_of(episode) == nullptr) {
    text += summary_row("why", dead_end_words(episode), columns);
  }
  text += summary_row("written", clean_line(options.output_file), columns);
  text += option_rows(job, columns);
  return text + command_rows(next_commands(job, episode, options), options);
}

}  // namespace warpmind::clients
