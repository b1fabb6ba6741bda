#pragma once
/// \file
/// Whose turn it is on a device, among the labs and programs of this process.

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <shared_mutex>

namespace warpmind::profilers {

/// Held alone by who measures; shared by runs whose times are not used.
using DeviceTurn = std::shared_mutex;

/// One lab's way to a device that others use as well. It counts how long the lab waited, so that
/// waiting is charged to no candidate. Threads: any.
class DeviceUse {
 public:
  using Duration = std::chrono::steady_clock::duration;

  explicit DeviceUse(std::shared_ptr<DeviceTurn> turn) : turn_(std::move(turn)) {}

  /// For a run that is timed or profiled. Blocks until nobody else runs anything.
  [[nodiscard]] std::unique_lock<DeviceTurn> alone();
  /// For any other run, and for the start and the end of a context. Blocks while someone measures.
  [[nodiscard]] std::shared_lock<DeviceTurn> beside();
  /// As beside(), for a thread that nobody may be waiting for: `waited` is what it took, and is not
  /// counted.
  [[nodiscard]] std::shared_lock<DeviceTurn> beside(Duration& waited);

  /// Adds what a caller lost to a thread that waited for it.
  void add(Duration waited) { waited_ += waited.count(); }
  /// Of all callers so far.
  [[nodiscard]] Duration waited() const { return Duration(waited_.load()); }

 private:
  std::shared_ptr<DeviceTurn> turn_;
  std::atomic<Duration::rep> waited_ = 0;
};

}  // namespace warpmind::profilers
