#pragma once
/// \file
/// The few questions for NVML, through dlopen: driver version, SM clock, throttle reasons.

#include <memory>
#include <optional>
#include <string>

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

  /// Names of the reasons that void a timing session: hw_slowdown, sw_thermal, hw_thermal,
  /// hw_power_brake. Power capping is no such reason: the clock that is reported shows it.
  [[nodiscard]] std::string throttle_reasons() const;

 private:
  struct Functions;
  Nvml(std::unique_ptr<Functions> functions, void* device);

  std::unique_ptr<Functions> functions_;
  void* device_;
};

}  // namespace warpmind::profilers
