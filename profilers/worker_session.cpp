#include "profilers/worker_session.h"

#include "base/environment.h"
#include "base/hash.h"
#include "base/sequence.h"
#include "base/text.h"
#include "profilers/job/job_codec.h"
#include "profilers/sandbox/mounts.h"

#include <array>
#include <chrono>
#include <sys/random.h>

namespace warpmind::profilers {
namespace fs = std::filesystem;
namespace {

constexpr std::uint64_t kOutputFileBytes = std::uint64_t{16} * 1024 * 1024 * 1024;

Result<std::string> draw_key() {
  std::array<char, 32> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    return fail(Errc::external_failure, "the kernel gives no random bytes");
  }
  return to_hex(sha256({bytes.data(), bytes.size()}));
}

std::vector<std::string> runner_environment(const RunnerPlace& place,
                                            const std::vector<fs::path>& libraries) {
  std::string search_path;
  for (const auto& folder : libraries) {
    if (!search_path.empty()) search_path += ':';
    search_path += folder.string();
  }
  std::vector<std::string> environment{
      "CUDA_CACHE_DISABLE=1",  // nothing of a candidate outlives its runner
      "CUDA_VISIBLE_DEVICES=" + visible_device(place)};
  const std::string order = environment_variable("CUDA_DEVICE_ORDER");
  if (!order.empty()) environment.push_back("CUDA_DEVICE_ORDER=" + order);
  if (!search_path.empty()) environment.push_back("LD_LIBRARY_PATH=" + search_path);
  environment.insert(environment.end(), place.environment.begin(), place.environment.end());
  return environment;
}

RunnerAnswer failed(const ProcessEnd& end, const std::string& diagnostics) {
  RunnerAnswer answer;
  if (end.kind == EndKind::deadline) {
    answer.outcome = Outcome::timed_out;
    answer.reason =
        "the kernel did not finish within its time; look for an endless loop or a "
        "missing barrier";
    return answer;
  }
  answer.reason = end.kind == EndKind::output_limit
                      ? std::string("the runner wrote what is no report to its report channel")
                      : "the runner " + describe(end);
  const std::string said = first_line(diagnostics);
  if (!said.empty()) answer.reason += ": " + said.substr(0, 200);
  return answer;
}

}  // namespace

std::string visible_device(std::int64_t ordinal, std::string_view visible) {
  if (visible.empty()) return std::to_string(ordinal);
  for (std::int64_t i = 0; i < ordinal; ++i) {
    const std::size_t comma = visible.find(',');
    if (comma == std::string_view::npos) return "-1";  // CUDA's way to say none
    visible.remove_prefix(comma + 1);
  }
  return std::string(visible.substr(0, visible.find(',')));
}

std::string visible_device(const RunnerPlace& place) {
  if (!place.visible.empty()) return place.visible;
  return visible_device(place.device, environment_variable("CUDA_VISIBLE_DEVICES"));
}

Result<WorkerSession> WorkerSession::start(const Sandbox& sandbox, const RunnerPlace& place,
                                           std::shared_lock<DeviceTurn> held) {
  WARPMIND_TRY(auto directory, ScratchDirectory::create(place.scratch_root, "runner"));
  for (const char* name : {"in", "out", "bin"}) {
    WARPMIND_CHECK(make_private_directory(directory.path() / name));
  }
  std::string search_path = place.cuda_runtime.string() + ":" +
                            environment_variable("LD_LIBRARY_PATH") + ":" +
                            place.toolkit_libraries.string();
  for (const auto& folder : place.library_folders) search_path += ":" + folder.string();
  const auto libraries = library_folders(search_path);
  SandboxedCommand command;
  command.command = {place.program.string()};
  command.command.insert(command.command.end(), place.arguments.begin(), place.arguments.end());
  command.job_directory = directory.path();
  command.writable = {directory.path() / "out"};
  command.read_only = libraries;
  const auto own = own_mounts(place.program);
  command.read_only.insert(command.read_only.end(), own.begin(), own.end());
  command.read_only.insert(command.read_only.end(), place.read_only.begin(), place.read_only.end());
  command.environment = runner_environment(place, libraries);
  command.limits.file_bytes = kOutputFileBytes;
  command.limits.niceness = place.niceness;
  command.kill_grace = place.kill_grace;
  const auto role = place.starts_processes ? SandboxRole::checked_runner : SandboxRole::runner;
  WARPMIND_TRY(auto order, sandbox.wrap(role, std::move(command)));
  if (place.use && !held) held = place.use->beside();
  WARPMIND_TRY(auto session, LineSession::start(std::move(order), SessionLimits{}));
  WorkerSession started(std::move(directory), std::move(held), std::move(session), place);
  const auto& arguments = place.arguments;
  if (contains(arguments, "--simulated")) {
    WARPMIND_TRY(started.report_key_, draw_key());
  }
  return started;
}

std::shared_lock<DeviceTurn> WorkerSession::share() {
  auto held = std::move(starting_);
  if (use_ && !held) held = use_->beside();
  return held;
}

SessionAnswer WorkerSession::exchange(const RunnerJob& job, double timeout_s,
                                      const std::stop_token& stop) {
  std::string line;
  if (report_key_.empty() || key_sent_) {
    line = encode(job);
  } else {
    RunnerJob first = job;
    first.report_key = report_key_;
    line = encode(first);
    key_sent_ = true;
  }
  std::unique_lock<DeviceTurn> alone;
  std::shared_lock<DeviceTurn> beside;
  if (job.mode == JobMode::time || job.mode == JobMode::profile) {
    starting_ = {};
    if (use_) alone = use_->alone();
  } else {
    beside = share();
  }
  const auto deadline = std::chrono::steady_clock::now() +
                        std::chrono::milliseconds(static_cast<std::int64_t>(timeout_s * 1e3));
  return session_.exchange(line, deadline, stop);
}

Result<RunnerAnswer> WorkerSession::run_job(const RunnerJob& job, double timeout_s,
                                            const std::stop_token& stop) {
  report_seal_.reset();
  const SessionAnswer answer = exchange(job, timeout_s, stop);
  if (!answer.line) {
    if (answer.end.kind == EndKind::cancelled) {
      return fail(Errc::cancelled, "the run was cancelled");
    }
    RunnerAnswer bad = failed(answer.end, session_.captured_diagnostics());
    if (on_bad_end_) bad.reason += on_bad_end_({bad.reason, session_.stuck()});
    return bad;
  }
  auto report = decode_runner_report(*answer.line);
  if (!report) {
    RunnerAnswer garbage;
    garbage.reason = "the runner's report cannot be read: " + report.error().message;
    return garbage;
  }
  report_seal_ = report->report_seal;
  RunnerAnswer good;
  good.report = std::move(*report);
  return good;
}

void WorkerSession::finish(std::chrono::seconds most) {
  const auto beside = share();
  session_.close(std::chrono::steady_clock::now() + most);
}

Result<std::string> WorkerSession::add_binary(const fs::path& file, const std::string& name) const {
  const fs::path target = directory() / "bin" / name;
  std::error_code ec;
  fs::copy_file(file, target, fs::copy_options::overwrite_existing, ec);
  if (ec) {
    return fail(Errc::external_failure,
                "cannot copy " + file.string() + " to " + target.string() + ": " + ec.message());
  }
  return "bin/" + name;
}

}  // namespace warpmind::profilers
