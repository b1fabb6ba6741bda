#include "clients/cli/commands/job_commands.h"

#include "base/codec/json_guard.h"
#include "clients/cli/commands/asking.h"
#include "clients/cli/commands/episode_commands.h"
#include "clients/cli/commands/program_commands.h"
#include "clients/cli/interrupts.h"
#include "clients/cli/job_delivery.h"
#include "clients/cli/job_watch.h"
#include "clients/cli/program_run/program_task_run.h"
#include "clients/cli/report/daemon_reports.h"
#include "clients/cli/report/episode_why.h"
#include "clients/cli/report/export_report.h"
#include "clients/cli/report/launch_table.h"
#include "clients/cli/report/progress_line.h"
#include "clients/cli/report/units.h"
#include "clients/cli/submission.h"
#include "daemon/protocol/analysis_messages.h"
#include "daemon/protocol/document.h"
#include "daemon/protocol/message_codec.h"
#include "daemon/protocol/queue_messages.h"
#include "daemon/protocol/record_messages.h"

#include <algorithm>
#include <chrono>

namespace warpmind::clients {
namespace {

namespace protocol = daemon::protocol;

/// A folder that holds a task.
Result<protocol::TaskSubmitParams> checked_submission(const OptimizeOptions& options) {
  WARPMIND_CHECK(check_output_file(options.output_file));
  WARPMIND_TRY(const auto directory, task_directory(options.directory));
  return submission(options, directory);
}

/// Why not even the given kernel was built, so that a report would have nothing to tell: this
/// machine lacks what judging needs. Empty when it was.
std::string blocked_before_build(const Episode& episode) {
  if (episode.outcome != Outcome::blocked || episode.steps.empty()) return {};
  const Verdict& given = episode.steps.front().verdict;
  return given.build && given.build->succeeded ? std::string() : given.reason;
}

ExitCode detached(Session& session, const protocol::TaskSubmitResult& submitted) {
  if (session.console.json) {
    write_document(session.console, protocol::encode(submitted));
    return ExitCode::ok;
  }
  session.console.out << clean_line(submitted.job_id) << " is queued, " << submitted.ahead
                      << (submitted.ahead == 1 ? " job" : " jobs")
                      << " before it; follow it with: " << session.console.program << " attach "
                      << clean_line(submitted.job_id) << '\n'
                      << std::flush;
  return ExitCode::ok;
}

ExitCode watched(Session& session, DaemonClient& client, Interrupts& interrupts,
                 const protocol::TaskSubmitResult& submitted, ProgressDisplay& display,
                 const OptimizeOptions& options) {
  display.show(queued_progress(client, submitted));
  client.on_progress([&display](const auto& progress) { display.show(progress); });
  auto end = JobWatch(client, interrupts, display, submitted.job_id).follow();
  display.clear();
  if (!end) return report_call_error(session, client, end.error());
  const auto result = client.result(submitted.job_id);
  if (!result) return report_call_error(session, client, result.error());
  const auto& episode = result->job.episode;
  const std::string missing = episode ? blocked_before_build(*episode) : "";
  if (!missing.empty() && !session.console.json) {
    return report_error(session.console, {Errc::unavailable, missing}, ExitCode::environment);
  }
  return deliver_job(session, result->job,
                     {options.output_file, options.directory, options.verbose});
}

}  // namespace

ExitCode run_command(Session& session, const OptimizeOptions& options) {
  Console& console = session.console;
  const bool is_task_of_program = is_program_task(options.directory);
  if (options.provider == "gpu" && !options.device.empty() &&
      (is_task_of_program || !options.run.empty())) {
    return report_error(console,
                        {Errc::invalid_argument,
                         "a program is measured on the GPU of this machine; leave --device out"},
                        ExitCode::bad_input);
  }
  if (!options.run.empty()) return run_program(session, options);
  if (is_task_of_program) return run_program_task(session, options);
  if (options.proposer == "external") {
    // Nothing to watch: whoever called writes the candidates.
    return run_command(session, EpisodeOpenOptions{{.directory = options.directory,
                                                    .evaluations = options.evaluations,
                                                    .seconds = {},
                                                    .provider = options.provider,
                                                    .device = options.device,
                                                    .gpu_seconds = options.gpu_seconds,
                                                    .effort = options.effort},
                                                   {}});
  }
  const auto params = checked_submission(options);
  if (!params) {
    return report_error(console, params.error(), exit_code_for(Origin::input, params.error().code));
  }
  auto interrupts = Interrupts::install();
  if (!interrupts) return report_error(console, interrupts.error(), ExitCode::daemon);
  session.interrupt = interrupts->fd();
  auto client = connect_daemon(session, WhenAbsent::start);
  if (!client) return report_no_daemon(session, client.error());

  ProgressDisplay display(console);
  // Not interruptible: a job that is accepted must not be lost sight of. A Ctrl-C that comes now
  // is seen as soon as the job is watched, and cancels it.
  client->set_interrupt(-1);
  const auto submitted = client->submit(*params);
  client->set_interrupt(interrupts->fd());
  if (!submitted) return report_call_error(session, *client, submitted.error());
  if (options.detach) return detached(session, *submitted);
  return watched(session, *client, *interrupts, *submitted, display, options);
}

namespace {

/// Of a job that goes on without this client.
ExitCode detached(Session& session, const std::string& job) {
  return report_error(
      session.console,
      {Errc::cancelled, "detached; " + job + " goes on: `warpmind attach " + job +
                            "` follows it again, `warpmind cancel " + job + "` ends it"},
      ExitCode::cancelled);
}

/// Errors: those of the connection; cancelled when the user left.
Result<JobState> follow(DaemonClient& client, ProgressDisplay& display, const std::string& job) {
  WARPMIND_TRY(const auto now, client.job_status(job, true));
  if (now.state == JobState::queued || now.state == JobState::running) {
    display.show(daemon::protocol::progress_of(now));
  }
  return client.wait_for_end(job);
}

}  // namespace

ExitCode run_command(Session& session, const AttachOptions& options) {
  Console& console = session.console;
  const auto job = full_job_id(options.job);
  if (!job) return report_error(console, job.error(), ExitCode::bad_input);
  const auto writable = check_output_file(options.output_file);
  if (!writable) return report_error(console, writable.error(), ExitCode::bad_input);
  auto interrupts = Interrupts::install();
  if (!interrupts) return report_error(console, interrupts.error(), ExitCode::daemon);
  session.interrupt = interrupts->fd();
  auto client = connect_daemon(session, WhenAbsent::start);
  if (!client) return report_no_daemon(session, client.error());
  ProgressDisplay display(console);
  client->on_progress([&](const auto& progress) {
    if (progress.job_id == *job) display.show(progress);
  });
  client->on_tick(std::chrono::seconds(1), [&display] { display.tick(); });
  auto end = follow(*client, display, *job);
  display.clear();
  if (!end && end.error().code == Errc::cancelled) return detached(session, *job);
  if (!end) {
    return report_call_error(session, *client, with_the_way_back(end.error(), *client, *job));
  }
  const auto result = client->result(*job);
  if (!result) return report_call_error(session, *client, result.error());
  return deliver_job(session, result->job, {options.output_file, {}, options.verbose});
}

namespace {

namespace protocol = daemon::protocol;
using Clock = std::chrono::steady_clock;

/// More than any queue holds: "all" must not mean the first hundred.
constexpr std::int64_t kMostListed = 10'000;

/// Those that the user names, or all that will end by themselves: a paused job does not.
Result<std::vector<std::string>> jobs_of(DaemonClient& client, const WaitOptions& options) {
  std::vector<std::string> jobs;
  for (const auto& text : options.jobs) {
    WARPMIND_TRY(auto job, full_job_id(text));
    jobs.push_back(std::move(job));
  }
  if (!options.all) return jobs;
  WARPMIND_TRY(const auto list, client.call(protocol::kQueueList, {kMostListed}));
  for (const auto& job : list.jobs) {
    if (!job.held) jobs.push_back(job.job_id);
  }
  return jobs;
}

/// "j-0000000007  improved  31.4×  row_softmax_f16".
std::string line_of(const Job& job) {
  std::string line = job.id.str() + "  ";
  const bool has_outcome = job.state == JobState::done && job.episode;
  line += has_outcome ? name_of(job.episode->outcome) : name_of(job.state);
  if (has_outcome && job.episode->best_against_baseline) {
    line += "  " + format_ratio(job.episode->best_against_baseline->ratio);
  }
  line += "  " + clean_line(job.request.task.name);
  if (!job.error.empty()) line += ": " + clean_line(job.error);
  return line;
}

nlohmann::json entry_of(const Job& job) {
  nlohmann::json entry{{"job_id", job.id.str()},
                       {"state", std::string(name_of(job.state))},
                       {"task", job.request.task.name},
                       {"exit_code", static_cast<int>(exit_code_for(job))}};
  if (job.episode) {
    entry["outcome"] = std::string(name_of(job.episode->outcome));
    if (job.episode->best_against_baseline) {
      entry["gain"] = job.episode->best_against_baseline->ratio;
    }
  }
  return entry;
}

/// Waits for jobs one after the other; the daemon tells of the others meanwhile.
class Waiting {
 public:
  Waiting(Session& session, DaemonClient& client, const WaitOptions& options)
      : session_(session), client_(client) {
    if (!options.timeout) return;
    deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                   std::chrono::duration<double>(*options.timeout));
  }

