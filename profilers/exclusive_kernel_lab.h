#pragma once
/// \file
/// One process at a time on a device, among all processes of this machine.

#include "profilers/kernel_lab.h"
#include "profilers/machine_turn.h"

#include <memory>
#include <optional>
#include <utility>

namespace warpmind::profilers {

/// Holds the machine's turn while its lab works. Others wait for theirs; a process that dies gives
/// its turn up. Labs of one process that use one device share `turn`.
/// Threads: as the lab within.
class ExclusiveKernelLab final : public KernelLab {
 public:
  explicit ExclusiveKernelLab(std::unique_ptr<KernelLab> lab,
                              std::shared_ptr<MachineTurn> turn = std::make_shared<MachineTurn>())
      : lab_(std::move(lab)), turn_(std::move(turn)) {}

  [[nodiscard]] Provider provider() const override { return lab_->provider(); }
  [[nodiscard]] Result<DeviceIdentity> device() override { return lab_->device(); }
  /// Errors: also as MachineTurn::take().
  [[nodiscard]] Result<Verdict> judge(const JudgeOrder& order, std::stop_token stop) override;
  [[nodiscard]] Result<std::string> machine_code(const JudgeOrder& order,
                                                 std::stop_token stop) override {
    return lab_->machine_code(order, std::move(stop));
  }
  [[nodiscard]] Result<Comparison> compare(const JudgeOrder& order, std::stop_token stop) override;

 private:
  /// Nothing where there is no device: the lab says so itself.
  Result<std::optional<MachineTurn::Held>> claim(const std::stop_token& stop);

  std::unique_ptr<KernelLab> lab_;
  std::shared_ptr<MachineTurn> turn_;
};

}  // namespace warpmind::profilers
