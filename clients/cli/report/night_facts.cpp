#include "clients/cli/report/night_facts.h"

#include "base/text.h"
#include "clients/cli/report/queue_text.h"
#include "clients/cli/report/text.h"
#include "clients/cli/report/units.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>

namespace warpmind::clients {
namespace {

namespace protocol = daemon::protocol;
using Lines = std::vector<std::string>;

constexpr std::size_t kMostClaims = 100;  // of one sort; more are counted

struct Totals {
  std::int64_t improved = 0;
  std::int64_t ended = 0;  ///< jobs with an episode
  double mean_ratio = 0;   ///< geometric, over those; without a better kernel a job counts as 1
  std::int64_t predicted = 0;
  std::int64_t covered = 0;
  double log_error = 0;  ///< mean of |ln(found / predicted)|
  std::int64_t errors = 0;
  bool simulated = false;
};

Totals totals_of(const protocol::QueueReportResult& report) {
  Totals totals;
  double logs = 0;
  double errors = 0;
  for (const auto& job : report.jobs) {
    if (job.outcome == "improved") ++totals.improved;
    totals.predicted += job.predicted;
    totals.covered += job.covered;
    totals.simulated = totals.simulated || job.provider == "sim";
    for (const auto& one : job.predictions) {
      if (!(one.predicted > 0 && one.ratio > 0)) continue;
      errors += std::abs(std::log(one.ratio / one.predicted));
      ++totals.errors;
    }
    if (job.outcome.empty()) continue;
    ++totals.ended;
    if (job.outcome == "improved" && job.ratio > 0) logs += std::log(job.ratio);
  }
  if (totals.ended > 0) totals.mean_ratio = std::exp(logs / static_cast<double>(totals.ended));
  if (totals.errors > 0) totals.log_error = errors / static_cast<double>(totals.errors);
  return totals;
}

std::string outcome_of(const protocol::QueueReportJob& job) {
  return clean_line(job.outcome.empty() ? std::string(name_of(job.state)) : job.outcome);
}

std::string speedup_of(const protocol::QueueReportJob& job) {
  if (job.ratio <= 0) return "-";
  const std::string interval = job.low && job.high
                                   ? format_ratio(*job.low) + " to " + format_ratio(*job.high) +
                                         ", " + format_percent_of(job.confidence)
                                   : "low confidence";
  return format_ratio(job.ratio) + " (" + interval + ")" +
         (job.provider == "sim" ? ", predicted" : "");
}

std::string time_of(const protocol::QueueReportJob& job) {
  if (job.given_ns <= 0) return "-";
  const std::string given = format_time(job.given_ns);
  return job.best_ns > 0 ? given + " → " + format_time(job.best_ns) : given;
}

std::string or_dash(const std::string& text) { return text.empty() ? "-" : text; }

Lines summary(const protocol::QueueReportResult& report, const Totals& totals) {
  Lines lines;
  lines.push_back(format_count(static_cast<std::int64_t>(report.jobs.size())) + " jobs, " +
                  format_count(totals.improved) + " improved.");
  if (totals.ended > 0) {
    lines.push_back("Geometric mean of the gain over " + format_count(totals.ended) +
                    (totals.ended == 1 ? " job: " : " jobs: ") + format_ratio(totals.mean_ratio) +
                    "; a job without a better kernel counts as 1.");
  }
  if (totals.simulated) {
    lines.emplace_back("Times of the simulator are predicted, nothing was measured there.");
  }
  lines.push_back("Spent: " + spent_text(report.spent) + ".");
  if (totals.predicted > 0) {
    lines.push_back("Calibration: " + format_count(totals.covered) + " of " +
                    format_count(totals.predicted) +
                    " candidates lay inside their predicted interval; 80 % should.");
  }
  return lines;
}

NightSection budget_section(const protocol::QueueReportResult& report) {
  const std::map<std::string, double> spent{
      {"evaluations", static_cast<double>(report.charged.evaluations)},
      {"seconds", report.charged.seconds},
      {"gpu_seconds", report.charged.gpu_seconds},
      {"tokens", static_cast<double>(report.charged.tokens)},
      {"usd", static_cast<double>(report.charged.micro_usd) * 1e-6}};
  NightSection section{"Budget of the night",
                       "What jobs of the background spent, against the limits that are set now."};
  for (const auto& [name, limit] : report.night_limits) {
    const auto used = spent.find(name);
    if (limit <= 0 || used == spent.end()) continue;
    const int digits = name == "usd" ? 2 : 0;
    section.lines.push_back(name + ": " + fixed(used->second, digits) + " of " +
                            fixed(limit, digits));
  }
  return section;
}

NightSection calibration_section(const Totals& totals) {
  NightSection section{"Calibration"};
  if (totals.predicted == 0) return section;
  const double share = static_cast<double>(totals.covered) / static_cast<double>(totals.predicted);
  section.lines.push_back(
      "Coverage: " + format_percent_of(share) + " of " + format_count(totals.predicted) +
      " candidates lay inside their 80 % interval (" + format_count(totals.covered) + ").");
  if (totals.errors > 0) {
    section.lines.push_back("A found ratio is off its prediction by a factor of " +
                            fixed(std::exp(totals.log_error), 2) + " (geometric mean of " +
                            format_count(totals.errors) + ").");
  }
  return section;
}

/// How candidates and jobs ended that came to nothing, and where.
NightSection classes_section(const protocol::QueueReportResult& report) {
  static const std::set<std::string, std::less<>> good{"improved", "same", "regressed",
                                                       "inconclusive"};
  std::map<std::string, std::int64_t> counts;
  std::map<std::string, std::set<std::string>> where;
  for (const auto& job : report.jobs) {
    for (const auto& [outcome, count] : job.candidates) {
      if (good.contains(outcome)) continue;
      counts[outcome] += count;
      where[outcome].insert(clean_line(job.task));
    }
  }
  NightSection section{"Failures by class", "Candidates that were refused, and at which tasks."};
  for (const auto& [outcome, count] : counts) {
    section.lines.push_back(
        clean_line(outcome) + ": " + format_count(count) + " (" +
        or_dash(join_text(Lines(where[outcome].begin(), where[outcome].end()), ", ", clean_line)) +
        ")");
  }
  return section;
}

/// Why jobs came to nothing, with every start.
NightSection failures_section(const protocol::QueueReportResult& report) {
  NightSection section{"What came to nothing"};
  for (const auto& job : report.jobs) {
    if (job.error.empty()) continue;
    std::string line = clean_line(job.job_id) + " " + clean_line(job.task) +
                       (job.dead ? ", given up: " : ": ") + clean_line(job.error);
    for (const auto& attempt : job.history) {
      if (attempt.outcome.empty() || attempt.outcome == job.error) continue;
      line += "; start " + std::to_string(attempt.epoch) + ": " + clean_line(attempt.outcome);
    }
    section.lines.push_back(std::move(line));
  }
  return section;
}

/// Jobs that a crash or a restart interrupted, and that ended all the same.
NightSection restarts_section(const protocol::QueueReportResult& report) {
  NightSection section{"Started again"};
  for (const auto& job : report.jobs) {
    if (job.history.size() < 2 || !job.error.empty()) continue;
    std::string line = clean_line(job.job_id) + " " + clean_line(job.task) + ": " +
                       std::to_string(job.history.size()) + " starts";
    for (const auto& attempt : job.history) {
      if (&attempt == &job.history.back()) break;
      line += "; " + clean_line(attempt.outcome.empty() ? "no end is known" : attempt.outcome);
    }
    section.lines.push_back(std::move(line));
  }
  return section;
}

NightSection lessons_section(const protocol::QueueReportResult& report) {
  NightSection section{"What was learned"};
  for (const auto& job : report.jobs) {
    for (const auto& lesson : job.lessons) {
      section.lines.push_back(clean_line(job.task) + ": " + clean_line(lesson));
    }
  }
  return section;
}

/// Insights that came to `changes` in this night.
NightSection insights_section(const protocol::QueueReportResult& report, const char* title,
                              const std::set<std::string, std::less<>>& changes) {
  NightSection section{title};
  std::set<std::string> seen;
  std::size_t more = 0;
  for (const auto& one : report.insights) {
    if (!changes.contains(one.change) || !seen.insert(one.change + one.insight).second) continue;
    if (section.lines.size() >= kMostClaims) {
      ++more;
      continue;
    }
    section.lines.push_back(clean_line(one.change) + " " + clean_line(one.insight) + ": " +
                            clean_line(one.claim) +
                            (one.reason.empty() ? "" : " (" + clean_line(one.reason) + ")") + ", " +
                            clean_line(one.job_id));
  }
  if (more > 0) section.lines.push_back("and " + std::to_string(more) + " more");
  return section;
}

/// Evidence is counted: there may be some for each candidate.
NightSection evidence_section(const protocol::QueueReportResult& report) {
  std::map<std::string, std::int64_t> counts;
  for (const auto& one : report.insights) ++counts[one.change];
  NightSection section{"Evidence for insights"};
  for (const char* change : {"supported", "contradicted"}) {
    if (counts[change] > 0) {
      section.lines.push_back(std::string(change) + ": " + format_count(counts[change]) +
                              (counts[change] == 1 ? " time" : " times"));
    }
  }
  return section;
}

}  // namespace

NightFacts night_facts(const protocol::QueueReportResult& report) {
  const Totals totals = totals_of(report);
  NightFacts facts;
  facts.title = report.night.empty() ? "Report" : "Night " + clean_line(report.night);
  facts.sentences = summary(report, totals);
  for (const auto& job : report.jobs) {
    for (const double ratio : job.curve) facts.best = std::max(facts.best, ratio);
    facts.rows.push_back({std::to_string(facts.rows.size() + 1), clean_line(job.job_id),
                          clean_line(job.task), clean_line(job.user), outcome_of(job),
                          speedup_of(job), time_of(job),
                          or_dash(join_text(job.how, " > ", clean_line)),
                          job.bottleneck.empty() ? "-" : clean_line(job.bottleneck),
                          std::to_string(job.spent.evaluations), fixed(job.spent.gpu_seconds, 1)});
  }
  for (auto& section :
       {budget_section(report), calibration_section(totals), lessons_section(report),
        insights_section(report, "New insights", {"added"}),
        insights_section(report, "Insights on probation or confirmed", {"probation", "confirmed"}),
        insights_section(report, "What was unlearned",
                         {"contested", "quarantined", "deprecated", "retracted"}),
        evidence_section(report), classes_section(report), restarts_section(report),
        failures_section(report)}) {
    if (!section.lines.empty()) facts.sections.push_back(section);
  }
  return facts;
}

}  // namespace warpmind::clients
