#include "profilers/exclusive_kernel_lab.h"

namespace warpmind::profilers {

Result<std::optional<MachineTurn::Held>> ExclusiveKernelLab::claim(const std::stop_token& stop) {
  using Claimed = std::optional<MachineTurn::Held>;
  const auto device = lab_->device();
  if (!device) return Claimed();
  WARPMIND_TRY(auto held, turn_->take(device->uuid, stop));
  return Claimed(std::move(held));
}

Result<Verdict> ExclusiveKernelLab::judge(const JudgeOrder& order, std::stop_token stop) {
  WARPMIND_TRY(const auto turn, claim(stop));
  return lab_->judge(order, std::move(stop));
}

Result<Comparison> ExclusiveKernelLab::compare(const JudgeOrder& order, std::stop_token stop) {
  WARPMIND_TRY(const auto turn, claim(stop));
  return lab_->compare(order, std::move(stop));
}

}  // namespace warpmind::profilers
