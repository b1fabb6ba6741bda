#include "clients/cli/commands/queue_commands.h"

#include "base/codec/json_guard.h"
#include "base/file.h"
#include "base/text.h"
#include "clients/cli/commands/asking.h"
#include "clients/cli/queue_items.h"
#include "clients/cli/report/night_report.h"
#include "clients/cli/report/queue_text.h"
#include "daemon/protocol/document.h"
#include "daemon/protocol/message_codec.h"
#include "daemon/protocol/messages.h"
#include "daemon/protocol/queue_messages.h"

#include <set>

namespace warpmind::clients {
namespace {

namespace protocol = daemon::protocol;

ExitCode bad_input(Session& session, const Error& error) {
  return report_error(session.console, error, exit_code_for(Origin::input, error.code));
}

/// Whether the daemon would take every job: of many, all are queued or none. Each set of parameters
/// is asked about once. Errors: those of `task.admit`, with the task.
Result<void> admit_all(DaemonClient& client, const std::vector<protocol::QueueAddParams>& items) {
  std::set<std::string> asked;
  for (const auto& item : items) {
    auto params = protocol::encode(
        protocol::TaskAdmitParams{static_cast<const protocol::JobOptions&>(item), {}, false});
    if (asked.contains(params)) continue;
    auto answer = client.call(protocol::kTaskAdmit.name, params);
    if (!answer) return fail(std::move(answer).error().while_doing(clean_line(item.directory)));
    asked.insert(std::move(params));
  }
  return {};
}

ExitCode run_command(Session& session, const QueueAddOptions& options) {
  auto items = queue_items(options, SystemClock().wall());
  if (!items) return bad_input(session, items.error());
  auto client = connect_daemon(session, WhenAbsent::start);
  if (!client) return report_no_daemon(session, client.error());
  const auto admitted = admit_all(*client, *items);
  if (!admitted) return report_call_error(session, *client, admitted.error());
  std::vector<std::string> ids;
  nlohmann::json jobs = nlohmann::json::array();
  for (auto& item : *items) {
    if (options.chain && !ids.empty()) item.after.push_back(ids.back());
    const auto added = client->call(protocol::kQueueAdd, item);
    if (!added) {
      if (!ids.empty() && !session.console.json) {
        session.console.err << "warpmind: " << ids.size() << " of " << items->size()
                            << " jobs are queued; then came " << clean_line(item.directory) << '\n';
      }
      return report_call_error(session, *client, added.error());
    }
    ids.push_back(added->job_id);
    jobs.push_back({{"job_id", added->job_id}, {"directory", item.directory}});
    if (!session.console.json) {
      session.console.out << clean_line(added->job_id) << "  " << clean_line(item.directory)
                          << '\n';
    }
  }
  if (session.console.json) {
    write_document(session.console, codec::dump_json({{"jobs", jobs}}));
  } else {
    session.console.out << ids.size() << (ids.size() == 1 ? " job is" : " jobs are")
                        << " queued\n  to wait for them  warpmind wait --all\n"
                           "  in the morning    warpmind queue report\n"
                        << std::flush;
  }
  return ExitCode::ok;
}

ExitCode run_command(Session& session, const QueueListOptions& options) {
  return ask(session, protocol::kQueueList, protocol::QueueListParams{options.limit},
             [&](const auto& list) { return render_queue(list, session.console.columns); });
}

ExitCode run_command(Session& session, const QueueJobsOptions& options) {
  protocol::QueueJobsParams params;
  params.all = options.all;
  for (const auto& job : options.jobs) {
    auto id = full_job_id(job);
    if (!id) return bad_input(session, id.error());
    params.job_ids.push_back(std::move(*id));
  }
  if (params.job_ids.empty() && !options.all) {
    return bad_input(session,
                     {Errc::invalid_argument, "queue " + options.order + " wants jobs, or --all"});
  }
  const auto show = [&](const protocol::QueueJobsResult& done) {
    std::string text =
        std::to_string(done.changed.size()) + (done.changed.size() == 1 ? " job\n" : " jobs\n");
    for (const auto& refusal : done.refused) text += "not done: " + clean_line(refusal) + '\n';
    return text;
  };
  const auto judge = [](const protocol::QueueJobsResult& done) {
    return done.refused.empty() ? ExitCode::ok : ExitCode::negative;
  };
  return ask_in_json<protocol::QueueJobsResult>(session, "queue." + options.order,
                                                protocol::encode(params), kNoTimeout, show, judge);
}

ExitCode run_command(Session& session, const QueueMoveOptions& options) {
  const auto id = full_job_id(options.job);
  if (!id) return bad_input(session, id.error());
  return ask(session, protocol::kQueueMove, protocol::QueueMoveParams{*id, options.priority},
             [&](const auto&) {
               return *id + " has priority " + std::to_string(options.priority) + '\n';
             });
}

ExitCode run_command(Session& session, const QueueWhyOptions& options) {
  const auto id = full_job_id(options.job);
  if (!id) return bad_input(session, id.error());
  return ask(session, protocol::kQueueWhy, protocol::QueueWhyParams{*id}, render_queue_why);
}

/// "gpu_seconds=3600". Errors: invalid_argument naming `flag`.
Result<std::map<std::string, double>> amounts(const char* flag,
                                              const std::vector<std::string>& words) {
  std::map<std::string, double> amounts;
  for (const auto& word : words) {
    const auto equals = word.find('=');
    const auto amount = equals == std::string::npos
                            ? std::nullopt
                            : parse_number<double>(std::string_view(word).substr(equals + 1));
    if (!amount) {
      return fail(Errc::invalid_argument, std::string(flag) +
                                              " wants an amount as gpu_seconds=3600, not '" +
                                              clean_line(word.substr(0, 64)) + "'");
    }
    amounts[word.substr(0, equals)] = *amount;
  }
  return amounts;
}

ExitCode run_command(Session& session, const QueueRulesOptions& options) {
  protocol::QueueRulesParams params;
  if (options.quiet_hours) {
    params.quiet_hours = *options.quiet_hours == "none" ? "" : *options.quiet_hours;
  }
  auto night = amounts("--night", options.night);
  if (!night) return bad_input(session, night.error());
  auto user = amounts("--user", options.user);
  if (!user) return bad_input(session, user.error());
  params.night = std::move(*night);
  params.user = std::move(*user);
  return ask(session, protocol::kQueueRules, params, render_rules);
}

ExitCode run_command(Session& session, const QueueReportOptions& options) {
  return ask(session, protocol::kQueueReport, protocol::QueueReportParams{options.night},
             [&](const auto& report) { return render_night(report, session.console.columns); });
}

ExitCode run_command(Session& session, const NightReportOptions& options) {
  protocol::QueueReportParams params{options.night};
  for (const auto& job : options.jobs) {
    auto id = full_job_id(job);
    if (!id) return bad_input(session, id.error());
    params.job_ids.push_back(std::move(*id));
  }
  auto client = connect_daemon(session, WhenAbsent::start);
  if (!client) return report_no_daemon(session, client.error());
  const auto night = client->call(protocol::kQueueReport, params, kNoTimeout);
  if (!night) return report_call_error(session, *client, night.error());
  if (night->jobs.empty()) {
    return bad_input(
        session, {Errc::not_found, "no job has run yet; `warpmind queue add tasks/` queues some"});
  }
  if (!options.html.empty()) {
    const auto written = write_output_file(options.html, night_html(*night));
    if (!written) return bad_input(session, written.error());
  }
  if (!options.markdown.empty()) {
    const auto written = write_output_file(options.markdown, night_markdown(*night));
    if (!written) return bad_input(session, written.error());
  }
  if (session.console.json) {
    write_document(session.console, protocol::encode(*night));
  } else if (options.html.empty() && options.markdown.empty()) {
    session.console.out << night_markdown(*night) << std::flush;
  }
  return ExitCode::ok;
}

}  // namespace

ExitCode run_command(Session& session, const QueueOptions& options) {
  return std::visit([&session](const auto& one) { return run_command(session, one); }, options);
}

}  // namespace warpmind::clients