  /// Errors: timeout, cancelled, those of the daemon and of the connection.
  Result<void> run(const std::vector<std::string>& jobs) {
    for (const auto& job : jobs) WARPMIND_CHECK(client_.job_status(job, true));
    for (const auto& job : jobs) {
      WARPMIND_CHECK(client_.wait_for_end(job, time_left()));
      WARPMIND_TRY(const auto result, client_.result(job));
      ++ended_;
      worst_ = std::max(worst_, exit_code_for(result.job));
      entries_.push_back(entry_of(result.job));
      if (!session_.console.json) {
        session_.console.out << line_of(result.job) << '\n' << std::flush;
      }
    }
    return {};
  }

  ExitCode finish() {
    if (session_.console.json) {
      write_document(session_.console, codec::dump_json({{"jobs", entries_}}));
    }
    return worst_;
  }

  [[nodiscard]] std::size_t ended() const { return ended_; }

 private:
  [[nodiscard]] Milliseconds time_left() const {
    if (deadline_ == Clock::time_point::max()) return kNoTimeout;
    return std::max(Milliseconds{0}, std::chrono::ceil<Milliseconds>(deadline_ - Clock::now()));
  }

  Session& session_;
  DaemonClient& client_;
  Clock::time_point deadline_ = Clock::time_point::max();
  ExitCode worst_ = ExitCode::ok;
  nlohmann::json entries_ = nlohmann::json::array();
  std::size_t ended_ = 0;
};

}  // namespace

