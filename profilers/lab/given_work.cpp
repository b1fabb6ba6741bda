#include "profilers/lab/given_work.h"

#include "base/file.h"
#include "base/model/metric_names.h"
#include "profilers/flops/code_count.h"
#include "profilers/flops/plan_count.h"
#include "profilers/simulator/ptx/parser.h"

#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace warpmind::profilers {
namespace {

Result<std::vector<LaunchCount>> count_launches(const Task& task, const Kernel& kernel,
                                                const Workload& workload,
                                                const std::filesystem::path& binary) {
  if (kernel.tier != Tier::a) {
    return fail(Errc::invalid_argument, "the device code of a host function is not known");
  }
  WARPMIND_TRY(const std::string text, read_file(binary, kMostCodeBytes));
  WARPMIND_TRY(const auto ptx, ptx_of_fatbin(std::as_bytes(std::span<const char>(text))));
  WARPMIND_TRY(const auto module, simulator::ptx::parse_ptx(ptx));
  return count_plan(task, kernel, workload, module);
}

}  // namespace

CountedWork count_given_work(const Task& task, const Workload& workload,
                             const std::filesystem::path& binary) {
  CountedWork work;
  const auto launches = count_launches(task, task.kernel, workload, binary);
  if (!launches) {
    work.unknown = launches.error().message;
    return work;
  }
  bool all_moves_known = true;
  for (const LaunchCount& launch : *launches) {
    if (!launch.undecided.empty()) {
      work.unknown = "'" + launch.kernel + "': " + launch.undecided;
      return work;
    }
    work.flops += launch.counts.all_flops();
    work.moved_bytes += launch.moved_bytes.value_or(0);
    all_moves_known = all_moves_known && launch.moved_bytes;
  }
  if (!all_moves_known) work.moved_bytes = 0;
  return work;
}

void add_counted_flops(const Task& task, const Kernel& kernel, const Workload& workload,
                       const std::filesystem::path& binary, Profile& profile) {
  constexpr std::array kTypes = {std::pair{FlopType::f16, metric_names::kFlopsF16},
                                 std::pair{FlopType::f32, metric_names::kFlopsF32},
                                 std::pair{FlopType::f64, metric_names::kFlopsF64},
                                 std::pair{FlopType::tensor, metric_names::kFlopsTensor}};
  const auto launches = count_launches(task, kernel, workload, binary);
  if (!launches || launches->size() != profile.kernels.size()) return;
  for (std::size_t i = 0; i < launches->size(); ++i) {
    const LaunchCount& launch = (*launches)[i];
    KernelProfile& profiled = profile.kernels[i];  // one plan: the same launches in the same order
    if (!launch.undecided.empty() || launch.kernel != profiled.kernel) continue;
    const auto origin = launch.sampled ? MetricOrigin::modelled : MetricOrigin::exact;
    for (const auto& [type, name] : kTypes) {
      profiled.metrics.push_back({name, launch.counts.flops_of(type), "count", origin});
    }
  }
}

}  // namespace warpmind::profilers
