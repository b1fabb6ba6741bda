#include "base/model/spent_arithmetic.h"
#include "base/prediction_interval.h"
#include "daemon/handlers/episode_figures.h"
#include "daemon/handlers/queue_handlers.h"
#include "daemon/mcp/roofline_svg.h"
#include "knowledge_base/insights/insight_library.h"
#include "knowledge_base/knowledge_store.h"
#include "knowledge_base/queue_records.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace warpmind::daemon {
namespace {

constexpr std::size_t kMostNights = 30;

/// How often the interval that was predicted held.
void count_predictions(const Episode& episode, protocol::QueueReportJob& line) {
  for (const auto& step : episode.steps) {
    const auto& candidate = step.candidate;
    if (step.index == 0) continue;
    ++line.candidates[std::string(name_of(step.verdict.outcome))];
    if (!step.verdict.comparison || candidate.predicted_high <= 0) continue;
    const double ratio = step.verdict.comparison->ratio;
    ++line.predicted;
    if (candidate.predicted_low <= ratio && ratio <= candidate.predicted_high) ++line.covered;
    line.predictions.push_back(
        {candidate.predicted_gain, candidate.predicted_low, candidate.predicted_high, ratio});
  }
}

void describe_times(const Episode& episode, protocol::QueueReportJob& line) {
  if (episode.steps.empty()) return;
  const Step& given = episode.steps.front();
  line.bottleneck = bottleneck_of_given(episode);
  if (const auto& measured = given.verdict.measurement) {
    line.device = measured->device.name;
    line.workload = measured->workload;
    line.given_ns = measured->median_ns;
  }
  const auto best = static_cast<std::size_t>(std::max<std::int64_t>(episode.best_step, 0));
  if (best == 0 || best >= episode.steps.size()) return;
  if (const auto& measured = episode.steps[best].verdict.measurement) {
    line.best_ns = measured->median_ns;
  }
  line.how = way_to_best(episode);
}

void describe_roofline(const Job& job, const config::DeviceTable& table,
                       protocol::QueueReportJob& line) {
  const auto plot = mcp::roofline_plot(job, mcp::RooflineSteps::given_and_best, table);
  if (!plot) return;  // not every task has a cost model
  const auto& points = plot->points;
  if (points.front().intensity <= 0) return;
  line.roofline = {points.front().intensity, points.front().gflops, points.back().gflops,
                   plot->peak_gflops, plot->bandwidth_gb_s};
}

void describe(const Episode& episode, protocol::QueueReportJob& line) {
  line.outcome = name_of(episode.outcome);
  line.provider = name_of(episode.provider);
  line.summary = episode.summary;
  line.curve = curve_of(episode);
  count_predictions(episode, line);
  describe_times(episode, line);
  if (const auto& comparison = episode.best_against_baseline) {
    line.ratio = comparison->ratio;
    if (has_interval(*comparison)) {
      line.low = comparison->low;
      line.high = comparison->high;
    }
    line.confidence = comparison->confidence;
  }
}

/// What an event means to who reads in the morning; empty for what is no news.
std::string change_of(const knowledge_base::InsightEvent& event) {
  using enum knowledge_base::InsightOp;
  switch (event.op) {
    case add: return "added";
    case transition: return event.state ? std::string(name_of(*event.state)) : std::string();
    case evidence:
      if (!event.evidence) return {};
      return event.evidence->supports ? "supported" : "contradicted";
    case supersede: return "deprecated";
    default: return {};
  }
}

/// What the commit of a job did to insights.
Result<void> add_insights(knowledge_base::KnowledgeBase& base, const Job& job,
                          protocol::QueueReportResult& report) {
  if (!job.receipt || job.receipt->sequence <= 0) return {};
  WARPMIND_TRY(const auto changes, base.insights().changes(job.receipt->sequence));
  for (const auto& [insight, event] : changes) {
    auto change = change_of(event);
    if (change.empty()) continue;
    report.insights.push_back(
        {insight.id.str(), std::move(change), insight.claim,
         event.op == knowledge_base::InsightOp::transition ? event.actor.reason : std::string(),
         job.id.str()});
  }
  return {};
}

protocol::QueueReportJob line_of(Job job, const config::DeviceTable& table) {
  protocol::QueueReportJob line;
  line.job_id = job.id.str();
  line.task = job.request.task.name;
  line.user = job.request.terms.user;
  line.state = job.state;
  line.error = job.error;
  line.dead = job.dead;
  line.attempts = job.attempts;
  line.spent = job.spent;
  if (job.episode) {
    describe(*job.episode, line);
    describe_roofline(job, table, line);
  }
  if (job.receipt) line.lessons = std::move(job.receipt->lessons);
  line.history = std::move(job.history);
  return line;
}

Result<std::vector<Job>> named_jobs(knowledge_base::KnowledgeBase& base,
                                    const std::vector<std::string>& ids) {
  std::vector<Job> jobs;
  for (const auto& id : ids) {
    WARPMIND_TRY(auto job, base.store().find_job(JobId(id)));
    if (!job) return fail(Errc::not_found, "there is no job " + id.substr(0, 32));
    jobs.push_back(std::move(*job));
  }
  return jobs;
}

/// Fills `report.night` and `report.nights`.
Result<std::vector<Job>> jobs_of_night(knowledge_base::KnowledgeBase& base,
                                       const std::string& night,
                                       protocol::QueueReportResult& report) {
  WARPMIND_TRY(report.nights, base.queue().nights(kMostNights));
  if (night.empty() && report.nights.empty()) return std::vector<Job>();
  report.night = night.empty() ? report.nights.front() : night;
  WARPMIND_TRY(auto jobs, base.queue().jobs_of(report.night));
  if (jobs.empty()) {
    return fail(Errc::not_found, "no job ran in the night '" + report.night.substr(0, 32) +
                                     "'; `warpmind queue report` "
                                     "shows the newest night that there is");
  }
  for (auto& job : jobs) {
    WARPMIND_TRY(auto whole, base.store().find_job(job.id));
    if (whole) job = std::move(*whole);
  }
  return jobs;
}

}  // namespace

Result<protocol::QueueReportResult> queue_report(knowledge_base::KnowledgeBase& base,
                                                 const protocol::QueueReportParams& what) {
  protocol::QueueReportResult report;
  WARPMIND_TRY(auto jobs, what.job_ids.empty() ? jobs_of_night(base, what.night, report)
                                               : named_jobs(base, what.job_ids));
  const auto& table = config::device_table();
  for (auto& job : jobs) {
    report.spent += job.spent;
    if (job.request.terms.background) report.charged += job.spent;
    WARPMIND_CHECK(add_insights(base, job, report));
    auto line = line_of(std::move(job), table);
    ++report.outcomes[line.outcome.empty() ? std::string(name_of(line.state)) : line.outcome];
    report.jobs.push_back(std::move(line));
  }
  return report;
}

}  // namespace warpmind::daemon
