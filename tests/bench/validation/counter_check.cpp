#include "tests/bench/validation/counter_check.h"

#include "profilers/simulator/prediction/metrics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace warpmind::validation {
namespace {

constexpr double kSampleTolerance = 0.01;
/// Of the sum of magnitudes: a float has 24 bits, and errors of many elements cancel.
constexpr double kSumTolerance = 1e-5;

constexpr const char* kConflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum";
constexpr std::array kCounters = {
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    kConflicts,
};

}  // namespace

bool CounterCheck::agrees() const {
  const double gap = std::abs(simulated - measured);
  if (is_banks) return gap <= kSampleTolerance * passes + 0.5;
  return gap <= (whole ? 0.5 : std::max(1.0, kSampleTolerance * measured));
}

std::vector<CounterCheck> check_counters(const std::vector<ComparedPoint>& points,
                                         const MeasuredTable& measured, const DeviceSpec& device) {
  std::vector<CounterCheck> out;
  for (const ComparedPoint& one : points) {
    const simulator::LaunchRecord& launch = one.simulated.report.launch;
    const KernelProfile profile = simulator::kernel_profile(launch, device, nullptr);
    for (const char* const name : kCounters) {
      const auto hardware = measured.counter(one.point.id, name);
      const auto counted = profile.find(name);
      if (!hardware || !counted) continue;
      CounterCheck check{one.point.id, name, *counted, *hardware};
      check.whole = launch.blocks_run == launch.blocks;
      check.is_banks = name == std::string_view(kConflicts);
      check.passes =
          measured.counter(one.point.id, "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum")
              .value_or(0);
      out.push_back(std::move(check));
    }
  }
  return out;
}

bool sums_agree(const Checksum& simulated, const Checksum& measured) {
  const double scale = std::max(simulated.magnitude, measured.magnitude);
  const auto near = [&](double a, double b, double weight) {
    return std::abs(a - b) <= kSumTolerance * weight * scale + 1e-9;
  };
  constexpr double kMeanWeight = 31;
  return near(simulated.sum, measured.sum, 1) &&
         near(simulated.weighted, measured.weighted, kMeanWeight);
}

}  // namespace warpmind::validation
