#include "clients/cli/report/job_report.h"

#include "base/model/verdict_reading.h"
#include "base/prediction_interval.h"
#include "base/text.h"
#include "clients/cli/report/diff.h"
#include "clients/cli/report/episode_sections.h"
#include "clients/cli/report/spending.h"
#include "clients/cli/report/units.h"

namespace warpmind::clients {
namespace {

std::string title(const Job& job) {
  std::string name = job.request.task.name;
  if (name.empty() && job.episode) name = job.episode->task_name;
  return clean_line(name.empty() ? job.id.str() : name + " (" + job.id.str() + ")");
}

/// How it was searched, why that ended and what it cost. Nothing of records that do not say.
std::string search_section(const Episode& episode, const ReportOptions& options) {
  std::string text;
  const auto add = [&](const std::string& line) {
    if (!line.empty()) text += wrap(line, 2, options.columns);
  };
  add(search_text(episode));
  if (!episode.ended.empty()) add("ended: " + clean_line(episode.ended));
  const std::string spent = spending_text(episode.spending);
  if (!spent.empty()) add("paid for language models: " + spent);
  if (text.empty()) return text;
  return "\n" + options.paint.strong("Search") + "\n" + text;
}

std::string written_section(const Job& job, const ReportOptions& options) {
  std::string text = "\n" + options.paint.strong("Written to the base") + "\n";
  if (!job.receipt || job.receipt->sequence == 0) {
    const bool heldout = job.episode && job.episode->split == Split::heldout;
    return text +
           (heldout ? "  the episode only: a held-out task teaches nothing\n" : "  nothing\n");
  }
  const WriteBackReceipt& receipt = *job.receipt;
  const auto counted = [](std::int64_t n, const std::string& thing) {
    return format_count(n) + " " + thing + (n == 1 ? "" : "s");
  };
  text += "  " + counted(receipt.steps, "step") + ", " + counted(receipt.kernels, "kernel") + ", " +
          counted(receipt.measurements, "measurement") + " (change " +
          format_count(receipt.sequence) + ")\n";
  for (const auto& lesson : receipt.lessons) {
    text += wrap("- " + clean_line(lesson), 2, options.columns);
  }
  return text;
}

std::string kernel_section(const Episode& episode, const ReportOptions& options) {
  const Step* best = best_of(episode);
  if (best == nullptr) return {};
  const std::string diff =
      kernel_diff(episode.steps.front().candidate.kernel, best->candidate.kernel);
  return "\n" + options.paint.strong("Best kernel") + " (step " + std::to_string(best->index) +
         ")\n" + (diff.empty() ? "  equal to the given kernel\n" : clean(diff));
}

}  // namespace

std::string render_job_in_full(const Job& job, const ReportOptions& options) {
  if (!job.episode) return render_job(job, options);
  const Episode& episode = *job.episode;
  std::string text = options.paint.strong(title(job)) + "\n";
  text += evidence_section(episode, options.columns);
  text += times_section(episode, options);
  text += failure_section(episode, options);
  if (says_nothing(episode.outcome)) text += static_section(episode, options);
  text += recalled_section(episode, options);
  text += why_section(episode, options);
  text += tried_section(episode, options);
  text += launches_section(episode, options);
  text += findings_section(episode, options);
  text += search_section(episode, options);
  text += kernel_section(episode, options);
  text += written_section(job, options);
  // Last, where a terminal shows it.
  return text + "\n" + render_job(job, options);
}

std::string kernel_file_text(const Job& job, const Episode& episode) {
  const Step* best = best_of(episode);
  const Step* chosen = best == nullptr ? baseline_of(episode) : best;
  if (chosen == nullptr) return {};
  std::string comment = "Best kernel that warpmind found for " + title(job) + ", step " +
                        std::to_string(chosen->index) + ".\n";
  if (best != nullptr && episode.best_against_baseline) {
    const Comparison& c = *episode.best_against_baseline;
    comment += format_ratio(c.ratio) + (claims_gain(c) ? " faster" : " better") +
               " than the given kernel (" + interval_of(c) + ")";
    if (chosen->verdict.measurement) {
      comment += (episode.provider == Provider::sim ? ", predicted for " : " on ") +
                 clean_line(chosen->verdict.measurement->device.name);
    }
    comment += ".\n";
  }
  comment += clean(launch_plan_text(chosen->candidate.kernel));
  std::string text;
  for (const auto line : split_lines(comment)) {
    // A trailing backslash would join the next line to the comment.
    text += "// " + std::string(line) + (line.ends_with('\\') ? "." : "") + "\n";
  }
  return text + chosen->candidate.kernel.source;
}

}  // namespace warpmind::clients
