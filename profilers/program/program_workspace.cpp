#include "profilers/program/program_workspace.h"

#include "base/compiler_complaint.h"
#include "base/text.h"
#include "config/program_task_folder.h"
#include "config/program_task_pattern.h"
#include "profilers/launch_record/program_record.h"
#include "profilers/process/child_process.h"
#include "profilers/sandbox/mounts.h"
#include "profilers/worker_session.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>

namespace warpmind::profilers {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kBytesOfMib = std::uint64_t{1} << 20U;
constexpr std::uint64_t kMostProgramFileBytes = std::uint64_t{8} << 30U;
constexpr std::size_t kMostProgramOutput = std::size_t{16} << 20U;
constexpr std::size_t kMostBuildOutput = std::size_t{1} << 20U;
constexpr std::size_t kTailBytes = 4096;

std::string tail_of(const std::string& text) {
  return text.size() <= kTailBytes ? text : text.substr(text.size() - kTailBytes);
}

std::string last_line_of(const std::string& text) {
  const auto end = text.find_last_not_of(" \t\r\n");
  if (end == std::string::npos) return {};
  const auto begin = text.rfind('\n', end);
  return text
      .substr(begin == std::string::npos ? 0 : begin + 1,
              end - (begin == std::string::npos ? 0 : begin + 1) + 1)
      .substr(0, 200);
}

/// The shell becomes the program, since it may not start one. What is more than one command stays
/// as it is: its writer says where `exec` belongs.
std::string with_exec(const std::string& line) {
  if (line.find_first_of(";&|") != std::string::npos) return line;
  std::size_t at = line.find_first_not_of(' ');
  while (at != std::string::npos) {
    const auto end = std::min(line.find(' ', at), line.size());
    const std::string_view word = std::string_view(line).substr(at, end - at);
    if (word == "exec" || word.find_first_of("'\"\\`$(){}") != std::string_view::npos) return line;
    if (word.find('=') == std::string_view::npos) break;
    at = line.find_first_not_of(' ', end);  // NAME=value before the command
  }
  return at == std::string::npos ? line : line.substr(0, at) + "exec " + line.substr(at);
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Deadline deadline_in(double seconds) {
  return std::chrono::steady_clock::now() +
         std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1e3));
}

std::string whole_seconds(double seconds) {
  return std::to_string(static_cast<std::int64_t>(std::max(seconds, 1.0)));
}

/// A failure of bubblewrap itself is none of the program.
Result<void> check_sandbox(const Sandbox& sandbox, const ProcessOutcome& outcome) {
  if (outcome.end.kind == EndKind::cancelled) {
    return fail(Errc::cancelled, "the program's run was cancelled");
  }
  if (!sandbox.enabled() || outcome.end.success() || !outcome.diagnostics.starts_with("bwrap: ")) {
    return {};
  }
  return fail(Errc::external_failure,
              "the program's sandbox failed: " +
                  outcome.diagnostics.substr(0, outcome.diagnostics.find('\n')));
}

std::string with_last_words(std::string reason, const ProcessOutcome& outcome) {
  const std::string said =
      last_line_of(outcome.diagnostics.empty() ? outcome.output : outcome.diagnostics);
  if (!said.empty()) reason += ": " + said;
  if (outcome.diagnostics.find("fork") != std::string::npos) {
    reason +=
        " (a running program starts no others: write one simple command, or put exec before the "
        "last)";
  }
  return reason;
}

/// Why the run does not pass; empty = it does.
std::string why_not_passed(const ProgramPassRule& rule, const ProcessOutcome& outcome,
                           double seconds) {
  if (outcome.end.kind == EndKind::deadline) {
    return "it did not end within " + whole_seconds(seconds) +
           " s; give it less work, or more time with run_seconds";
  }
  if (outcome.end.kind == EndKind::output_limit) return "it writes more than 16 MiB";
  if (const int number = outcome.end.signal(); number != 0) {
    return with_last_words("it died of signal " + std::to_string(number), outcome);
  }
  if (outcome.end.code != rule.exit_code) {
    return with_last_words("it ended with exit code " + std::to_string(outcome.end.code) +
                               ", not " + std::to_string(rule.exit_code),
                           outcome);
  }
  // Validated before the workspace was made.
  if (!rule.output.empty()) {
    const auto pattern = config::ProgramPattern::compile(rule.output);
    if (pattern && !pattern->matches_a_line(outcome.output)) {
      return with_last_words("no line of its output matches '" + rule.output + "'", outcome);
    }
  }
  if (!rule.never.empty()) {
    const auto pattern = config::ProgramPattern::compile(rule.never);
    if (pattern && pattern->matches_a_line(outcome.output)) {
      return "a line of its output matches '" + rule.never + "'";
    }
  }
  return {};
}

}  // namespace

