#include "profilers/device_turn.h"

namespace warpmind::profilers {

std::unique_lock<DeviceTurn> DeviceUse::alone() {
  const auto from = std::chrono::steady_clock::now();
  std::unique_lock held(*turn_);
  add(std::chrono::steady_clock::now() - from);
  return held;
}

std::shared_lock<DeviceTurn> DeviceUse::beside() {
  Duration waited{};
  auto held = beside(waited);
  add(waited);
  return held;
}

std::shared_lock<DeviceTurn> DeviceUse::beside(Duration& waited) {
  const auto from = std::chrono::steady_clock::now();
  std::shared_lock held(*turn_);
  waited = std::chrono::steady_clock::now() - from;
  return held;
}

}  // namespace warpmind::profilers
