#include "profilers/lab/simulation.h"

#include "base/file.h"
#include "base/text.h"
#include "profilers/simulator/profile/report_seal.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

namespace warpmind::profilers {
namespace {

constexpr std::size_t kReportLimit = std::size_t{256} << 20U;
/// Of a run's time; the rest is for the start of the process and for writing outputs.
constexpr double kLaunchShare = 0.75;
constexpr const char* kWayOut =
    "; this size is beyond the simulator: give a smaller workload, raise lab.case_timeout_s, or "
    "measure on a GPU";

using simulator::CheckEntry;
using simulator::CheckKind;

std::string index_text(const std::array<std::uint32_t, 3>& index) {
  return "(" + std::to_string(index[0]) + "," + std::to_string(index[1]) + "," +
         std::to_string(index[2]) + ")";
}

std::string where_of(const CheckEntry& entry) {
  std::ostringstream text;
  text << "block " << index_text(entry.block) << ", thread " << index_text(entry.thread);
  if (entry.address != 0) text << ", address 0x" << std::hex << entry.address << std::dec;
  if (!entry.instruction.empty()) text << ", " << entry.instruction;
  if (!entry.detail.empty()) text << ": " << entry.detail;
  return text.str();
}

void add(std::vector<SimulatorFinding>& findings, const CheckEntry& entry) {
  const std::string kind(name_of(entry.kind));
  for (SimulatorFinding& known : findings) {
    if (known.kind != kind || known.kernel != entry.kernel || known.line != entry.source_line) {
      continue;
    }
    known.count += static_cast<std::int64_t>(entry.count);
    return;
  }
  findings.push_back({kind, is_defect(entry.kind), entry.kernel, entry.source_line, where_of(entry),
                      static_cast<std::int64_t>(entry.count)});
}

/// Follows no link: what a candidate puts there must not be read as a report.
Result<std::string> read_own_file(const std::filesystem::path& file) {
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status {};
  if (!fd || ::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return fail(Errc::corrupt_data, "the simulator's report is no regular file any more");
  }
  if (static_cast<std::size_t>(status.st_size) > kReportLimit) {
    return fail(Errc::corrupt_data, "the simulator's report has " + std::to_string(status.st_size) +
                                        " bytes; at most " + std::to_string(kReportLimit) +
                                        " are read");
  }
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = ::read(fd.get(), text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return fail(Errc::corrupt_data, "the simulator's report shrank while it was read");
    done += static_cast<std::size_t>(n);
  }
  return text;
}

/// What a GPU would have answered with an error, rather than with a wrong result.
bool is_fault(const std::string& kind) {
  constexpr std::array kFaults{CheckKind::global_out_of_bounds, CheckKind::shared_out_of_bounds,
                               CheckKind::local_out_of_bounds,  CheckKind::use_after_free,
                               CheckKind::misaligned,           CheckKind::null_or_host_pointer,
                               CheckKind::device_assert};
  return std::any_of(kFaults.begin(), kFaults.end(),
                     [&](CheckKind fault) { return name_of(fault) == kind; });
}

}  // namespace

RunnerPlace place_for(const RunnerPlace& simulator, SimulationMode mode, const std::string& device,
                      double run_seconds) {
  RunnerPlace place = simulator;
  place.arguments.emplace_back(kSimulatedRunner);
  auto& environment = place.environment;
  environment.push_back("CUDASIM_DEVICE=" + device);
  environment.push_back("CUDASIM_SECONDS=" + fixed(kLaunchShare * run_seconds, 3));
  environment.push_back(std::string("CUDASIM_REPORT=out/") + kSimulationReport);
  environment.push_back(mode == SimulationMode::verify ? "CUDASIM_CHECKS=all"
                                                       : "CUDASIM_CHECKS=none");
  if (mode == SimulationMode::verify_reversed) environment.emplace_back("CUDASIM_ORDER=reversed");
  if (mode == SimulationMode::verify_drawn) environment.emplace_back("CUDASIM_ORDER=drawn");
  if (mode == SimulationMode::profile) {
    environment.emplace_back("CUDASIM_PROFILE=on");
    environment.emplace_back("CUDASIM_SAMPLE=on");
  }
  return place;
}

Result<std::vector<simulator::LaunchReport>> read_simulation(const WorkerSession& runner) {
  const auto file = runner.directory() / "out" / kSimulationReport;
  std::error_code ec;
  std::string text;  // empty: nothing was launched
  if (std::filesystem::symlink_status(file, ec).type() != std::filesystem::file_type::not_found) {
    WARPMIND_TRY(text, read_own_file(file));
  }
  std::vector<simulator::LaunchReport> launches;
  simulator::ReportSeal seal(runner.report_key());
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    seal.add(line);
    WARPMIND_TRY(auto launch, simulator::decode_launch_report(line));
    launches.push_back(std::move(launch));
  }
  if (runner.report_seal() && *runner.report_seal() != seal.value()) {
    return fail(Errc::corrupt_data,
                runner.report_seal()->empty()
                    ? std::string("the simulator could not write its report; is the disk full?")
                    : std::string("the simulator's report was changed while the kernel ran; a host "
                                  "function must leave out/ alone"));
  }
  return launches;
}

std::vector<SimulatorFinding> findings_of(const std::vector<simulator::LaunchReport>& launches) {
  std::vector<SimulatorFinding> findings;
  for (const auto& launch : launches) {
    for (const CheckEntry& entry : launch.launch.checks) add(findings, entry);
  }
  std::stable_partition(findings.begin(), findings.end(),
                        [](const SimulatorFinding& finding) { return finding.defect; });
  return findings;
}

std::optional<StageFailure> defect_of(const std::vector<SimulatorFinding>& findings) {
  if (findings.empty() || !findings.front().defect) return std::nullopt;
  const SimulatorFinding& first = findings.front();
  std::string reason = "the simulator found: " + first.kind + " in " + first.kernel;
  if (first.line > 0) reason += " line " + std::to_string(first.line);
  reason += ", " + first.where;
  if (first.count > 1) reason += "; " + std::to_string(first.count) + " times";
  return StageFailure{is_fault(first.kind) ? Outcome::crashed : Outcome::wrong, std::move(reason)};
}

std::optional<StageFailure> stop_of(const std::vector<simulator::LaunchReport>& launches) {
  for (const auto& launch : launches) {
    if (launch.finished) continue;
    StageFailure failure{Outcome::crashed, launch.launch.end_reason};
    if (launch.launch.end == simulator::LaunchEnd::unsupported) failure.outcome = Outcome::blocked;
    if (launch.launch.end == simulator::LaunchEnd::step_limit ||
        launch.launch.end == simulator::LaunchEnd::deadlock) {
      failure.outcome = Outcome::timed_out;
    }
    if (launch.launch.end == simulator::LaunchEnd::time_limit) {
      failure.outcome = Outcome::unjudgeable;
      failure.reason += kWayOut;
    }
    return failure;
  }
  return std::nullopt;
}

StageFailure explained_by_report(const WorkerSession& runner, StageFailure failure) {
  if (!runner.is_simulated()) return failure;
  const auto launches = read_simulation(runner);
  if (!launches) return failure;
  // A fault is told by the runner, with its case.
  auto stopped = stop_of(*launches);
  if (stopped && stopped->outcome != Outcome::crashed) return std::move(*stopped);
  if (failure.outcome != Outcome::timed_out) return failure;
  return {Outcome::unjudgeable, "the simulator was not done in time, after " +
                                    std::to_string(launches->size()) +
                                    (launches->size() == 1 ? " launch" : " launches") + kWayOut};
}

}  // namespace warpmind::profilers
