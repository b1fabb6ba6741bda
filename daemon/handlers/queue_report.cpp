#include "base/model/spent_arithmetic.h"
#include "daemon/handlers/queue_handlers.h"
#include "knowledge_base/knowledge_store.h"
#include "knowledge_base/queue_records.h"

#include <algorithm>
#include <utility>

namespace warpmind::daemon {
namespace {

constexpr std::size_t kMostNights = 30;

/// The confirmed ratio of the best kernel after each candidate, as the episode found them.
std::vector<double> curve_of(const Episode& episode) {
  std::vector<double> curve;
  double best = 1;
  for (std::size_t i = 1; i < episode.steps.size(); ++i) {
    const Step& step = episode.steps[i];
    // Where the incumbent was edited, the verdict compares with it; else the promotion does.
    const auto& against = step.promotion ? step.promotion : step.verdict.comparison;
    if (step.accepted && against) best *= against->ratio;
    curve.push_back(best);
  }
  return curve;
}

/// How often the interval that was predicted held.
void count_predictions(const Episode& episode, protocol::QueueReportJob& line) {
  for (const auto& step : episode.steps) {
    const auto& candidate = step.candidate;
    if (step.index == 0 || !step.verdict.comparison || candidate.predicted_high <= 0) continue;
    const double ratio = step.verdict.comparison->ratio;
    ++line.predicted;
    if (candidate.predicted_low <= ratio && ratio <= candidate.predicted_high) ++line.covered;
  }
}

void describe(const Episode& episode, protocol::QueueReportJob& line) {
  line.outcome = name_of(episode.outcome);
  line.provider = name_of(episode.provider);
  line.summary = episode.summary;
  line.curve = curve_of(episode);
  count_predictions(episode, line);
  if (const auto& comparison = episode.best_against_baseline) {
    line.ratio = comparison->ratio;
    line.low = comparison->low;
    line.high = comparison->high;
    line.confidence = comparison->confidence;
  }
}

Result<protocol::QueueReportJob> line_of(const knowledge_base::KnowledgeStore& store, Job job) {
  protocol::QueueReportJob line;
  line.job_id = job.id.str();
  line.task = job.request.task.name;
  line.user = job.request.terms.user;
  line.state = job.state;
  line.error = job.error;
  line.dead = job.dead;
  line.attempts = job.attempts;
  line.spent = job.spent;
  line.history = std::move(job.history);
  WARPMIND_TRY(const auto whole, store.find_job(job.id));
  if (whole && whole->episode) describe(*whole->episode, line);
  if (whole && whole->receipt) line.lessons = whole->receipt->lessons;
  return line;
}

}  // namespace

Result<protocol::QueueReportResult> queue_report(knowledge_base::KnowledgeBase& base,
                                                 const std::string& night) {
  protocol::QueueReportResult report;
  WARPMIND_TRY(report.nights, base.queue().nights(kMostNights));
  if (night.empty() && report.nights.empty()) return report;
  report.night = night.empty() ? report.nights.front() : night;
  WARPMIND_TRY(auto jobs, base.queue().jobs_of(report.night));
  if (jobs.empty()) {
    return fail(Errc::not_found, "no job of the background ran in the night '" +
                                     report.night.substr(0, 32) +
                                     "'; `warpmind queue report` "
                                     "shows the newest night that there is");
  }
  for (auto& job : jobs) {
    report.spent += job.spent;
    WARPMIND_TRY(auto line, line_of(base.store(), std::move(job)));
    ++report.outcomes[line.outcome.empty() ? std::string(name_of(line.state)) : line.outcome];
    report.jobs.push_back(std::move(line));
  }
  return report;
}

}  // namespace warpmind::daemon
