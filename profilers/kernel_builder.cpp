#include "profilers/kernel_builder.h"

#include "profilers/lab/lab_parts.h"
#include "profilers/lab/profiling.h"
#include "profilers/lab/run_case.h"
#include "profilers/toolchain/occupancy.h"

#include <string_view>
#include <utility>

namespace warpmind::profilers {
namespace {

std::string_view limiter_name(OccupancyLimiter limiter) {
  switch (limiter) {
    case OccupancyLimiter::warps: return "warps";
    case OccupancyLimiter::registers: return "registers";
    case OccupancyLimiter::shared_memory: return "shared_memory";
    case OccupancyLimiter::blocks: return "blocks";
    case OccupancyLimiter::too_large: return "too_large";
  }
  return "";
}

}  // namespace

struct KernelBuilder::Parts {
  std::unique_ptr<Sandbox> sandbox;
  KernelToolchain toolchain;  // uses the sandbox
};

KernelBuilder::KernelBuilder(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
KernelBuilder::~KernelBuilder() = default;

Result<std::unique_ptr<KernelBuilder>> KernelBuilder::create(const config::Settings& settings) {
  WARPMIND_TRY(auto sandbox, make_sandbox(settings));
  WARPMIND_TRY(auto toolchain, KernelToolchain::create(settings.toolchain, *sandbox));
  auto parts = std::make_unique<Parts>(Parts{std::move(sandbox), std::move(toolchain)});
  return std::unique_ptr<KernelBuilder>(new KernelBuilder(std::move(parts)));
}

Result<BuildReport> KernelBuilder::build(const Kernel& kernel, const DeviceSpec& device,
                                         const std::stop_token& stop) const {
  const auto architecture = architecture_of(device.compute_major, device.compute_minor);
  WARPMIND_TRY(auto built, parts_->toolchain.build_kernel(kernel, architecture, stop));
  return std::move(built.report);
}

Profile planned_profile(const Task& task, const BuildReport& build, const DeviceSpec& device) {
  return static_profile(task, task.kernel, build, *timed_workloads(task).front(), device);
}

KernelFit fit_of(const KernelResources& resources, std::int64_t threads,
                 std::int64_t dynamic_shared_bytes, const DeviceSpec& device) {
  const Occupancy occupancy = theoretical_occupancy(
      {resources.registers, resources.static_shared_bytes + dynamic_shared_bytes, threads}, device);
  KernelFit fit;
  fit.occupancy_percent = occupancy.percent;
  fit.occupancy_limiter = limiter_name(occupancy.limiter);
  fit.metrics = static_metrics({resources, dynamic_shared_bytes, threads, 0}, device);
  return fit;
}

}  // namespace warpmind::profilers
