#include "daemon/handlers/queue_handlers.h"

#include "base/job_names.h"
#include "base/model/spent_arithmetic.h"
#include "base/prediction_interval.h"
#include "base/text.h"
#include "daemon/handlers/episode_figures.h"
#include "daemon/handlers/job_request.h"
#include "daemon/handlers/kb_arguments.h"
#include "daemon/mcp/roofline_svg.h"
#include "knowledge_base/insights/insight_library.h"
#include "knowledge_base/knowledge_store.h"
#include "knowledge_base/queue_records.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace warpmind::daemon {
namespace {

constexpr std::int64_t kMostPriority = 100;
constexpr std::int64_t kMostListed = 10'000;
constexpr std::size_t kLongestUser = 64;
constexpr double kMostAmount = 1e12;

Result<QueueTerms> terms_of(const protocol::QueueAddParams& params, const std::string& user) {
  QueueTerms terms;
  terms.background = true;
  terms.user = params.user.empty() ? user : params.user;
  if (terms.user.size() > kLongestUser) {
    return fail(Errc::invalid_argument, "'user' may have 64 bytes at most");
  }
  terms.priority = params.priority.value_or(0);
  for (const auto& id : params.after) terms.after.emplace_back(id);
  if (params.not_before) terms.not_before = UnixMillis{*params.not_before};
  if (params.deadline) terms.deadline = UnixMillis{*params.deadline};
  if (terms.not_before && terms.deadline && *terms.deadline <= *terms.not_before) {
    return fail(Errc::invalid_argument, "'deadline' must be later than 'not_before'");
  }
  return terms;
}

Handler<protocol::QueueAddParams, protocol::QueueAddResult> add(const QueueAccess& access) {
  return [access](const protocol::QueueAddParams& params,
                  RequestContext& context) -> Result<protocol::QueueAddResult> {
    if (params.proposer == kExternalProposer) {
      return fail(Errc::invalid_argument,
                  "a job of the proposer 'external' is opened with `episode.open`, not queued");
    }
    WARPMIND_CHECK(check_options(params, OptionNames::members));
    WARPMIND_TRY(auto request,
                 job_request_of(params.directory, params, access.settings, access.machine));
    WARPMIND_TRY(request.terms, terms_of(params, access.user));
    if (context.stop.stop_requested()) return fail(Errc::cancelled, "the request was cancelled");
    WARPMIND_TRY(const auto submitted, params.every.empty()
                                           ? access.scheduler.submit(request)
                                           : access.scheduler.submit_series(request, params.every));
    return protocol::QueueAddResult{submitted.id.str(), submitted.ahead};
  };
}

Handler<protocol::QueueListParams, protocol::QueueListResult> list(const QueueAccess& access) {
  return [access](const protocol::QueueListParams& params,
                  RequestContext& /*context*/) -> Result<protocol::QueueListResult> {
    WARPMIND_TRY(const auto limit, within("limit", params.limit.value_or(100), 1, kMostListed));
    const auto night = access.scheduler.night(access.user);
    protocol::QueueListResult result;
    result.night = night.night;
    result.quiet = night.quiet;
    for (auto& line : access.scheduler.list()) {
      ++(line.state == JobState::running ? result.running : result.waiting);
      if (std::ssize(result.jobs) >= limit) continue;
      result.jobs.push_back(std::move(line));
    }
    for (auto& lane : access.scheduler.lanes()) {
      result.lanes.push_back({std::move(lane.spec.name), std::move(lane.spec.device),
                              std::move(lane.spec.model), lane.job.str(), lane.busy});
    }
    return result;
  };
}

using Order = std::function<Result<void>(Scheduler&, const JobId&)>;
using Everything = std::function<Result<std::vector<std::string>>(const QueueAccess&)>;

/// Every job of the background that waits.
Result<std::vector<std::string>> waiting_jobs(const QueueAccess& access) {
  std::vector<std::string> ids;
  for (const auto& line : access.scheduler.list()) {
    const bool waits = line.state == JobState::queued && line.background;
    if (waits) ids.push_back(line.job_id);
  }
  return ids;
}

/// The same without what the daemon proposed and nobody has accepted: that is decided one by one.
Result<std::vector<std::string>> paused_jobs(const QueueAccess& access) {
  std::vector<std::string> ids;
  for (const auto& line : access.scheduler.list()) {
    const bool waits = line.state == JobState::queued && line.background;
    if (waits && !(line.proposed && line.held)) ids.push_back(line.job_id);
  }
  return ids;
}

/// Every job of the background that failed in the newest night.
Result<std::vector<std::string>> failed_jobs(const QueueAccess& access) {
  auto& queue = access.base.queue();
  WARPMIND_TRY(const auto nights, queue.nights(1));
  std::vector<std::string> ids;
  if (nights.empty()) return ids;
  WARPMIND_TRY(const auto jobs, queue.jobs_of(nights.front()));
  for (const auto& job : jobs) {
    const bool failed = job.state == JobState::failed && job.request.terms.background;
    if (failed) ids.push_back(job.id.str());
  }
  return ids;
}

Handler<protocol::QueueJobsParams, protocol::QueueJobsResult> each(const QueueAccess& access,
                                                                   Order order,
                                                                   Everything everything) {
  return [access, order = std::move(order), everything = std::move(everything)](
             const protocol::QueueJobsParams& params,
             RequestContext& context) -> Result<protocol::QueueJobsResult> {
    if (params.all == !params.job_ids.empty()) {
      return fail(Errc::invalid_argument, "give either 'job_ids' or 'all'");
    }
    std::vector<std::string> ids = params.job_ids;
    if (params.all) {
      WARPMIND_TRY(ids, everything(access));
    }
    protocol::QueueJobsResult result;
    for (const auto& id : ids) {
      if (context.stop.stop_requested()) return fail(Errc::cancelled, "the request was cancelled");
      const auto done = order(access.scheduler, JobId(id));
      if (done) {
        result.changed.push_back(id);
      } else {
        result.refused.push_back(done.error().message);
      }
    }
    return result;
  };
}

Result<void> cancel_one(Scheduler& scheduler, const JobId& id) {
  WARPMIND_CHECK(scheduler.cancel(id));
  return {};
}

Handler<protocol::QueueMoveParams, protocol::Empty> move_one(const QueueAccess& access) {
  return [access](const protocol::QueueMoveParams& params,
                  RequestContext& /*context*/) -> Result<protocol::Empty> {
    WARPMIND_TRY(const auto priority,
                 within("priority", params.priority, -kMostPriority, kMostPriority));
    WARPMIND_CHECK(access.scheduler.move(JobId(params.job_id), priority));
    return protocol::Empty{};
  };
}

Handler<protocol::QueueWhyParams, protocol::QueueWhyResult> why(const QueueAccess& access) {
  return [access](const protocol::QueueWhyParams& params,
                  RequestContext& /*context*/) -> Result<protocol::QueueWhyResult> {
    WARPMIND_TRY(auto reason, access.scheduler.why(JobId(params.job_id)));
    return protocol::QueueWhyResult{params.job_id, std::move(reason.text), reason.worth.value,
                                    std::move(reason.worth.why)};
  };
}

/// Puts the amounts that are named into `limits`.
Result<void> set_limits(const char* parameter, const std::map<std::string, double>& amounts,
                        Spent& limits) {
  for (const auto& [name, amount] : amounts) {
    if (!(amount >= 0 && amount <= kMostAmount)) {
      return fail(Errc::invalid_argument, std::string("'") + parameter + "' has " +
                                              name.substr(0, 32) + " = " + fixed(amount, 3) +
                                              "; amounts are from 0 to 10^12");
    }
    if (name == "evaluations") {
      limits.evaluations = std::llround(amount);
    } else if (name == "seconds") {
      limits.seconds = amount;
    } else if (name == "gpu_seconds") {
      limits.gpu_seconds = amount;
    } else if (name == "tokens") {
      limits.tokens = std::llround(amount);
    } else if (name == "usd") {
      limits.micro_usd = std::llround(amount * 1e6);
    } else {
      return fail(Errc::invalid_argument,
                  std::string("'") + parameter + "' knows no amount '" + name.substr(0, 32) +
                      "'; they are evaluations, seconds, gpu_seconds, tokens and usd");
    }
  }
  return {};
}

protocol::QueueRulesResult rules_reply(const NightView& view) {
  protocol::QueueRulesResult result;
  result.quiet_hours = view.rules.quiet_hours;
  result.quiet = view.quiet;
  result.night = view.night;
  result.night_limits = amounts_of(view.rules.night);
  result.night_spent = amounts_of(view.spent);
  result.user_limits = amounts_of(view.rules.user);
  result.user_spent = amounts_of(view.by_user);
  for (const auto& [name, limit] : result.night_limits) {
    if (limit > 0) result.night_left[name] = std::max(limit - result.night_spent[name], 0.0);
  }
  return result;
}

Handler<protocol::QueueRulesParams, protocol::QueueRulesResult> rules(const QueueAccess& access) {
  return [access](const protocol::QueueRulesParams& params,
                  RequestContext& /*context*/) -> Result<protocol::QueueRulesResult> {
    auto wanted = access.scheduler.night(access.user).rules;
    const auto before = wanted;
    if (params.quiet_hours) wanted.quiet_hours = *params.quiet_hours;
    WARPMIND_CHECK(set_limits("night", params.night, wanted.night));
    WARPMIND_CHECK(set_limits("user", params.user, wanted.user));
    if (wanted != before) WARPMIND_CHECK(access.scheduler.set_rules(wanted));
    return rules_reply(access.scheduler.night(access.user));
  };
}

Handler<protocol::QueueReportParams, protocol::QueueReportResult> report(
    const QueueAccess& access) {
  return [access](const protocol::QueueReportParams& params,
                  RequestContext& /*context*/) -> Result<protocol::QueueReportResult> {
    WARPMIND_TRY(auto result, queue_report(access.base, params));
    result.night_limits = amounts_of(access.scheduler.night(access.user).rules.night);
    return result;
  };
}

}  // namespace

