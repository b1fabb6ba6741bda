#pragma once
/// \file
/// A lab that builds, times and profiles, and checks nothing: for kernels that are known to be
/// right.

#include "config/device_table.h"
#include "config/settings.h"
#include "profilers/kernel_lab.h"
#include "profilers/lab/lab_parts.h"

#include <memory>
#include <vector>

namespace warpmind::diagnosis {

/// Seconds a kernel where WorkerKernelLab takes a minute: no oracles, one timing session, counters.
/// The verdict is that of a baseline (`same`), with measurement and profile.
class ProfilingLab final : public profilers::KernelLab {
 public:
  /// Errors: as WorkerKernelLab::create, and unavailable without GPU.
  [[nodiscard]] static Result<std::unique_ptr<ProfilingLab>> create(
      const config::Settings& settings, const config::DeviceTable& devices);

  [[nodiscard]] Provider provider() const override { return Provider::gpu; }
  [[nodiscard]] Result<DeviceIdentity> device() override { return identity_; }
  [[nodiscard]] Result<Verdict> judge(const profilers::JudgeOrder& order,
                                      std::stop_token stop) override;
  /// Errors: unavailable, always.
  [[nodiscard]] Result<Comparison> compare(const profilers::JudgeOrder& order,
                                           std::stop_token stop) override;

  /// Fills the build cache with as many compilers at once as there are processors.
  void build_ahead(const std::vector<const Task*>& tasks);

 private:
  ProfilingLab(std::unique_ptr<profilers::Sandbox> sandbox,
               std::unique_ptr<profilers::LabParts> parts, DeviceIdentity identity,
               DeviceSpec spec);
  [[nodiscard]] Result<CountedWork> counted_work(const Task& task, const Workload& workload) const;

  std::unique_ptr<profilers::Sandbox> sandbox_;  // before parts_, which points to it
  std::unique_ptr<profilers::LabParts> parts_;
  DeviceIdentity identity_;
  DeviceSpec spec_;
};

}  // namespace warpmind::diagnosis
