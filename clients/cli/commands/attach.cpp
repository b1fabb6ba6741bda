#include "clients/cli/commands/commands.h"
#include "clients/cli/interrupts.h"
#include "clients/cli/job_delivery.h"
#include "clients/cli/job_watch.h"
#include "clients/cli/report/progress_line.h"

namespace warpmind::clients {
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

}  // namespace warpmind::clients
