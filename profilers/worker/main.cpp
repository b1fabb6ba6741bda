/// \file
/// warpmind-worker: runs, times and profiles one candidate in one CUDA context, then goes away.

#include "profilers/job/job_codec.h"
#include "profilers/worker/check_mode.h"
#include "profilers/worker/profile_mode.h"
#include "profilers/worker/runner_session.h"
#include "profilers/worker/simulator_hooks.h"
#include "profilers/worker/time_mode.h"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <exception>
#include <fcntl.h>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <unistd.h>

namespace {

using warpmind::profilers::JobMode;
using warpmind::profilers::RunnerJob;
using warpmind::profilers::RunnerOptions;
using warpmind::profilers::RunnerReport;
using warpmind::profilers::RunnerSession;

constexpr int kReportFd = 3;
constexpr const char* kUsage =
    "usage: warpmind-worker [--device N] [--simulated]   3>reports\n"
    "\n"
    "Runs one candidate kernel for warpmindd: reads jobs on standard input and writes reports on\n"
    "descriptor 3, one JSON object a line, until end of file. Started by the daemon, not by hand.\n"
    "\n"
    "  --device N    CUDA device, counted from 0 (default 0)\n"
    "  --simulated   the CUDA runtime is a simulator: event times are predictions\n"
    "  --help        this text\n";

std::optional<RunnerOptions> parse(int argc, char** argv) {
  RunnerOptions options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--simulated") {
      options.simulated = true;
      continue;
    }
    if (argument != "--device" || i + 1 >= argc) return std::nullopt;
    const std::string_view number = argv[++i];
    const auto parsed =
        std::from_chars(number.data(), number.data() + number.size(), options.device);
    if (parsed.ec != std::errc() || parsed.ptr != number.data() + number.size()) {
      return std::nullopt;
    }
  }
  return options;
}

bool write_line(std::string line) {
  line += '\n';
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t n = ::write(kReportFd, rest.data(), rest.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    rest.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

RunnerReport do_job(RunnerSession& session, const RunnerJob& job) {
  switch (job.mode) {
    case JobMode::check: return warpmind::profilers::check(session, job);
    case JobMode::time: return warpmind::profilers::time(session, job);
    case JobMode::profile: return warpmind::profilers::profile(session, job);
    case JobMode::identify: break;
  }
  RunnerReport report;
  report.ok = true;
  report.device = session.device();
  return report;
}

/// With `key`, which the first job brings, before it loads what could look for it.
RunnerReport run_sealed(RunnerSession& session, const RunnerJob& job, std::string& key) {
  if (key.empty() && !job.report_key.empty()) {
    key = job.report_key;
    warpmind::profilers::seal_reports(key);
  }
  warpmind::profilers::sample_blocks(job.blocks);
  RunnerReport report = do_job(session, job);
  if (!key.empty()) report.report_seal = warpmind::profilers::report_seal(key);
  return report;
}

RunnerReport answer(warpmind::Result<std::unique_ptr<RunnerSession>>& session,
                    const std::string& line, std::string& key) {
  RunnerReport report;
  const auto job = warpmind::profilers::decode_runner_job(line);
  if (!job) {
    report.error = job.error().message;
    return report;
  }
  if (!session) {
    report.no_device = true;
    report.error = session.error().message;
    return report;
  }
  return run_sealed(**session, *job, key);
}

int serve(const RunnerOptions& options) {
  auto session = RunnerSession::start(options);
  std::string line;
  std::string key;
  while (std::getline(std::cin, line)) {
    if (line.empty()) continue;
    const RunnerReport report = answer(session, line, key);
    if (!write_line(warpmind::profilers::encode(report))) return 1;
    // Destructors of handles would only meet the same sticky error: leave at once.
    if (session && warpmind::profilers::context_is_lost()) ::_exit(1);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--help") {
    std::fputs(kUsage, stdout);
    return 0;
  }
  const auto options = parse(argc, argv);
  if (!options) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  if (::fcntl(kReportFd, F_SETFD, FD_CLOEXEC) < 0) {
    std::fputs(
        "warpmind-worker: descriptor 3 is not open, so reports have nowhere to go; warpmindd "
        "starts this program, `warpmind-worker --help` says how\n",
        stderr);
    return 2;
  }
  (void)std::signal(SIGPIPE, SIG_IGN);
  try {
    return serve(*options);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "warpmind-worker: %s\n", e.what());
    return 1;
  }
}
