#include "profilers/judge_session.h"

#include "base/text.h"
#include "profilers/job/job_codec.h"
#include "profilers/sandbox/mounts.h"

#include <chrono>

namespace warpmind::profilers {
std::filesystem::path recorded_values_of(const Task& task) {
  if (!has_recorded_values(task)) return {};
  return std::filesystem::path(task.directory) / kRecordedValuesFolder;
}

Result<JudgeSession> JudgeSession::start(const Sandbox& sandbox, JudgePlace place) {
  SandboxedCommand command;
  command.command = {place.program.string()};
  command.job_directory = place.scratch_root;
  command.read_only = own_mounts(place.program);
  if (!place.reference_library.empty()) command.read_only.push_back(place.reference_library);
  if (!place.recorded_values.empty()) command.read_only.push_back(place.recorded_values);
  command.limits.niceness = kBackgroundNiceness;
  WARPMIND_TRY(auto order, sandbox.wrap(SandboxRole::judge, std::move(command)));
  SessionLimits limits;
  limits.answers = AnswerChannel::standard_output;
  WARPMIND_TRY(auto session, LineSession::start(std::move(order), limits));
  return JudgeSession(sandbox, std::move(place), std::move(session));
}

Result<JudgeReply> JudgeSession::ask(const JudgeJob& job, double timeout_s,
                                     const std::stop_token& stop) {
  const auto deadline = std::chrono::steady_clock::now() +
                        std::chrono::milliseconds(static_cast<std::int64_t>(timeout_s * 1e3));
  const SessionAnswer answer = session_.exchange(encode(job), deadline, stop);
  if (!answer.line) {
    if (answer.end.kind == EndKind::cancelled) {
      return fail(Errc::cancelled, "the judging was cancelled");
    }
    const bool late = answer.end.kind == EndKind::deadline;
    std::string message = "the judge " + describe(answer.end);
    const std::string said = first_line(session_.captured_diagnostics());
    if (!said.empty()) message += ": " + said;
    return fail(late ? Errc::timeout : Errc::external_failure, std::move(message));
  }
  WARPMIND_TRY(auto reply, decode_judge_reply(*answer.line));
  if (!reply.ok) return fail(Errc::external_failure, "the judge refused: " + reply.error);
  return reply;
}

Result<std::vector<PreparedCase>> JudgeSession::prepare(JudgeJob job,
                                                        const std::filesystem::path& directory,
                                                        double timeout_s,
                                                        const std::stop_token& stop) {
  job.command = JudgeCommand::prepare;
  return ask_for_cases(std::move(job), directory, timeout_s, stop);
}

Result<std::vector<PreparedCase>> JudgeSession::relate(JudgeJob job,
                                                       const std::filesystem::path& directory,
                                                       double timeout_s,
                                                       const std::stop_token& stop) {
  job.command = JudgeCommand::relate;
  return ask_for_cases(std::move(job), directory, timeout_s, stop);
}

Result<Correctness> JudgeSession::compare_related(double baseline_error, double timeout_s,
                                                  const std::stop_token& stop) {
  JudgeJob job;
  job.command = JudgeCommand::compare_related;
  job.baseline_error = baseline_error;
  WARPMIND_TRY(auto reply, ask(job, timeout_s, stop));
  return std::move(reply.correctness);
}

Result<std::vector<PreparedCase>> JudgeSession::ask_for_cases(
    JudgeJob job, const std::filesystem::path& directory, double timeout_s,
    const std::stop_token& stop) {
  job.directory = sandbox_->inside(place_.scratch_root, directory).string();
  job.reference_library = place_.reference_library.string();
  if (!job.expected_directory.empty()) {
    job.expected_directory = sandbox_->inside(place_.scratch_root, job.expected_directory).string();
  }
  WARPMIND_TRY(auto reply, ask(job, timeout_s, stop));
  return std::move(reply.cases);
}

Result<AdmissionReport> JudgeSession::admit(JudgeJob job, double timeout_s,
                                            const std::stop_token& stop) {
  job.command = JudgeCommand::admit;
  job.reference_library = place_.reference_library.string();
  WARPMIND_TRY(auto reply, ask(job, timeout_s, stop));
  return std::move(reply.admission);
}

Result<JudgeReply> JudgeSession::compare(JudgeJob job, double timeout_s,
                                         const std::stop_token& stop) {
  job.command = JudgeCommand::compare;
  return ask(job, timeout_s, stop);
}

}  // namespace warpmind::profilers
