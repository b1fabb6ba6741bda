#include "profilers/worker/counter_reading.h"

#include "base/file.h"
#include "base/model/metric_names.h"
#include "profilers/simulator/sass/fatbin.h"
#include "profilers/worker/pc_sampling.h"
#include "profilers/worker/range_counters.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <span>

namespace warpmind::profilers {
namespace {

/// Kernels that a host entry (tier B) may launch in one run.
constexpr std::size_t kMostKernelsOfEntry = 64;
constexpr std::string_view kDuration = metric_names::kTime;
constexpr const char* kPermissionNote =
    "this user may not read hardware counters; give the runner CAP_SYS_ADMIN, or load the driver "
    "with NVreg_RestrictProfilingToAdminUsers=0 (file under /etc/modprobe.d, then reboot)";

constexpr double kSampledNs = 20e6;  // that the runs under sampling take together
constexpr double kMostSampledRuns = 200;
constexpr std::size_t kMostBinary = std::size_t{256} << 20U;

std::string kernel_name(const Program& program, std::size_t range) {
  if (program.tier == Tier::a && range < program.launches.size()) {
    return program.launches[range].kernel;
  }
  return program.entry + "#" + std::to_string(range);
}

/// Share of the plan's time, from the durations; equal shares where there are none.
void set_time_shares(std::vector<KernelProfile>& kernels) {
  double total = 0;
  for (const KernelProfile& kernel : kernels) total += kernel.find(kDuration).value_or(0);
  for (KernelProfile& kernel : kernels) {
    kernel.time_share = total > 0 ? kernel.find(kDuration).value_or(0) / total
                                  : 1.0 / static_cast<double>(kernels.size());
  }
}

std::set<std::string> kernels_of(const Program& program) {
  std::set<std::string> names;
  for (const LaunchCall& launch : program.launches) names.insert(launch.kernel);
  return names;
}

/// Of a fat binary, or the machine code itself.
Result<std::span<const std::byte>> cubin_in(std::span<const std::byte> binary,
                                            std::uint32_t architecture) {
  constexpr std::array kElf = {std::byte{0x7f}, std::byte{'E'}, std::byte{'L'}, std::byte{'F'}};
  if (binary.size() >= kElf.size() && std::equal(kElf.begin(), kElf.end(), binary.begin())) {
    return binary;
  }
  return simulator::cubin_of_fatbin(binary, architecture);
}

Result<std::vector<LineProfile>> sampled_lines(const RunnerSession& session, const Program& program,
                                               double run_ns,
                                               const std::function<Result<void>()>& ready,
                                               const std::function<Result<void>()>& launch) {
  WARPMIND_TRY(const std::string binary, read_file(program.binary, kMostBinary));
  const DeviceIdentity& device = session.device();
  const auto architecture =
      static_cast<std::uint32_t>(device.compute_major * 10 + device.compute_minor);
  WARPMIND_TRY(const auto cubin, cubin_in(std::as_bytes(std::span(binary)), architecture));
  WARPMIND_TRY(const auto cupti, load_cupti_sampling());
  const auto runs =
      static_cast<int>(std::clamp(std::ceil(kSampledNs / run_ns), 1.0, kMostSampledRuns));
  bool permission_refused = false;
  const auto sampling = PcSampling::enable(cupti, run_ns * runs, permission_refused);
  if (!sampling) {
    return permission_refused ? fail(Errc::unavailable, kPermissionNote) : fail(sampling.error());
  }
  WARPMIND_TRY(const auto samples, (*sampling)->collect([&]() -> Result<void> {
    for (int run = 0; run < runs; ++run) {
      WARPMIND_CHECK(ready());
      WARPMIND_CHECK(launch());
    }
    return {};
  }));
  return lines_of(cupti, samples, cubin, kernels_of(program));
}

void refuse(RunnerReport& report, const Error& error, bool permission_refused) {
  refuse_counters(report, permission_refused ? kPermissionNote : error.message);
}

}  // namespace

Result<void> read_counters(const RunnerSession& session, const RunnerJob& job,
                           const std::function<Result<void>()>& launch, RunnerReport& report) {
  const Program& program = job.cases.front().candidate;
  bool permission_refused = false;
  const auto cupti = load_cupti();
  if (!cupti) {
    refuse(report, cupti.error(), false);
    return {};
  }
  auto counters =
      RangeCounters::configure(*cupti, session.options().device, job.metrics, permission_refused);
  if (!counters) {
    refuse(report, counters.error(), permission_refused);
    return {};
  }
  report.absent = (*counters)->refused();
  const std::size_t most_kernels =
      program.tier == Tier::a ? program.launches.size() : kMostKernelsOfEntry;
  const auto ranges = (*counters)->collect(most_kernels, launch, permission_refused);
  if (!ranges) {
    if (context_is_lost()) return fail(ranges.error());
    refuse(report, ranges.error(), permission_refused);
    return {};
  }
  const auto& names = (*counters)->accepted();
  for (std::size_t i = 0; i < ranges->size(); ++i) {
    KernelProfile& kernel = report.kernels.emplace_back();
    kernel.kernel = kernel_name(program, i);
    for (std::size_t m = 0; m < names.size(); ++m) {
      const double value = (*ranges)[i][m];
      if (std::isfinite(value)) {  // 0/0, as the hit rate of a cache that was never asked
        kernel.metrics.push_back({names[m], value, unit_of_metric(names[m])});
      }
    }
  }
  set_time_shares(report.kernels);
  return {};
}

Result<void> read_lines(const RunnerSession& session, const RunnerJob& job,
                        const std::function<Result<void>()>& ready,
                        const std::function<Result<void>()>& launch, double run_ns,
                        RunnerReport& report) {
  const Program& program = job.cases.front().candidate;
  if (program.tier != Tier::a) {
    report.lines_note = "the device code of a host function is not sampled by line";
    return {};
  }
  auto lines = sampled_lines(session, program, std::max(run_ns, 1.0), ready, launch);
  if (lines) {
    report.lines = std::move(*lines);
    if (report.lines.empty()) report.lines_note = "PC sampling saw no instruction of the plan";
    return {};
  }
  if (context_is_lost()) return fail(lines.error());
  report.lines_note = "no samples by line: " + lines.error().message;
  return {};
}

}  // namespace warpmind::profilers
