#include "profilers/worker_kernel_lab.h"

#include "profilers/lab/kernel_judging.h"
#include "profilers/lab/lab_parts.h"

#include <utility>

namespace warpmind::profilers {

WorkerKernelLab::WorkerKernelLab(std::unique_ptr<Sandbox> sandbox, std::unique_ptr<LabParts> parts)
    : sandbox_(std::move(sandbox)), parts_(std::move(parts)) {}
WorkerKernelLab::~WorkerKernelLab() = default;

Result<std::unique_ptr<WorkerKernelLab>> WorkerKernelLab::create(
    const config::Settings& settings, const config::DeviceTable& devices) {
  const auto& lab = settings.lab;
  const auto target = devices.find(lab.target);
  if (!target) {
    return fail(Errc::invalid_argument, "lab.target: the device table has no '" + lab.target +
                                            "'; see `warpmind doctor` for the list");
  }
  WARPMIND_TRY(auto worker, find_own_program(lab.worker, "warpmind-worker", "lab.worker"));
  WARPMIND_TRY(auto judge, find_own_program(lab.judge, "warpmind-judge", "lab.judge"));
  WARPMIND_TRY(auto created, Sandbox::create(lab));
  auto sandbox = std::make_unique<Sandbox>(std::move(created));
  WARPMIND_TRY(auto toolchain, KernelToolchain::create(settings.toolchain, *sandbox));
  WARPMIND_TRY(auto scratch, ScratchRoot::create(lab.scratch_directory));
  RunnerPlace place{std::move(worker), scratch.path(), lab.cuda_runtime, lab.device,
                    toolchain.libraries()};
  std::unique_ptr<LabParts> parts(
      new LabParts{settings, devices, *target, *sandbox, std::move(scratch), std::move(toolchain),
                   std::move(judge), NoiseRecord{}, RunnerPool(*sandbox, std::move(place))});
  return std::unique_ptr<WorkerKernelLab>(
      new WorkerKernelLab(std::move(sandbox), std::move(parts)));
}

Result<DeviceIdentity> WorkerKernelLab::device() { return parts_->pool.device({}); }

Result<Verdict> WorkerKernelLab::judge(const JudgeOrder& order, std::stop_token stop) {
  return KernelJudging(*parts_, order, std::move(stop)).judge();
}

Result<Comparison> WorkerKernelLab::compare(const JudgeOrder& order, std::stop_token stop) {
  return KernelJudging(*parts_, order, std::move(stop)).compare();
}

}  // namespace warpmind::profilers