Result<ProgramWorkspace> ProgramWorkspace::create(const Sandbox& sandbox, const ProgramPlace& place,
                                                  const ProgramTask& task, const fs::path& folder,
                                                  const fs::path& scratch) {
  WARPMIND_TRY(auto selection, KernelSelection::compile(task.kernels));
  WARPMIND_TRY(auto job, ScratchDirectory::create(scratch, "program"));
  WARPMIND_CHECK(config::copy_program_folder(folder, job.path() / "work"));
  WARPMIND_CHECK(make_private_directory(job.path() / "record"));
  return ProgramWorkspace(sandbox, place, task, std::move(selection), std::move(job));
}

fs::path ProgramWorkspace::program() const {
  std::string_view rest = task_.run;
  while (!rest.empty()) {
    rest = trim_left(rest, " ");
    const std::string word(rest.substr(0, rest.find(' ')));
    rest.remove_prefix(word.size());
    if (word.find('=') != std::string::npos) continue;  // NAME=value before the command
    std::error_code ec;
    const fs::path file = files() / word;
    return !word.empty() && fs::is_regular_file(file, ec) ? file : fs::path();
  }
  return {};
}

std::vector<std::string> ProgramWorkspace::shell(const fs::path& folder,
                                                 const std::string& line) const {
  const std::string inside = sandbox_->inside(job_.path(), folder).string();
  return {"/usr/bin/env", "-C", inside, "/bin/sh", "-c", line};
}

Result<void> ProgramWorkspace::make_run_folder() const {
  std::error_code ec;
  fs::remove_all(run_folder(), ec);
  // Links are copied as links: what they point to outside is not mounted for the program.
  constexpr auto kOptions = fs::copy_options::recursive | fs::copy_options::copy_symlinks;
  if (!ec) fs::copy(files(), run_folder(), kOptions, ec);
  if (!ec) return {};
  return fail(Errc::external_failure, "copying what was built: " + ec.message());
}

Result<ProgramBuild> ProgramWorkspace::build(const std::stop_token& stop) const {
  ProgramBuild result;
  if (task_.build.empty()) {
    result.succeeded = true;
    return result;
  }
  std::string line = replace_text(task_.build, "{arch}", place_->architecture);
  line = replace_text(std::move(line), "{capability}", place_->architecture.substr(3));
  SandboxedCommand command;
  command.command = shell(files(), line);
  command.job_directory = job_.path();
  command.read_only = place_->toolkit.folders;
  if (!place_->host_root.string().starts_with("/usr")) {
    command.read_only.push_back(place_->host_root);
  }
  command.read_only.insert(command.read_only.end(), task_.needs.begin(), task_.needs.end());
  const std::string root = place_->nvcc.root.string();
  command.environment = {"PATH=" + root + "/bin:/usr/bin:/bin", "CUDA_HOME=" + root,
                         "CUDA_PATH=" + root, "CUDACXX=" + place_->nvcc.program.string(),
                         "NVCC_PREPEND_FLAGS=" + join_text(place_->toolkit.flags, " "),
                         // What nvcc links by default could be neither recorded nor skipped.
                         "NVCC_APPEND_FLAGS=-cudart shared"};
  command.limits.address_space_bytes = place_->build_memory_mib * kBytesOfMib;
  command.limits.file_bytes = kMostProgramFileBytes;
  WARPMIND_TRY(auto order, sandbox_->wrap(SandboxRole::compiler, std::move(command)));
  RunLimits limits;
  limits.deadline = deadline_in(task_.build_seconds);
  limits.output_bytes = kMostBuildOutput;
  const auto start = std::chrono::steady_clock::now();
  WARPMIND_TRY(const auto outcome, run_process(std::move(order), limits, stop));
  result.wall_s = seconds_since(start);
  WARPMIND_CHECK(check_sandbox(*sandbox_, outcome));
  result.succeeded = outcome.end.success();
  if (result.succeeded) return result;
  const std::string text = outcome.diagnostics + outcome.output;
  result.diagnostics = tail_of(text);
  result.reason = outcome.end.kind == EndKind::deadline
                      ? "its build did not end within " + whole_seconds(task_.build_seconds) + " s"
                      : "it does not build: " + first_complaint(text);
  return result;
}