ExitCode run_command(Session& session, const WaitOptions& options) {
  for (const auto& text : options.jobs) {
    const auto job = full_job_id(text);
    if (!job) return report_error(session.console, job.error(), ExitCode::bad_input);
  }
  auto interrupts = Interrupts::install();
  if (!interrupts) return report_error(session.console, interrupts.error(), ExitCode::daemon);
  session.interrupt = interrupts->fd();
  auto client = connect_daemon(session, WhenAbsent::start);
  if (!client) return report_no_daemon(session, client.error());
  const auto jobs = jobs_of(*client, options);
  if (!jobs) return report_call_error(session, *client, jobs.error());
  Waiting waiting(session, *client, options);
  const auto done = waiting.run(*jobs);
  if (done) return waiting.finish();
  const std::string left = std::to_string(jobs->size() - waiting.ended()) + " of " +
                           std::to_string(jobs->size()) +
                           (jobs->size() == 1 ? " job has" : " jobs have") +
                           " not ended; `warpmind wait` waits again, `warpmind status` shows them";
  if (done.error().code == Errc::timeout) {
    return report_error(session.console, {Errc::timeout, "the time is up: " + left},
                        ExitCode::negative);
  }
  if (done.error().code == Errc::cancelled) {
    return report_error(session.console, {Errc::cancelled, "no longer waiting: " + left},
                        ExitCode::cancelled);
  }
  return report_call_error(session, *client, done.error());
}

