#pragma once
/// \file
/// One lab for several users: one call at a time, the others wait their turn.

#include "profilers/kernel_lab.h"

#include <memory>
#include <mutex>
#include <utility>

namespace warpmind::profilers {

/// Threads: any. A caller that is stopped while it waits is told when its turn comes.
class LockedKernelLab final : public KernelLab {
 public:
  explicit LockedKernelLab(std::shared_ptr<KernelLab> lab) : lab_(std::move(lab)) {}

  [[nodiscard]] Provider provider() const override { return lab_->provider(); }
  [[nodiscard]] Result<DeviceIdentity> device() override {
    const std::scoped_lock lock(turn_);
    return lab_->device();
  }
  [[nodiscard]] Result<Verdict> judge(const JudgeOrder& order, std::stop_token stop) override {
    const std::scoped_lock lock(turn_);
    if (stop.stop_requested()) return fail(Errc::cancelled, "stopped before its turn");
    return lab_->judge(order, std::move(stop));
  }
  [[nodiscard]] Result<std::string> machine_code(const JudgeOrder& order,
                                                 std::stop_token stop) override {
    const std::scoped_lock lock(turn_);
    if (stop.stop_requested()) return fail(Errc::cancelled, "stopped before its turn");
    return lab_->machine_code(order, std::move(stop));
  }
  [[nodiscard]] Result<Comparison> compare(const JudgeOrder& order, std::stop_token stop) override {
    const std::scoped_lock lock(turn_);
    if (stop.stop_requested()) return fail(Errc::cancelled, "stopped before its turn");
    return lab_->compare(order, std::move(stop));
  }

 private:
  std::shared_ptr<KernelLab> lab_;
  std::mutex turn_;
};

}  // namespace warpmind::profilers
