#include "clients/cli/report/program_report.h"

#include "base/text.h"
#include "clients/cli/report/episode_sections.h"
#include "clients/cli/report/job_summary.h"
#include "clients/cli/report/table.h"
#include "clients/cli/report/units.h"
#include "clients/shell_command.h"

#include <algorithm>

namespace warpmind::clients {
namespace {

using daemon::protocol::ProgramPartReport;
using daemon::protocol::ProgramReport;

std::string done_to(const ProgramPartReport& part) {
  if (!part.techniques.empty()) return clip(join_text(part.techniques, ", ", clean_line), 60);
  return part.outcome.empty() ? "–" : clean_line(part.outcome);
}

std::string table_of(const ProgramReport& report, std::size_t columns) {
  const bool predicted = std::any_of(report.parts.begin(), report.parts.end(),
                                     [](const auto& part) { return part.predicted; });
  Table table({Align::left, Align::right, Align::right, Align::right, Align::right, Align::left,
               Align::left});
  table.add({"kernel", "launches", "given", "best", predicted ? "predicted" : "measured",
             "in the file", "what was done"});
  for (const auto& part : report.parts) {
    const auto time = [](double ns) { return ns > 0 ? format_time(ns) : std::string("–"); };
    table.add({clip(join_text(part.kernels, ", ", clean_line), 36), std::to_string(part.times),
               time(part.given_ns), time(part.best_ns),
               part.best_ns > 0 ? format_ratio(part.gain) : "–", part.written ? "yes" : "no",
               done_to(part)});
  }
  return table.render(2, columns);
}

const Job* job_of(const ProgramPartReport& part, const std::vector<Job>& jobs) {
  const auto found = std::find_if(jobs.begin(), jobs.end(), [&](const Job& job) {
    return job.id.str() == part.job && job.episode.has_value();
  });
  return found == jobs.end() ? nullptr : &*found;
}

/// "36× faster (predicted for H200; likely 22× to 57×)".
std::string headline(const ProgramPartReport& part, const Job* job, const Paint& paint) {
  if (part.best_ns <= 0) {
    const std::string words = part.outcome.empty()            ? "not optimised"
                              : part.outcome == "same"        ? "no faster kernel found"
                              : part.outcome == "unjudgeable" ? "cannot be judged"
                                                              : clean_line(part.outcome);
    return paint.strong(words);
  }
  std::string remark = part.predicted ? "predicted" : "measured";
  if (job != nullptr) {
    const Episode& episode = *job->episode;
    remark = evidence_words(episode);
    const Step* const best = best_of(episode);
    const bool is_best = best != nullptr && best->verdict.measurement &&
                         best->verdict.measurement->median_ns == part.best_ns;
    if (is_best && episode.best_against_baseline) {
      remark += interval_words(episode, *episode.best_against_baseline);
    }
  }
  return paint.good((part.predicted ? format_rough(part.gain) : format_ratio(part.gain)) +
                    (part.outcome == "inconclusive" ? " better" : " faster")) +
         " (" + remark + ")";
}

std::string part_text(const ProgramPartReport& part, const Job* job, const ReportOptions& options) {
  std::string text = clean_line(part.name) + ": " + headline(part, job, options.paint) + "\n";
  const auto row = [&](std::string_view label, const std::string& words) {
    text += summary_row(label, words, options.columns);
  };
  if (join_text(part.kernels, ", ", clean_line) != clean_line(part.name))
    row("kernels", join_text(part.kernels, ", ", clean_line));
  if (part.given_ns > 0) {
    const std::string share = job != nullptr ? share_words(*job->episode) : "";
    row("time", format_time(part.given_ns) +
                    (part.best_ns > 0 ? " → " + format_time(part.best_ns) : "") +
                    (part.times == 1 ? "" : ", launched " + format_count(part.times) + " times") +
                    (share.empty() ? "" : ", " + share));
  }
  if (job != nullptr) text += reason_rows(*job->episode, options.source, options.columns);
  if (!part.reason.empty()) row(part.written ? "note" : "not used", clean_line(part.reason));
  row("inputs", clean_line(part.inputs));
  for (const auto& note : part.notes) row("note", clean_line(note));
  return text;
}

std::string left_out(std::string_view label, const std::vector<LeftOut>& all,
                     const ReportOptions& options) {
  std::string text;
  for (const auto& one : all) {
    text +=
        summary_row(label, clean_line(one.name) + ": " + clean_line(one.reason), options.columns);
  }
  return text;
}

/// Why no program was written.
std::string why_nothing(const ProgramReport& report) {
  const auto any = [&](const auto& holds) {
    return std::any_of(report.parts.begin(), report.parts.end(), holds);
  };
  if (!report.rejected.empty()) return "the optimised program did not pass its proof";
  if (report.was_stopped) return "it was stopped before the program was written";
  if (any([](const auto& part) { return part.best_ns > 0; })) {
    return "what is faster cannot be put into the program";
  }
  if (any([](const auto& part) { return part.outcome == "same"; })) {
    return "no faster kernel was found";
  }
  return report.parts.empty() ? "no kernel could be looked at" : "no kernel could be optimised";
}

/// What was written, and how to look at it.
std::string files_text(const ProgramReport& report, const ReportOptions& options) {
  const std::string program = shell_word(clean_line(options.program));
  std::string text;
  if (report.output.empty()) {
    text = summary_row("written", "nothing: " + why_nothing(report), options.columns);
  } else {
    text = summary_row("written",
                       clean_line(report.output) + (report.verified.empty()
                                                        ? "; it was not run"
                                                        : " (" + clean_line(report.verified) + ")"),
                       options.columns) +
           "  next     diff " + shell_word(clean_line(report.source)) + " " +
           shell_word(clean_line(report.output)) + "\n";
  }
  const std::string indent(11, ' ');
  for (const auto& part : report.parts) {
    if (part.job.empty()) continue;
    text += (text.find("  next ") == std::string::npos ? "  next     " : indent) + program +
            " why " + short_number(part.job) +
            (report.parts.size() > 1 ? "  # " + clean_line(part.name) : "") + "\n";
    if (report.parts.size() > 3) break;
  }
  return text;
}

}  // namespace

std::string render_program(const ProgramReport& report, const std::vector<Job>& jobs,
                           const ReportOptions& options) {
  std::string text;
  for (const auto& part : report.parts) {
    if (!text.empty()) text += "\n";
    text += part_text(part, job_of(part, jobs), options);
  }
  if (!text.empty()) text += "\n";
  for (const auto& finding : report.findings) {
    text += summary_row("found", clean_line(finding), options.columns);
  }
  text += left_out("skipped", report.skipped, options);
  text += summary_row("host", join_text(report.host_edits, ", ", clean_line), options.columns);
  text += left_out("host", report.unedited, options);
  for (const auto& note : report.notes) {
    text += summary_row("note", clean_line(note), options.columns);
  }
  return text + files_text(report, options);
}

std::string render_program_in_full(const ProgramReport& report, const std::vector<Job>& jobs,
                                   const ReportOptions& options) {
  return options.paint.strong(clean_line(report.source)) + "\n" +
         table_of(report, options.columns) +
         wrap("Record, tasks and kernels are kept in " + clean_line(report.folder) + ".", 2,
              options.columns) +
         "\n" + render_program(report, jobs, options);
}

}  // namespace warpmind::clients
