#include "clients/cli/commands/commands.h"
#include "clients/cli/interrupts.h"
#include "clients/cli/job_delivery.h"
#include "clients/cli/report/progress_line.h"
#include "daemon/protocol/message_codec.h"

#include <algorithm>

namespace warpmind::clients {
namespace {

namespace protocol = daemon::protocol;

/// The daemon may have another working folder than the files of a "rules:FILE" are named from.
std::string absolute_model(const std::string& model) {
  for (const std::string_view kind : {"rules:", "replay:"}) {
    if (!model.starts_with(kind)) continue;
    std::error_code ec;
    const auto file = std::filesystem::absolute(model.substr(kind.size()), ec).lexically_normal();
    return std::string(kind) + file.string();
  }
  return model;
}

/// What was asked of the search, for the first line of progress: "queued, policy mcgs, 2 workers".
std::string queued_line(const OptimizeOptions& options) {
  std::string line(name_of(JobState::queued));
  if (!options.policy.empty()) line += ", policy " + options.policy;
  if (options.workers && *options.workers > 1) {
    line += ", " + std::to_string(*options.workers) + " workers";
  }
  if (!options.proposer.empty()) line += ", proposer " + options.proposer;
  return line;
}

Result<protocol::TaskSubmitParams> submission(const OptimizeOptions& options) {
  if (!options.run.empty()) {
    return fail(Errc::invalid_argument,
                "whole programs (--run) cannot be judged yet: make a task folder of the kernel "
                "(docs/tasks.md); what the built-in agent could do to the file: warpmind "
                "explain-moves " +
                    options.directory);
  }
  WARPMIND_CHECK(check_output_file(options.output_file));
  WARPMIND_TRY(const auto directory, task_directory(options.directory));
  protocol::TaskSubmitParams params{.directory = directory.string(),
                                    .evaluations = options.evaluations,
                                    .seconds = options.seconds,
                                    .provider = !options.device.empty() ? "sim" : options.provider,
                                    .proposer = options.proposer,
                                    .replay_file = {},
                                    .fixture_directory = {},
                                    .device = options.device,
                                    .watch = !options.detach,
                                    .policy = options.policy,
                                    .workers = options.workers,
                                    .seed = options.seed,
                                    .model = {},
                                    .tokens = options.tokens,
                                    .usd = options.usd,
                                    .gpu_seconds = options.gpu_seconds};
  params.model = absolute_model(options.model);
  std::error_code ec;
  if (!options.fixture_directory.empty()) {
    const auto fixtures =
        std::filesystem::absolute(options.fixture_directory, ec).lexically_normal();
    if (!std::filesystem::is_directory(fixtures, ec)) {
      return fail(Errc::not_found,
                  "--fixtures " + options.fixture_directory + ": there is no such directory");
    }
    params.fixture_directory = fixtures.string();
  }
  if (options.replay_file.empty()) return params;
  const auto replay = std::filesystem::absolute(options.replay_file, ec).lexically_normal();
  if (!std::filesystem::is_regular_file(replay, ec)) {
    return fail(Errc::not_found, "--replay " + options.replay_file + ": there is no such file");
  }
  params.replay_file = replay.string();
  return params;
}

ExitCode detached(Session& session, const protocol::TaskSubmitResult& submitted) {
  if (session.console.json) {
    write_document(session.console, protocol::encode(submitted));
    return ExitCode::ok;
  }
  session.console.out << clean_line(submitted.job_id) << " is queued, " << submitted.ahead
                      << (submitted.ahead == 1 ? " job" : " jobs")
                      << " before it; later: warpmind result " << clean_line(submitted.job_id)
                      << '\n'
                      << std::flush;
  return ExitCode::ok;
}

/// Follows one job to its end. The first Ctrl-C asks the daemon to cancel, the second leaves.
class JobWatch {
 public:
  JobWatch(DaemonClient& client, Interrupts& interrupts, ProgressDisplay& display, std::string job)
      : client_(client), interrupts_(interrupts), display_(display), job_(std::move(job)) {}

  Result<JobState> follow() {
    while (true) {
      auto end = client_.wait_for_end(job_);
      if (end || end.error().code != Errc::cancelled) return explained(std::move(end));
      interrupts_.drain();
      if (asked_) return left();
      asked_ = true;
      display_.note("warpmind: cancelling " + job_ +
                    "; what was measured so far is kept (Ctrl-C again leaves at once)");
      const auto answer = client_.cancel(job_);
      if (answer && answer->state == JobState::cancelled) return JobState::cancelled;
      if (answer || answer.error().code == Errc::conflict) continue;  // it ends, or has ended
      if (answer.error().code == Errc::cancelled) return left();
      return explained(fail(answer.error()));
    }
  }

 private:
  [[nodiscard]] tl::unexpected<Error> left() const {
    return fail(Errc::cancelled, "left while " + job_ +
                                     " is still being ended; look at it later with `warpmind "
                                     "result " +
                                     job_ + "`");
  }

  Result<JobState> explained(Result<JobState> end) const {
    if (end || client_.connected()) return end;
    Error error = std::move(end).error();
    error.message +=
        "; " + job_ + " is kept and goes on when a daemon runs: `warpmind result " + job_ + "`";
    return fail(std::move(error));
  }

  DaemonClient& client_;
  Interrupts& interrupts_;
  ProgressDisplay& display_;
  std::string job_;
  bool asked_ = false;
};

ExitCode watched(Session& session, DaemonClient& client, Interrupts& interrupts,
                 const protocol::TaskSubmitResult& submitted, ProgressDisplay& display,
                 const OptimizeOptions& options) {
  display.show(
      {.job_id = submitted.job_id, .state = JobState::queued, .line = queued_line(options)});
  auto end = JobWatch(client, interrupts, display, submitted.job_id).follow();
  display.clear();
  if (!end) return report_call_error(session, client, end.error());
  const auto result = client.result(submitted.job_id);
  if (!result) return report_call_error(session, client, result.error());
  const ExitCode code = deliver_job(session, result->job, options.output_file);
  const auto& episode = result->job.episode;
  if (!session.console.json && episode && episode->outcome == Outcome::blocked) {
    session.console.err << "warpmind: nothing was measured; `warpmind doctor` says what this "
                           "machine lacks\n";
  }
  return code;
}

}  // namespace

ExitCode run(Session& session, const OptimizeOptions& options) {
  Console& console = session.console;
  if (options.proposer == "external") {
    // Nothing to watch: whoever called writes the candidates.
    return run(session, EpisodeOpenOptions{options.directory,
                                           options.evaluations,
                                           options.provider,
                                           options.device,
                                           options.gpu_seconds,
                                           {}});
  }
  const auto params = submission(options);
  if (!params) {
    return report_error(console, params.error(), exit_code_for(Origin::input, params.error().code));
  }
  auto interrupts = Interrupts::install();
  if (!interrupts) return report_error(console, interrupts.error(), ExitCode::daemon);
  session.interrupt = interrupts->fd();
  auto client = connect_daemon(session, WhenAbsent::start);
  if (!client) return report_no_daemon(session, client.error());

  const ProgressStyle style =
      console.err_is_terminal ? ProgressStyle::rewritten : ProgressStyle::lines;
  ProgressDisplay display(console.err, style, console.columns);
  client->on_progress([&display](const auto& progress) { display.show(progress); });
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