ExitCode run_command(Session& session, const ResultOptions& options) {
  const auto job_id = full_job_id(options.job);
  if (!job_id) return report_error(session.console, job_id.error(), ExitCode::bad_input);
  const auto writable = check_output_file(options.output_file);
  if (!writable) return report_error(session.console, writable.error(), ExitCode::bad_input);
  auto client = connect_daemon(session, WhenAbsent::start);
  if (!client) return report_no_daemon(session, client.error());
  const auto result = client->result(*job_id);
  if (!result) return report_call_error(session, *client, result.error());
  return deliver_job(session, result->job, {options.output_file, {}, options.verbose});
}

ExitCode run_command(Session& session, const CancelOptions& options) {
  const auto job_id = full_job_id(options.job);
  if (!job_id) return report_error(session.console, job_id.error(), ExitCode::bad_input);
  auto client = connect_daemon(session, WhenAbsent::start);
  if (!client) return report_no_daemon(session, client.error());
  const auto answer = client->cancel(*job_id);
  if (!answer) return report_call_error(session, *client, answer.error());
  if (session.console.json) {
    const nlohmann::json document{{"job_id", *job_id},
                                  {"state", std::string(name_of(answer->state))}};
    write_document(session.console, codec::dump_json(document));
    return ExitCode::ok;
  }
  session.console.out << *job_id
                      << (answer->state == JobState::running
                              ? " is being ended; what was measured so far is kept\n"
                              : " is cancelled\n")
                      << std::flush;
  return ExitCode::ok;
}

ExitCode run_command(Session& session, const StatusOptions& /*options*/) {
  auto client = connect_daemon(session, WhenAbsent::start);
  if (!client) return report_no_daemon(session, client.error());
  const auto status = client->status();
  if (!status) return report_call_error(session, *client, status.error());
  if (session.console.json) {
    write_document(session.console, daemon::protocol::encode(*status));
  } else {
    session.console.out << render_status(*status, session.console.paint) << std::flush;
  }
  return ExitCode::ok;
}

ExitCode run_command(Session& session, const ValidateOptions& options) {
  const auto directory = task_directory(options.directory);
  if (!directory) return report_error(session.console, directory.error(), ExitCode::bad_input);
  auto client = connect_daemon(session, WhenAbsent::start);
  if (!client) return report_no_daemon(session, client.error());
  const auto answer = client->validate(*directory);
  if (!answer) return report_call_error(session, *client, answer.error());
  if (session.console.json) {
    write_document(session.console, daemon::protocol::encode(*answer));
  } else {
    session.console.out << render_validation(*answer, session.console.paint) << std::flush;
  }
  return ExitCode::ok;
}

namespace {

namespace protocol = daemon::protocol;

ExitCode show_profile(Session& session, const WhyOptions& options) {
  using Result = protocol::EpisodeProfileResult;
  return ask(session, protocol::kEpisodeProfile,
             protocol::EpisodeProfileParams{options.episode, options.step, options.against},
             [&](const Result& reply) {
               return render_profile(reply, options.metrics, style_of(session.console));
             });
}

}  // namespace

ExitCode run_command(Session& session, const WhyOptions& options) {
  if (options.profile) return show_profile(session, options);
  using Result = protocol::EpisodeExplainResult;
  return ask(
      session, protocol::kEpisodeExplain,
      protocol::EpisodeExplainParams{options.episode, options.step},
      [&session](const Result& reply) { return render_why(reply, style_of(session.console)); });
}

namespace protocol = daemon::protocol;

ExitCode run_command(Session& session, const ExportDataOptions& options) {
  auto params = static_cast<const protocol::ExportWriteParams&>(options);
  params.file = absolute_path(options.file);
  return ask(session, protocol::kExportWrite, params, [&session](const auto& reply) {
    return render_written(reply, style_of(session.console));
  });
}

ExitCode run_command(Session& session, const ExportVerifyOptions& options) {
  const protocol::ExportVerifyParams params{absolute_path(options.file)};
  return ask(
      session, protocol::kExportVerify, params, kNoTimeout,
      [&](const auto& reply) {
        return render_checked(reply, params.file, style_of(session.console));
      },
      [](const auto& reply) { return reply.problems == 0 ? ExitCode::ok : ExitCode::negative; });
}

}  // namespace warpmind::clients
