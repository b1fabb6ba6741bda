/// \file
/// Share of the limit of twelve kernels and more of which it is known what they reach: the limit is
/// right when each is within five points of that. Times are the worker's, as those of verdicts.
///   limit_bench
/// Needs a GPU and nvcc; without, it says so and ends with 4. Without cuBLAS its cases are left
/// out.

#include "base/sequence.h"
#include "config/device_table.h"
#include "config/settings_loader.h"
#include "profilers/lab/device_floors.h"
#include "profilers/process/child_process.h"
#include "profilers/statistics.h"
#include "tests/bench/limit_bench/limit_cases.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>

namespace warpmind::bench {
namespace {

namespace fs = std::filesystem;
using profilers::LabParts;
using profilers::RunnerReport;

constexpr double kCaseSeconds = 120;
constexpr double kMostMs = 300;
constexpr std::int64_t kQuads = 10;
constexpr std::chrono::seconds kToolSeconds{300};

struct Device {
  DeviceIdentity identity;
  DeviceSpec spec;
  DeviceFloors floors;
};

std::string architecture(const Device& device) {
  return architecture_of(device.identity.compute_major, device.identity.compute_minor);
}

/// Standard output of a program that ended well. Errors: external_failure with what it said.
Result<std::string> output_of(std::vector<std::string> words, const LabParts& parts,
                              const fs::path& folder) {
  profilers::ProcessOrder order;
  order.command = std::move(words);
  // nvcc looks for the host compiler; a program must see the GPU that runners see.
  order.environment = {"PATH=/usr/local/bin:/usr/bin:/bin",
                       "CUDA_VISIBLE_DEVICES=" + visible_device(parts.pool.place())};
  order.working_directory = folder;
  profilers::RunLimits limits;
  limits.deadline = std::chrono::steady_clock::now() + kToolSeconds;
  WARPMIND_TRY(auto outcome, profilers::run_process(std::move(order), limits, {}));
  if (outcome.end.success()) return std::move(outcome.output);
  return fail(Errc::external_failure,
              outcome.diagnostics.empty() ? describe(outcome.end) : outcome.diagnostics);
}

/// cuBLAS as a library for the worker, and the times of NVIDIA's own code.
struct Library {
  fs::path object;  ///< empty = there is none, and `why` says so
  std::map<std::string, double> times_ns;
  std::string why;
};

Library build_library(const LabParts& parts, const Device& device, const fs::path& folder) {
  Library library;
  const std::string source = WARPMIND_LIMIT_BENCH "/library_kernels.cu";
  const std::vector<std::string> nvcc = {(parts.toolchain.root() / "bin" / "nvcc").string(),
                                         "-O3",
                                         "-cudart",
                                         "shared",
                                         "-arch=" + architecture(device),
                                         source,
                                         "-lcublas"};
  const auto object = folder / "library.so";
  const auto program = folder / "library_rates";
  auto shared = nvcc;
  shared.insert(shared.end(), {"-shared", "-Xcompiler", "-fPIC", "-o", object.string()});
  auto rates = nvcc;
  rates.insert(rates.end(),
               {"-DLIBRARY_RATES", "-Xlinker", "-rpath=" + parts.toolchain.libraries().string(),
                "-o", program.string()});
  for (auto& words : {shared, rates}) {
    if (const auto built = output_of(words, parts, folder); !built) {
      library.why = "cuBLAS is left out: " + built.error().message;
      return library;
    }
  }
  const auto said = output_of({program.string(), std::to_string(kCopyBytes),
                               std::to_string(kGemmF16), std::to_string(kGemmF32)},
                              parts, folder);
  if (!said) {
    library.why = "NVIDIA's own code did not run: " + said.error().message;
    return library;
  }
  library.object = object;
  library.times_ns = library_times(*said);
  return library;
}

/// One case in a runner of its own.
Result<RunnerReport> time_case(LabParts& parts, const LimitCase& one, const fs::path& binary) {
  WARPMIND_TRY(auto runner, parts.pool.take({}));
  profilers::RunnerJob job;
  job.mode = profilers::JobMode::time;
  job.cases = {one.run_case};
  WARPMIND_TRY(job.cases.front().candidate.binary, runner.add_binary(binary, "candidate"));
  job.quads = kQuads;
  job.most_ms = kMostMs;
  job.hot = one.hot_bytes > 0;
  WARPMIND_TRY(const auto answer, runner.run_job(job, kCaseSeconds, {}));
  runner.finish();
  if (!answer.report) return fail(Errc::external_failure, answer.reason);
  if (!answer.report->ok) return fail(Errc::external_failure, answer.report->error);
  return *answer.report;
}

struct Score {
  int kernels = 0;
  int judged = 0;
  int within = 0;
};

void print_row(const LimitCase& one, const Limit& limit, double time_ns,
               std::optional<double> known, bool well) {
  std::printf("%-17s %10.2f %10.2f %7.1f %% ", one.name.c_str(), time_ns / 1e3, limit.ns / 1e3,
              100 * limit.ns / time_ns);
  if (known) {
    std::printf("%7.1f %%  %-4s", 100 * *known, well ? "" : "OFF");
  } else {
    std::printf("%9s  %-4s", "-", "");
  }
  std::printf("  %s; known by %s\n", limited_by(limit).c_str(), one.source.c_str());
  std::fflush(stdout);
}

Result<void> run_case(LabParts& parts, const Device& device, const LimitCase& one,
                      const fs::path& binary, SessionFacts facts, Score& score) {
  ++score.kernels;
  WARPMIND_TRY(const RunnerReport report, time_case(parts, one, binary));
  const double time_ns = median_of(profilers::candidate_blocks(report.quads));
  facts.sm_clock_mhz = report.sm_clock_mhz;
  const Limit limit = limit_of(
      {one.task, one.task.workloads.front(), device.spec, &device.floors, nullptr, one.hot_bytes});
  const auto share = share_of_limit(limit, time_ns);
  auto known = known_share(one, limit, device.spec, facts);
  if (known) known = std::min(*known, 1.0);
  const bool well = known && share && agrees(*share, *known);
  if (known) ++score.judged;
  if (well) ++score.within;
  print_row(one, limit, time_ns, known, well);
  return {};
}

Result<Device> find_device(LabParts& parts, const config::DeviceTable& table) {
  Device device;
  WARPMIND_TRY(device.identity, parts.pool.device({}));
  const auto row = table.match(device.identity);
  if (!row) {
    return fail(Errc::unavailable, "the device table has no row for " + device.identity.name);
  }
  device.spec = *row;
  WARPMIND_TRY(device.floors, profilers::measure_floors(parts, device.identity, {}));
  return device;
}

void print_device(const Device& device) {
  std::printf("%s, driver %s: a launch takes %.2f us; cold reads:", device.identity.name.c_str(),
              device.identity.driver.c_str(), device.floors.launch_ns / 1e3);
  for (const auto& read : device.floors.cold_reads) {
    std::printf(" %.0f KiB %.2f us", read.bytes / 1024, read.ns / 1e3);
  }
  std::printf("\n\n%-17s %10s %10s %9s %9s\n", "kernel", "time us", "limit us", "share", "known");
}

Result<int> run() {
  WARPMIND_TRY(const auto loaded,
               config::load_settings({std::nullopt, config::capture_environment(), {}, {}}));
  WARPMIND_TRY(const auto table, config::DeviceTable::load());
  WARPMIND_TRY(const auto target, table.need(loaded.settings.lab.target));
  WARPMIND_TRY(const auto sandbox, profilers::make_sandbox(loaded.settings));
  WARPMIND_TRY(const auto parts,
               profilers::make_lab_parts(loaded.settings, table, target, *sandbox));
  WARPMIND_TRY(const Device device, find_device(*parts, table));
  Kernel kernel;
  WARPMIND_TRY(kernel.source, read_file(WARPMIND_LIMIT_BENCH "/limit_kernels.cu", 1U << 20U));
  WARPMIND_TRY(const auto built, parts->toolchain.build_kernel(kernel, architecture(device), {}));
  if (!built.report.succeeded) return fail(Errc::external_failure, built.report.diagnostics);
  WARPMIND_TRY(const auto folder, ScratchDirectory::create(fs::temp_directory_path(), "limit"));
  const Library library = build_library(*parts, device, folder.path());
  if (!library.why.empty()) std::printf("%s\n", library.why.c_str());
  print_device(device);

  Score score;
  int failed = 0;
  for (const auto& one : limit_cases("kernels", library.object.string(), device.spec)) {
    const bool of_library = one.run_case.candidate.tier == Tier::b;
    const auto ran = run_case(*parts, device, one, of_library ? library.object : built.binary,
                              {library.times_ns}, score);
    if (ran) continue;
    ++failed;
    std::printf("%-17s failed: %s\n", one.name.c_str(), ran.error().message.c_str());
  }
  std::printf("\nRESULT limit_bench device=%s kernels=%d judged=%d within_5_points=%d failed=%d\n",
              device.spec.key.c_str(), score.kernels, score.judged, score.within, failed);
  return failed == 0 && score.within == score.judged ? 0 : 1;
}

}  // namespace
}  // namespace warpmind::bench

int main() {
  const auto ran = warpmind::bench::run();
  if (ran) return *ran;
  std::printf("limit_bench is skipped: %s\n", ran.error().message.c_str());
  return ran.error().code == warpmind::Errc::unavailable ? 4 : 1;
}
