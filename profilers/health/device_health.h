#pragma once
/// \file
/// Whether a device may be measured on, after a runner on it ended as none should.

#include "base/clock.h"
#include "base/result.h"
#include "profilers/health/abnormal_end.h"
#include "profilers/health/xid.h"
#include "profilers/process/stuck_process.h"

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace warpmind::profilers {

/// What a fresh process made of a kernel whose answer is known.
struct ProbeReport {
  std::string trouble;  ///< empty = the right answer in time
  double time_ns = 0;   ///< of one run of it; 0 = not timed
  std::shared_ptr<StuckProcess> stuck = {};
};

/// How the ladder sees the world. Called by one thread at a time, but for new_xids.
struct HealthHooks {
  std::shared_ptr<const Clock> clock;
  /// Errors: cancelled; others count as trouble.
  std::function<Result<ProbeReport>(const std::stop_token&)> probe;
  std::function<std::vector<Xid>()> new_xids = {};  ///< empty = the kernel log is not readable
  /// PCI address of the device with a UUID, "" where unknown; empty = all Xids are this device's.
  std::function<std::string(const std::string& uuid)> pci_of = {};
};

struct HealthSettings {
  std::string device = "GPU 0";  ///< for sentences
  std::string reset_argument = "0";
  std::chrono::seconds retry = std::chrono::seconds(60);
  double slower = 1.03;  ///< of the best probe so far: more is no healthy device
  int timings = 3;       ///< probes before a slow device is called slow
};

/// The recovery ladder: the runner was killed and waited for (process/spawn); then a probe in a
/// fresh process; then quarantine, with a new probe every minute. Never resets a device. What the
/// driver logs about another device of the machine does not count, once this one is identified.
///
/// Threads: any. One caller at a time climbs; note_end() and quarantine() do not wait for it.
class DeviceHealth {
 public:
  DeviceHealth(HealthSettings settings, HealthHooks hooks);

  /// Names the device in sentences as its driver does.
  void identify(const std::string& name, const std::string& uuid);

  /// The device is suspect from now on. Returns what the driver said about it, for the verdict's
  /// reason: "" or "; the driver logged Xid 31 (…)".
  std::string note_end(AbnormalEnd end);

  /// Call before work is given to the device. A suspect device is probed, a quarantined one when
  /// its minute is over. Errors: unavailable with quarantine(); cancelled.
  [[nodiscard]] Result<void> admit(const std::stop_token& stop);

  /// Why nothing is measured on the device and what to do about it; nullopt = it is not
  /// quarantined.
  [[nodiscard]] std::optional<std::string> quarantine() const;

 private:
  using Time = std::chrono::steady_clock::time_point;

  /// Why the device is not healthy; nullopt = it is.
  Result<std::optional<std::string>> climb(const std::stop_token& stop);
  Result<std::optional<std::string>> probe(const std::stop_token& stop);
  [[nodiscard]] bool wait_is_over() const;
  [[nodiscard]] bool needs_ladder() const;
  bool processes_gone();
  void take_xids();
  /// The new ones, without those that name another device.
  [[nodiscard]] std::vector<Xid> own_xids() const;
  void enter_quarantine(const std::string& why);
  [[nodiscard]] std::string sentence() const;

  HealthSettings settings_;
  HealthHooks hooks_;

  std::mutex ladder_;         ///< held while climbing
  mutable std::mutex state_;  ///< held briefly; guards everything below
  bool suspect_ = false;
  std::optional<std::string> why_;       ///< quarantined
  std::optional<std::string> for_good_;  ///< an Xid that asks for a reset
  Time next_try_;
  double best_ns_ = 0;
  std::string pci_;  ///< empty = not known
  std::vector<std::shared_ptr<StuckProcess>> stuck_;
};

}  // namespace warpmind::profilers
