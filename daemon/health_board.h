#pragma once
/// \file
/// What `status` says about the machine and the base, kept where reading it never blocks.

#include "base/guarded.h"

#include <atomic>
#include <string>
#include <utility>

namespace warpmind::daemon {

/// How this machine judges. `mode` is "gpu", "sim", "fixture", or "static" when nothing is usable.
struct DeviceView {
  std::string mode = "static";
  std::string device;
  std::string note = "the device is still being identified; ask again";
};

/// Threads: every function may be called from any thread at the same time.
class HealthBoard {
 public:
  void set_device(DeviceView view) {
    device_.with([&view](DeviceView& slot) { slot = std::move(view); });
  }
  [[nodiscard]] DeviceView device() const {
    return device_.with([](const DeviceView& slot) { return slot; });
  }
  void set_degraded(bool degraded) { degraded_ = degraded; }
  [[nodiscard]] bool degraded() const { return degraded_; }

 private:
  Guarded<DeviceView> device_;
  std::atomic<bool> degraded_ = false;
};

}  // namespace warpmind::daemon
