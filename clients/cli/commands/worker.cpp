#include "base/file.h"
#include "clients/captured_process.h"
#include "clients/cli/commands/commands.h"
#include "clients/cli/slurm_job.h"
#include "clients/daemon_launcher.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <unistd.h>

#include <nlohmann/json.hpp>

namespace warpmind::clients {
namespace {

/// What others can read in the list of processes must hold no secret.
Result<void> check_address(const std::string& url) {
  if (url.find('@') == std::string::npos) return {};
  return fail(Errc::invalid_argument,
              "--nats must not hold a secret, for others can read it: put the token into a file of "
              "mode 0600 and name it with --token-file");
}

/// The settings that the flags stand for.
std::vector<std::string> assignments(const WorkerOptions& options) {
  std::vector<std::string> words;
  const auto set = [&words](const std::string& name, const std::string& value) {
    if (value.empty()) return;
    words.emplace_back("--set");
    words.push_back(name + "=" + value);
  };
  set("queue.nats", options.nats);
  set("queue.serve", options.architecture);
  if (!options.token_file.empty()) {
    std::error_code ignored;
    set("queue.nats_token_file", std::filesystem::absolute(options.token_file, ignored).string());
  }
  return words;
}

Result<std::vector<std::string>> worker_words(const Session& session,
                                              const WorkerOptions& options) {
  WARPMIND_CHECK(check_address(options.nats));
  if (options.nats.empty() && session.loaded.settings.queue.nats.empty()) {
    return fail(Errc::invalid_argument,
                "a worker needs the address of a NATS server: --nats nats://host:4222, or the "
                "setting queue.nats");
  }
  WARPMIND_TRY(const auto daemon, find_daemon());
  std::vector<std::string> words{daemon.string(), "--serve-evaluations"};
  for (const auto& word : daemon_arguments(session)) words.push_back(word);
  for (auto& word : assignments(options)) words.push_back(std::move(word));
  return words;
}

/// Becomes the daemon's program. Returns only when that fails.
Error become(std::vector<std::string> words) {
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execv(words.front().c_str(), argv.data());
  return {Errc::external_failure, words.front() + ": " + std::strerror(errno)};
}

Result<std::string> submit(const WorkerOptions& options, std::vector<std::string> worker) {
  SlurmJob job;
  job.workers = options.slurm;
  job.wants_gpu = options.architecture.starts_with("sm_");
  job.worker = std::move(worker);
  job.options = options.sbatch;
  std::error_code ec;
  WARPMIND_TRY(const auto scratch, ScratchDirectory::create(
                                       std::filesystem::temp_directory_path(ec), "warpmind-slurm"));
  const auto script = scratch.path() / "worker.sh";
  WARPMIND_CHECK(write_file_atomic(script, slurm_script(job)));
  std::vector<std::string> words{"/usr/bin/env", "sbatch"};
  for (auto& word : slurm_words(job, script.string())) words.push_back(std::move(word));
  WARPMIND_TRY(const auto said, run_captured(words, {}));
  constexpr int kNotFound = 127;
  if (said.exit_code == kNotFound) {
    return fail(Errc::unavailable, "there is no sbatch on PATH: --slurm needs a Slurm cluster");
  }
  if (said.exit_code != 0) {
    return fail(Errc::external_failure,
                "sbatch refused the job (exit code " + std::to_string(said.exit_code) + ")");
  }
  return slurm_job_id(said.output);
}

}  // namespace

ExitCode run_command(Session& session, const WorkerOptions& options) {
  auto words = worker_words(session, options);
  if (!words) return report_error(session.console, words.error(), ExitCode::bad_input);
  if (options.slurm == 0) {
    session.console.out.flush();
    session.console.err.flush();
    return report_error(session.console, become(std::move(*words)), ExitCode::environment);
  }
  const auto job = submit(options, std::move(*words));
  if (!job) return report_error(session.console, job.error(), ExitCode::environment);
  if (session.console.json) {
    write_document(session.console,
                   nlohmann::json{{"job", *job}, {"workers", options.slurm}}.dump());
  } else {
    session.console.out << options.slurm << " workers are job " << *job << " of Slurm; `scancel "
                        << *job << "` ends them\n"
                        << std::flush;
  }
  return ExitCode::ok;
}

}  // namespace warpmind::clients