std::vector<std::string> ProgramWorkspace::run_environment(KernelMode mode) const {
  const std::string kernels = sandbox_->inside(job_.path(), record()).string();
  const bool null = mode == KernelMode::null;
  if (place_->provider == Provider::sim) {
    std::vector<std::string> environment{
        "LD_LIBRARY_PATH=" + place_->runtime.string(), "CUDASIM_CHECKS=none",
        "CUDASIM_DEVICE=" + place_->device_key, "CUDASIM_KERNELS=" + kernels};
    if (null) environment.emplace_back("CUDASIM_NULL_KERNELS=on");
    return environment;
  }
  const auto ours = [](const char* name) {
    const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): never changed
    return std::string(value == nullptr ? "" : value);
  };
  const std::string root = place_->nvcc.root.string();
  std::string libraries =
      place_->nvcc.toolkit.libraries.string() + ":" + root + "/extras/CUPTI/lib64";
  if (!place_->runtime.empty()) libraries = place_->runtime.string() + ":" + libraries;
  for (const auto& folder : library_folders(ours("LD_LIBRARY_PATH"))) {
    libraries += ":" + folder.string();
  }
  std::vector<std::string> environment{
      "LD_LIBRARY_PATH=" + libraries, "CUDA_HOME=" + root, "CUDA_CACHE_DISABLE=1",
      "CUDA_VISIBLE_DEVICES=" +
          visible_device(place_->visible_device, ours("CUDA_VISIBLE_DEVICES"))};
  if (null) {
    environment.push_back("LD_PRELOAD=" + place_->null_library.string());
    environment.push_back("CUDARECORD_FILE=" + sandbox_->inside(job_.path(), calls()).string());
    environment.emplace_back("CUDARECORD_NULL_KERNELS=on");
  } else {
    environment.push_back("CUDA_INJECTION64_PATH=" + place_->kernel_library.string());
    environment.push_back("WARPMIND_KERNELS=" + kernels);
  }
  return environment;
}

void ProgramWorkspace::take_record(KernelMode mode, ProgramRun& run) const {
  std::error_code ec;
  if (mode == KernelMode::null && place_->provider == Provider::gpu) {
    const auto calls_made = read_program_record(calls());
    if (calls_made) run.launches = static_cast<std::int64_t>(calls_made->launches.size());
    return;
  }
  if (!fs::exists(record(), ec)) return;
  const auto kernels = read_kernel_record(record());
  if (!kernels) {
    run.note = "the record of its kernels cannot be read: " + kernels.error().message;
    return;
  }
  run.launches = static_cast<std::int64_t>(kernels->runs.size() + kernels->dropped);
  if (mode == KernelMode::real) run.kernels = times_per_kernel(*kernels, selection_);
  if (kernels->dropped > 0) {
    run.note = std::to_string(kernels->dropped) + " of its launches are not in the record";
  } else if (place_->provider == Provider::gpu && !kernels->complete) {
    run.note = "it ended without leaving main() or exit(), so the record may lack its last kernels";
  }
}

Result<ProgramTrial> ProgramWorkspace::run_program(KernelMode mode, double seconds,
                                                   const std::stop_token& stop) const {
  WARPMIND_CHECK(make_run_folder());
  std::error_code ec;
  fs::remove(record(), ec);
  fs::remove(calls(), ec);
  SandboxedCommand command;
  command.command = shell(run_folder(), with_exec(task_.run));
  command.job_directory = job_.path();
  command.writable = {run_folder(), job_.path() / "record"};
  command.environment = run_environment(mode);
  command.read_only = {task_.needs.begin(), task_.needs.end()};
  const bool simulated = place_->provider == Provider::sim;
  const auto own = own_mounts(simulated                  ? place_->runtime
                              : mode == KernelMode::null ? place_->null_library
                                                         : place_->kernel_library);
  command.read_only.insert(command.read_only.end(), own.begin(), own.end());
  if (!simulated) {
    command.read_only.insert(command.read_only.end(), place_->toolkit.folders.begin(),
                             place_->toolkit.folders.end());
    if (!place_->runtime.empty()) command.read_only.push_back(place_->runtime);
    const char* const libraries = std::getenv("LD_LIBRARY_PATH");  // NOLINT(concurrency-mt-unsafe)
    const auto folders = library_folders(libraries == nullptr ? "" : libraries);
    command.read_only.insert(command.read_only.end(), folders.begin(), folders.end());
  }
  command.limits.file_bytes = kMostProgramFileBytes;
  WARPMIND_TRY(auto order, sandbox_->wrap(SandboxRole::runner, std::move(command)));
  RunLimits limits;
  limits.deadline = deadline_in(seconds);
  limits.output_bytes = kMostProgramOutput;
  limits.end_on_output_limit = true;
  const auto start = std::chrono::steady_clock::now();
  WARPMIND_TRY(const auto outcome, run_process(std::move(order), limits, stop));
  ProgramTrial trial;
  trial.run.wall_s = seconds_since(start);
  WARPMIND_CHECK(check_sandbox(*sandbox_, outcome));
  trial.run.reason = why_not_passed(task_.pass, outcome, seconds);
  trial.run.passed = trial.run.reason.empty();
  take_record(mode, trial.run);
  trial.said = tail_of(outcome.output + outcome.diagnostics);
  return trial;
}

}  // namespace warpmind::profilers
