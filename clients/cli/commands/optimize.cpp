#include "clients/cli/commands/commands.h"
#include "clients/cli/interrupts.h"
#include "clients/cli/job_delivery.h"
#include "clients/cli/job_watch.h"
#include "clients/cli/program_run/program_task_run.h"
#include "clients/cli/report/progress_line.h"
#include "clients/cli/submission.h"
#include "daemon/protocol/message_codec.h"

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

}  // namespace warpmind::clients
