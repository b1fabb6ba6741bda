#include "clients/cli/report/queue_text.h"

#include "base/text.h"
#include "clients/cli/report/table.h"
#include "clients/cli/report/units.h"

#include <algorithm>

namespace warpmind::clients {
namespace {

namespace protocol = daemon::protocol;

std::string amount_text(const std::string& name, double amount) {
  if (name == "usd") return fixed(amount, 2) + " USD";
  if (name == "gpu_seconds") return format_duration(amount) + " of device time";
  if (name == "seconds") return format_duration(amount) + " of work";
  const auto count = static_cast<std::int64_t>(amount);
  return format_count(count) + (name == "evaluations" ? " candidates" : " " + clean_line(name));
}

/// One line for each amount that has a limit.
std::string limits_text(const std::string& whose, const std::map<std::string, double>& limits,
                        const std::map<std::string, double>& spent) {
  std::string text;
  for (const auto& [name, limit] : limits) {
    if (limit <= 0) continue;
    const auto found = spent.find(name);
    const double used = found == spent.end() ? 0 : found->second;
    text += "  " + whose + ": " + amount_text(name, limit) + ", left " +
            amount_text(name, std::max(limit - used, 0.0)) + "\n";
  }
  return text.empty() ? "  " + whose + ": no limit\n" : text;
}

/// One line a lane, where there are several.
std::string lanes_text(const std::vector<protocol::QueueLane>& lanes) {
  if (lanes.size() < 2) return {};
  std::string text;
  for (const auto& lane : lanes) {
    text += "  " + clean_line(lane.name) +
            (lane.model.empty() ? "" : " (" + clean_line(lane.model) + ")") + ": " +
            (lane.job_id.empty() ? "no job" : clean_line(lane.job_id)) + ", busy " +
            fixed(100 * lane.busy, 0) + " %\n";
  }
  return text;
}

/// In the morning the night is that of the evening before, which its date alone does not say.
std::string night_name(const std::string& night) {
  return "Night " + clean_line(night) + " (from noon to noon)";
}

std::string state_text(const protocol::QueueJob& job) {
  if (job.held) return job.proposed ? "proposed" : "paused";
  return std::string(name_of(job.state));
}

std::string why_text(const protocol::QueueJob& job) {
  std::string why = clean_line(job.why);
  if (!job.every.empty()) why += (why.empty() ? "every " : "; every ") + clean_line(job.every);
  return why;
}

std::string gain_text(const protocol::QueueReportJob& job) {
  if (job.ratio <= 0) return job.outcome.empty() ? "" : "-";
  if (!job.low || !job.high) return format_ratio(job.ratio) + " (low confidence)";
  return format_ratio(job.ratio) + " (" + format_ratio(*job.low) + " to " +
         format_ratio(*job.high) + ")";
}

}  // namespace

std::string spent_text(const Spent& spent) {
  std::string text = format_count(spent.evaluations) + " candidates, " +
                     format_duration(spent.seconds) + " of work, " +
                     format_duration(spent.gpu_seconds) + " of device time";
  if (spent.tokens > 0) text += ", " + format_count(spent.tokens) + " tokens";
  if (spent.micro_usd > 0) {
    text += ", " + fixed(static_cast<double>(spent.micro_usd) * 1e-6, 2) + " USD";
  }
  return text;
}

std::string render_queue(const protocol::QueueListResult& list, std::size_t columns) {
  std::string text = night_name(list.night) + (list.quiet ? ", quiet hours now" : "") + ": " +
                     format_count(list.running) + " running, " + format_count(list.waiting) +
                     " waiting\n" + lanes_text(list.lanes);
  if (list.jobs.empty()) {
    return text + "Nothing is queued; `warpmind queue add tasks/` queues a folder of tasks.\n";
  }
  constexpr std::size_t kOther = 60;  // columns beside the last one
  const std::size_t room = columns > kOther + 20 ? columns - kOther : 20;
  Table table({Align::left, Align::left, Align::left, Align::left, Align::right, Align::left});
  table.add({"job", "state", "task", "user", "priority", "why"});
  for (const auto& job : list.jobs) {
    table.add({clean_line(job.job_id), state_text(job), clip(clean_line(job.task), 24),
               clip(clean_line(job.user), 10),
               job.background ? std::to_string(job.priority) : "awaited",
               clip(why_text(job), room)});
  }
  text += table.render(0);
  const auto shown = static_cast<std::int64_t>(list.jobs.size());
  const std::int64_t more = list.waiting + list.running - shown;
  if (more > 0) text += "and " + format_count(more) + " more (--limit)\n";
  return text;
}

std::string render_rules(const protocol::QueueRulesResult& rules) {
  std::string text = night_name(rules.night) + "\n";
  text += rules.quiet_hours.empty() ? "  quiet hours: none\n"
                                    : "  quiet hours: " + clean_line(rules.quiet_hours) +
                                          (rules.quiet ? ", now\n" : "\n");
  text += limits_text("the night", rules.night_limits, rules.night_spent);
  text += limits_text("each user", rules.user_limits, rules.user_spent);
  return text;
}

std::string render_queue_why(const protocol::QueueWhyResult& why) {
  std::string text = clean(why.why) + "\n";
  if (!why.worth.empty()) text += "Worth: " + clean(why.worth) + "\n";
  return text;
}

std::string render_night(const protocol::QueueReportResult& report, std::size_t columns) {
  if (report.night.empty()) {
    return "No job has run yet; `warpmind queue add tasks/` queues some.\n";
  }
  std::string text = "Night " + clean_line(report.night) + ": " +
                     format_count(static_cast<std::int64_t>(report.jobs.size())) + " jobs";
  for (const auto& [outcome, count] : report.outcomes) {
    text += ", " + format_count(count) + ' ' + clean_line(outcome);
  }
  text += "\nSpent: " + spent_text(report.spent) + "\n";
  Table table({Align::left, Align::left, Align::left, Align::left, Align::left});
  table.add({"job", "task", "outcome", "speedup", "by"});
  for (const auto& job : report.jobs) {
    table.add({clean_line(job.job_id), clip(clean_line(job.task), 28),
               clean_line(job.outcome.empty() ? std::string(name_of(job.state)) : job.outcome),
               gain_text(job), job.provider == "sim" ? "predicted" : clean_line(job.provider)});
  }
  text += table.render(0);
  for (const auto& job : report.jobs) {
    for (const auto& [name, value] : job.options) {
      text += wrap(clean_line(job.job_id) + ' ' + clean_line(name) + ": " + clean_line(value), 0,
                   columns);
    }
    if (job.error.empty()) continue;
    text += wrap(clean_line(job.job_id) + (job.dead ? " was given up: " : " failed: ") +
                     clean_line(job.error),
                 0, columns);
  }
  return text;
}

}  // namespace warpmind::clients
