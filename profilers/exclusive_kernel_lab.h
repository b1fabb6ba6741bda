#pragma once
/// \file
/// One measurement at a time on a device, among all processes of this machine.

#include "base/file.h"
#include "profilers/kernel_lab.h"

#include <memory>
#include <utility>

namespace warpmind::profilers {

/// Holds a lock file named after the device while its lab works. Others wait their turn; a process
/// that dies gives its turn up.
/// Threads: as the lab within.
class ExclusiveKernelLab final : public KernelLab {
 public:
  explicit ExclusiveKernelLab(std::unique_ptr<KernelLab> lab) : lab_(std::move(lab)) {}

  [[nodiscard]] Provider provider() const override { return lab_->provider(); }
  [[nodiscard]] Result<DeviceIdentity> device() override { return lab_->device(); }
  /// Errors: also external_failure when the lock cannot be taken for another reason than its
  /// holder.
  [[nodiscard]] Result<Verdict> judge(const JudgeOrder& order, std::stop_token stop) override;
  [[nodiscard]] Result<Comparison> compare(const JudgeOrder& order, std::stop_token stop) override;

 private:
  Result<UniqueFd> claim(const std::stop_token& stop);

  std::unique_ptr<KernelLab> lab_;
};

}  // namespace warpmind::profilers
