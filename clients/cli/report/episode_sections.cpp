#include "clients/cli/report/episode_sections.h"

#include "base/prediction_interval.h"
#include "base/text.h"
#include "clients/cli/report/launch_table.h"
#include "clients/cli/report/plain_words.h"
#include "clients/cli/report/table.h"
#include "clients/cli/report/units.h"

#include <algorithm>

namespace warpmind::clients {
namespace {

/// More compiler text than this hides the rest of the report; `--json` has all of it.
constexpr std::size_t kDiagnosticLines = 40;

std::string technique_text(const Candidate& candidate) {
  const std::string technique = clean_line(candidate.technique);
  return candidate.parameters.empty() ? technique
                                      : technique + " " + clean_line(candidate.parameters);
}

void add_predicted_row(Table& table, const std::string& name, const Measurement& m) {
  table.add({name, format_time(m.median_ns), format_interval(m.low_ns, m.high_ns, format_time),
             clean_line(m.bound), clean_line(m.confidence), clean_line(m.workload)});
}

void add_time_row(Table& table, const std::string& name, const Measurement& m) {
  table.add(
      {name, format_time(m.median_ns), format_interval(m.low_ns, m.high_ns, format_time),
       format_count(m.samples) + " blocks of " + format_count(m.launches_per_sample) + " runs",
       m.sm_clock_mhz > 0 ? format_metric(m.sm_clock_mhz, "MHz") : "unknown",
       clean_line(m.workload)});
}

std::string bottleneck_text(const Bottleneck& b, std::size_t columns) {
  std::string sentence =
      std::string(name_of(b.primary)) + " (confidence " + format_percent_of(b.confidence) + ")";
  for (std::size_t i = 0; i < b.secondary.size(); ++i) {
    sentence += (i == 0 ? "; also " : ", ") + std::string(name_of(b.secondary[i]));
  }
  if (!b.causes.empty()) {
    return wrap(clean_line(b.explanation), 2, columns) + clean(cause_table(b).render(4, columns));
  }
  std::string text = wrap(sentence, 2, columns);
  Table deciders({Align::left, Align::right, Align::left});
  for (const auto& metric : b.deciders) {
    deciders.add({clean_line(metric.name), format_metric(metric.value, metric.unit),
                  metric.needed ? format_metric(*metric.needed, metric.unit) + " would do" : ""});
  }
  return text + clean(deciders.render(4, columns));
}

/// Nothing of the usual effort.
std::string effort_text(Effort effort, std::size_t columns) {
  if (effort == Effort::normal) return {};
  const bool quick = effort == Effort::quick;
  return wrap(quick ? "Judged with effort quick (few seeds, no hidden cases): a sketch, not "
                      "enough for evidence of the highest trust; --effort normal checks all."
                    : "Judged with effort strict.",
              2, columns);
}

std::string expected_text(const Candidate& c) {
  return format_ratio(c.predicted_gain) + " (" +
         format_interval(c.predicted_low, c.predicted_high, format_ratio) + ")";
}

std::string change_text(const Step& step, std::size_t columns) {
  std::string sentence =
      "Step " + std::to_string(step.index) + ", " + technique_text(step.candidate) + ": ";
  if (step.candidate.proposer == "memory") {
    sentence += "from memory, see above. ";
  } else if (!step.candidate.rationale.empty()) {
    sentence += clean_line(step.candidate.rationale) + " ";
  }
  sentence += "Expected " + expected_text(step.candidate);
  if (step.verdict.comparison) {
    const bool modelled = step.verdict.comparison->processes == 0;
    sentence += (modelled ? ", by the model " : ", measured ") +
                format_ratio(step.verdict.comparison->ratio) + " (" +
                interval_of(*step.verdict.comparison) + ")";
  }
  return wrap(sentence + ".", 2, columns);
}

}  // namespace

const Step* baseline_of(const Episode& episode) {
  return episode.steps.empty() ? nullptr : &episode.steps.front();
}

const Step* best_of(const Episode& episode) {
  const auto index = static_cast<std::size_t>(std::max<std::int64_t>(episode.best_step, 0));
  return index == 0 || index >= episode.steps.size() ? nullptr : &episode.steps[index];
}

std::string interval_of(const Comparison& comparison) {
  std::string interval = format_interval(comparison.low, comparison.high, format_ratio);
  if (!has_interval(comparison)) return interval;
  return format_percent_of(comparison.confidence) + " interval " + interval;
}

std::string evidence_section(const Episode& episode, std::size_t columns) {
  const Step* baseline = baseline_of(episode);
  if (baseline == nullptr || !baseline->verdict.measurement) return {};
  const Measurement& m = *baseline->verdict.measurement;
  const std::string effort = effort_text(baseline->verdict.effort, columns);
  if (episode.provider == Provider::sim) {
    return effort +
           wrap("simulated: " + clean_line(m.device.name) + " (" +
                    architecture_of(m.device.compute_major, m.device.compute_minor) + ", CUDA " +
                    clean_line(m.toolkit) + "); results are computed and checked, times modelled",
                2, columns);
  }
  std::string text =
      effort +
      wrap("measured on " + clean_line(m.device.name) + " (" +
               architecture_of(m.device.compute_major, m.device.compute_minor) + ", driver " +
               clean_line(m.device.driver) + ", CUDA " + clean_line(m.toolkit) + ")" +
               (m.cold_l2 ? ", L2 flushed before every block" : ", L2 warm"),
           2, columns);
  if (episode.provider == Provider::fixture) {
    text += wrap("Recorded evidence (provider fixture): replayed from files, not measured now.", 2,
                 columns);
  }
  if (!m.sandboxed) {
    text +=
        wrap("Run without a sandbox: the candidates could have touched the machine.", 2, columns);
  }
  return text;
}

std::string times_section(const Episode& episode, const ReportOptions& options) {
  const Step* baseline = baseline_of(episode);
  if (baseline == nullptr || !baseline->verdict.measurement) return {};
  const bool predicted = episode.provider == Provider::sim;
  Table table({Align::left, Align::right, Align::left, Align::left,
               predicted ? Align::left : Align::right, Align::left});
  table.add(predicted ? std::vector<std::string>{"", "predicted", "80 % interval", "bound by",
                                                 "confidence", "workload"}
                      : std::vector<std::string>{"", "time a run", "95 % interval", "samples",
                                                 "SM clock", "workload"});
  const auto add_row = predicted ? add_predicted_row : add_time_row;
  add_row(table, "baseline", *baseline->verdict.measurement);
  const Step* best = best_of(episode);
  if (best != nullptr && best->verdict.measurement) {
    add_row(table, "best, step " + std::to_string(best->index), *best->verdict.measurement);
  }
  return "\n" + table.render(2, options.columns);
}

std::string why_section(const Episode& episode, const ReportOptions& options) {
  const Bottleneck* bottleneck = given_bottleneck(episode);
  std::string text;
  if (bottleneck != nullptr) text += bottleneck_text(*bottleneck, options.columns);
  for (const auto& step : episode.steps) {
    if (step.index > 0 && step.accepted && step.index <= episode.best_step) {
      text += change_text(step, options.columns);
    }
  }
  return text.empty() ? text : "\n" + options.paint.strong("Why") + "\n" + text;
}

std::string tried_section(const Episode& episode, const ReportOptions& options) {
  Table table({Align::right, Align::left, Align::right, Align::left, Align::right, Align::left});
  table.add({"step", "technique", "expected", "outcome",
             episode.provider == Provider::sim ? "modelled" : "measured", "interval, or why not"});
  for (const auto& step : episode.steps) {
    if (step.index == 0) continue;
    const auto& comparison = step.verdict.comparison;
    const std::string proposer = clean_line(step.candidate.proposer);
    const bool is_other =
        proposer == "memory" || (!episode.proposer.empty() && proposer != episode.proposer);
    table.add({std::to_string(step.index),
               (is_other ? proposer + ": " : "") + clip(technique_text(step.candidate), 80),
               format_ratio(step.candidate.predicted_gain),
               std::string(name_of(step.verdict.outcome)) + (step.accepted ? ", kept" : ""),
               comparison ? format_ratio(comparison->ratio) : "–",
               comparison ? format_interval(comparison->low, comparison->high, format_ratio)
                          : clip(clean_line(step.verdict.reason), 120)});
  }
  if (table.rows() == 1) return {};
  return "\n" + options.paint.strong("Tried") + " (each against the kernel that it edits)\n" +
         table.render(2, options.columns);
}

std::string launches_section(const Episode& episode, const ReportOptions& options) {
  const Step* baseline = baseline_of(episode);
  const Step* best = best_of(episode);
  if (baseline == nullptr || best == nullptr || !baseline->verdict.profile ||
      !best->verdict.profile) {
    return {};
  }
  const Profile& after = *best->verdict.profile;
  const auto changes = launch_changes(&*baseline->verdict.profile, after);
  std::string table =
      launch_table(changes, {"baseline", "step " + std::to_string(best->index)}, options.columns);
  if (table.empty()) return table;
  std::string text = "\n" + options.paint.strong("Launches") + " (tier " +
                     std::string(name_of(std::min(baseline->verdict.profile->tier, after.tier))) +
                     ")\n" + table;
  for (const std::string& note : {cache_text(after), clean_line(after.note)}) {
    if (!note.empty()) text += wrap(note, 2, options.columns);
  }
  return text + wrap("all metrics: " + options.program + " why " + clean_line(episode.id.str()) +
                         " " + std::to_string(best->index) + " --profile --metrics",
                     2, options.columns);
}

std::string findings_section(const Episode& episode, const ReportOptions& options) {
  const Step* baseline = baseline_of(episode);
  const Step* best = best_of(episode);
  const Step* shown = best != nullptr ? best : baseline;
  if (shown == nullptr || shown->verdict.findings.empty()) return {};
  std::string text;
  for (const auto& finding : shown->verdict.findings) {
    std::string sentence =
        (finding.defect ? "Defect: " : "Wasted work: ") + clean_line(finding.kind);
    sentence += " in " + clean_line(finding.kernel);
    if (finding.line > 0) sentence += " line " + std::to_string(finding.line);
    sentence += ", " + format_count(finding.count) + (finding.count == 1 ? " time; " : " times; ");
    text += wrap(sentence + clean_line(finding.where), 2, options.columns);
  }
  return "\n" + options.paint.strong("Seen by the simulator") + "\n" + text;
}

std::string static_section(const Episode& episode, const ReportOptions& options) {
  const Step* baseline = baseline_of(episode);
  if (baseline == nullptr || !baseline->verdict.build || !baseline->verdict.build->succeeded) {
    return {};
  }
  const BuildReport& build = *baseline->verdict.build;
  Table table({Align::left, Align::right, Align::right, Align::right, Align::right, Align::right});
  table.add(
      {"kernel", "registers a thread", "static shared", "stack", "spill stores", "spill loads"});
  const auto bytes = [](std::int64_t n) { return format_bytes(static_cast<double>(n)); };
  for (const auto& kernel : build.kernels) {
    table.add({clean_line(kernel.kernel), std::to_string(kernel.registers),
               bytes(kernel.static_shared_bytes), bytes(kernel.stack_bytes),
               bytes(kernel.spill_store_bytes), bytes(kernel.spill_load_bytes)});
  }
  std::string text = "\n" + options.paint.strong("Static analysis") + " (built for " +
                     clean_line(build.architecture) + ", nothing was run)\n" +
                     table.render(2, options.columns);
  if (!baseline->verdict.profile) return text;
  for (const auto& kernel : baseline->verdict.profile->kernels) {
    Table metrics({Align::left, Align::right});
    metrics.add({clean_line(kernel.kernel), ""});
    for (const auto& metric : kernel.metrics) {
      if (metric.value == 0) continue;
      metrics.add({clean_line(metric.name), format_metric(metric.value, clean_line(metric.unit))});
    }
    text += metrics.render(2, options.columns);
  }
  return text;
}

std::string failure_section(const Episode& episode, const ReportOptions& options) {
  const Step* baseline = baseline_of(episode);
  if (baseline == nullptr) return {};
  const Verdict& verdict = baseline->verdict;
  std::string text;
  if (verdict.outcome == Outcome::build_failed && verdict.build) {
    const std::string diagnostics = clean(verdict.build->diagnostics);
    const auto lines = split_lines(diagnostics);
    text += "\n" + options.paint.strong("Compiler") + "\n";
    for (std::size_t i = 0; i < std::min(lines.size(), kDiagnosticLines); ++i) {
      text += "  " + std::string(lines[i]) + "\n";
    }
    if (lines.size() > kDiagnosticLines) {
      text += "  … " + format_count(static_cast<std::int64_t>(lines.size() - kDiagnosticLines)) +
              " more lines (--json has all)\n";
    }
  }
  if (verdict.correctness && !verdict.correctness->passed) {
    const Correctness& c = *verdict.correctness;
    text += "\n" + options.paint.strong("Check against the reference") + "\n";
    if (!c.worst_case.empty()) text += wrap(clean_line(c.worst_case), 2, options.columns);
    text += wrap(format_count(c.cases) + " cases and " + format_count(c.elements) +
                     " elements were compared; the largest error is " +
                     format_ratio(c.worst_error_ratio) + " the tolerance.",
                 2, options.columns);
    if (c.worst_relative_l2 > 0) {
      text +=
          "  Relative L2 norm of the errors at most " + significant(c.worst_relative_l2, 3) +
          (c.worst_ulp > 0 ? ", largest distance " + significant(c.worst_ulp, 3) + " ulp" : "") +
          ".\n";
    }
  }
  return text;
}

std::string recalled_section(const Episode& episode, const ReportOptions& options) {
  std::string text;
  for (const auto& step : episode.steps) {
    if (step.index == 0 || step.candidate.proposer != "memory") continue;
    std::string sentence = "Step " + std::to_string(step.index) + ", " +
                           technique_text(step.candidate) + ": " +
                           clean_line(step.candidate.rationale);
    text += wrap(sentence, 2, options.columns);
  }
  if (text.empty()) return text;
  return "\n" + options.paint.strong("Started from memory") + "\n" + text;
}

}  // namespace warpmind::clients
