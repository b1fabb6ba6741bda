#include "profilers/worker/counter_reading.h"

#include "profilers/worker/range_counters.h"

#include <cmath>

namespace warpmind::profilers {
namespace {

/// Kernels that a host entry (tier B) may launch in one run.
constexpr std::size_t kMostKernelsOfEntry = 64;
constexpr std::string_view kDuration = "gpu__time_duration.sum";
constexpr const char* kPermissionNote =
    "this user may not read hardware counters; give the runner CAP_SYS_ADMIN, or load the driver "
    "with NVreg_RestrictProfilingToAdminUsers=0 (file under /etc/modprobe.d, then reboot)";

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

}  // namespace warpmind::profilers
