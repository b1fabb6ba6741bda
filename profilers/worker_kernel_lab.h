#pragma once
/// \file
/// The lab on this machine: nvcc in a sandbox, runners on the GPU, a judge on the CPU.

#include "base/result.h"
#include "config/device_table.h"
#include "config/settings.h"
#include "profilers/kernel_lab.h"
#include "profilers/lab_share.h"

#include <memory>

namespace warpmind::profilers {

class Sandbox;
struct LabParts;

/// Does:      static checks, build, oracles, timing, profile, promotion (DESIGN 7), each stage in
///            lab/. Without a CUDA device it still builds, and blocks with the static profile.
/// Does not:  load candidate code or create a CUDA context in this process.
/// Threads:   one call at a time; destroyed on any thread.
class WorkerKernelLab final : public KernelLab {
 public:
  /// Starts no runner yet. Errors: unavailable without nvcc, host compiler, sandbox, worker or
  /// judge, naming the remedy; invalid_argument for an unknown lab.target.
  [[nodiscard]] static Result<std::unique_ptr<WorkerKernelLab>> create(
      const config::Settings& settings, const config::DeviceTable& devices,
      const LabShare& share = {});

  ~WorkerKernelLab() override;
  WorkerKernelLab(const WorkerKernelLab&) = delete;
  WorkerKernelLab& operator=(const WorkerKernelLab&) = delete;

  [[nodiscard]] Provider provider() const override { return Provider::gpu; }
  [[nodiscard]] Result<DeviceIdentity> device() override;
  [[nodiscard]] Result<Verdict> judge(const JudgeOrder& order, std::stop_token stop) override;
  [[nodiscard]] Result<std::string> machine_code(const JudgeOrder& order,
                                                 std::stop_token stop) override;
  [[nodiscard]] Result<Comparison> compare(const JudgeOrder& order, std::stop_token stop) override;

 private:
  WorkerKernelLab(std::unique_ptr<Sandbox> sandbox, std::unique_ptr<LabParts> parts);

  std::unique_ptr<Sandbox> sandbox_;  // before parts_, which points to it
  std::unique_ptr<LabParts> parts_;
};

}  // namespace warpmind::profilers
