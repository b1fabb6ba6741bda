#pragma once
/// \file
/// The few questions for NVML, through dlopen: driver version, SM clock, throttle reasons, and who
/// else computes on the device.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace warpmind::profilers {

/// NVML for one GPU. Every answer may be missing: a machine without NVML is measured all the same.
class Nvml {
 public:
  /// `uuid` as "GPU-…". Null when the library, the driver or the GPU is not there.
  [[nodiscard]] static std::unique_ptr<Nvml> open(const std::string& uuid);
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;
  ~Nvml();

  [[nodiscard]] std::string driver_version() const;
  [[nodiscard]] std::optional<double> sm_clock_mhz() const;
  /// The highest clock that the device can have.
  [[nodiscard]] std::optional<double> max_sm_clock_mhz() const;

  struct Throttle {
    /// Names of the reasons that void a timing session: hw_slowdown, sw_thermal, hw_thermal,
    /// hw_power_brake.
    std::string voiding;
    /// The power limit holds the clock down: no fault, many devices always work so.
    bool power_capped = false;
  };
  [[nodiscard]] Throttle throttle() const;

  /// Processes with a compute context on the device, as the caller's pid namespace counts them:
  /// those of other namespaces are left out. Empty when nothing can be said.
  [[nodiscard]] std::vector<std::int64_t> compute_processes() const;

 private:
  struct Functions;
  Nvml(std::unique_ptr<Functions> functions, void* device);

  std::unique_ptr<Functions> functions_;
  void* device_;
};

}  // namespace warpmind::profilers
