#include "base/codec/json_guard.h"
#include "clients/cli/commands/commands.h"
#include "clients/cli/interrupts.h"
#include "clients/cli/report/units.h"
#include "daemon/protocol/document.h"
#include "daemon/protocol/message_codec.h"
#include "daemon/protocol/queue_messages.h"

#include <algorithm>
#include <chrono>

namespace warpmind::clients {
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

}  // namespace warpmind::clients
