#pragma once
/// \file
/// Keeps one runner ready: creating a CUDA context costs 0.3 s that no candidate should wait for.

#include "base/model/device.h"
#include "base/result.h"
#include "profilers/health/device_health.h"
#include "profilers/worker_session.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

namespace warpmind::profilers {

/// Hands out fresh runners, each with a job directory of its own. The next one starts in the
/// background when asked by refill(), because its start disturbs whoever is timing. A spare that
/// died is replaced; one that nobody takes for a minute is let go, so that an idle daemon holds no
/// CUDA context. A machine without device is asked once.
///
/// Threads: any. Every runner is started by the pool's own thread and dies with it: sessions taken
/// must be destroyed before the pool.
class RunnerPool {
 public:
  /// `sandbox` must outlive the pool. No runner is started before the first request.
  /// `health` may be null: then every device counts as healthy.
  RunnerPool(const Sandbox& sandbox, RunnerPlace place,
             std::shared_ptr<DeviceHealth> health = nullptr);
  ~RunnerPool();
  RunnerPool(const RunnerPool&) = delete;
  RunnerPool& operator=(const RunnerPool&) = delete;

  /// A runner that has answered `identify`. Errors: unavailable with the runner's sentence when
  /// there is no device, and with the device's when it is quarantined; cancelled; external_failure
  /// when runners do not start.
  [[nodiscard]] Result<WorkerSession> take(const std::stop_token& stop);

  /// Starts the next spare in the background, unless there is one or there never can be.
  void refill();

  /// Blocks until no runner is being started. Call it before anything is timed.
  void settle(const std::stop_token& stop);

  /// The device that runners see. Starts one if none was seen yet. Errors: as take().
  [[nodiscard]] Result<DeviceIdentity> device(const std::stop_token& stop);

  /// How its runners are started.
  [[nodiscard]] const RunnerPlace& place() const { return place_; }

 private:
  void serve(const std::stop_token& stop);
  Result<WorkerSession> make_spare(const std::stop_token& stop, bool& no_device);
  /// Until `done`; false when stopped before. What the pool's thread waited for the device
  /// meanwhile counts as waited by the caller.
  template <class Done>
  bool wait(std::unique_lock<std::mutex>& lock, const std::stop_token& stop, Done done);
  /// Waits until a spare, a failure or a lasting absence of devices is known.
  Result<void> wait_for_spare(std::unique_lock<std::mutex>& lock, const std::stop_token& stop);

  Result<void> admit(const std::stop_token& stop);

  const Sandbox* sandbox_;
  RunnerPlace place_;
  std::shared_ptr<DeviceHealth> health_;

  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool wanted_ = false;  ///< the thread should make a spare
  std::optional<WorkerSession> spare_;
  std::optional<DeviceIdentity> device_;
  std::optional<Error> failure_;    ///< of the last attempt
  std::optional<Error> no_device_;  ///< for good
  DeviceUse::Duration waited_{};    ///< for the device, by the pool's thread
  std::jthread thread_;             // last: it uses everything above
};

}  // namespace warpmind::profilers