std::map<std::string, double> amounts_of(const Spent& spent) {
  return {{"evaluations", static_cast<double>(spent.evaluations)},
          {"seconds", spent.seconds},
          {"gpu_seconds", spent.gpu_seconds},
          {"tokens", static_cast<double>(spent.tokens)},
          {"usd", static_cast<double>(spent.micro_usd) * 1e-6}};
}

void add_queue_methods(Dispatcher& dispatcher, const QueueAccess& access) {
  using enum Execution;
  const auto pause = [](Scheduler& queue, const JobId& id) { return queue.hold(id, true); };
  const auto resume = [](Scheduler& queue, const JobId& id) { return queue.hold(id, false); };
  const auto retry = [](Scheduler& queue, const JobId& id) { return queue.retry(id); };
  dispatcher.add(protocol::kQueueAdd, write, add(access));
  dispatcher.add(protocol::kQueueList, pool, list(access));
  dispatcher.add(protocol::kQueuePause, write, each(access, pause, waiting_jobs));
  dispatcher.add(protocol::kQueueResume, write, each(access, resume, paused_jobs));
  dispatcher.add(protocol::kQueueCancel, write, each(access, cancel_one, waiting_jobs));
  dispatcher.add(protocol::kQueueMove, write, move_one(access));
  dispatcher.add(protocol::kQueueRetry, write, each(access, retry, failed_jobs));
  dispatcher.add(protocol::kQueueWhy, pool, why(access));
  dispatcher.add(protocol::kQueueRules, write, rules(access));
  // Reads every job of a night with its episode: beside the pool, one at a time.
  dispatcher.add(protocol::kQueueReport, slow, report(access));
}

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
  line.provider = name_of(episode.provider);
  count_predictions(episode, line);
  if (!episode.steps.empty()) {
    if (const auto& measured = episode.steps.front().verdict.measurement) {
      line.workload = measured->workload;
    }
  }
  const bool was_improved = episode.best_step > 0 && episode.best_step < std::ssize(episode.steps);
  if (!was_improved) line.best_ns = 0;
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
  using enum InsightOp;
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
         event.op == InsightOp::transition ? event.actor.reason : std::string(), job.id.str()});
  }
  return {};
}

protocol::QueueReportJob line_of(Job job, const config::DeviceTable& table) {
  protocol::QueueReportJob line;
  protocol::JobOutcome& outcome = line;
  outcome = outcome_of(job);
  line.user = job.request.terms.user;
  line.error = job.error;
  line.dead = job.dead;
  line.attempts = job.attempts;
  line.spent = job.spent;
  for (auto& [name, text] : reported_options(job.request)) {
    line.options.emplace(std::move(name), std::move(text));
  }
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
