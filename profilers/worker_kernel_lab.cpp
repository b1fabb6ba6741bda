#include "profilers/worker_kernel_lab.h"

#include "profilers/lab/kernel_judging.h"
#include "profilers/lab/lab_parts.h"

#include <utility>

namespace warpmind::profilers {

WorkerKernelLab::WorkerKernelLab(std::unique_ptr<Sandbox> sandbox, std::unique_ptr<LabParts> parts)
    : sandbox_(std::move(sandbox)), parts_(std::move(parts)) {}
WorkerKernelLab::~WorkerKernelLab() = default;

Result<std::unique_ptr<WorkerKernelLab>> WorkerKernelLab::create(const config::Settings& settings,
                                                                 const config::DeviceTable& devices,
                                                                 const LabShare& share) {
  const auto target = devices.find(settings.lab.target);
  if (!target) {
    return fail(Errc::invalid_argument, "lab.target: the device table has no '" +
                                            settings.lab.target +
                                            "'; see `warpmind doctor` for the list");
  }
  WARPMIND_TRY(std::unique_ptr<Sandbox> sandbox, make_sandbox(settings));
  WARPMIND_TRY(auto parts, make_lab_parts(settings, devices, *target, *sandbox, share));
  return std::unique_ptr<WorkerKernelLab>(
      new WorkerKernelLab(std::move(sandbox), std::move(parts)));
}

Result<DeviceIdentity> WorkerKernelLab::device() { return parts_->pool.device({}); }

Result<Verdict> WorkerKernelLab::judge(const JudgeOrder& order, std::stop_token stop) {
  auto verdict = KernelJudging(*parts_, order, std::move(stop)).judge();
  // The device was lost on the way: nothing is known about this kernel, and the episode goes on.
  const auto quarantine = parts_->health->quarantine();
  if (verdict || !quarantine || verdict.error().code != Errc::unavailable) return verdict;
  if (order.loss_is_error) return fail(Errc::unavailable, *quarantine);
  Verdict blocked;
  blocked.outcome = Outcome::blocked;
  blocked.reason = *quarantine;
  return blocked;
}

Result<std::string> WorkerKernelLab::machine_code(const JudgeOrder& order, std::stop_token stop) {
  return KernelJudging(*parts_, order, std::move(stop)).machine_code();
}

Result<Comparison> WorkerKernelLab::compare(const JudgeOrder& order, std::stop_token stop) {
  return KernelJudging(*parts_, order, std::move(stop)).compare();
}

}  // namespace warpmind::profilers
