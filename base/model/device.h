#pragma once
/// \file
/// Devices: what a table says about a model, and what a machine says about the one at hand.

#include <cstdint>
#include <string>

namespace warpmind {

/// What the time model of the simulator needs beyond a datasheet. Rates are per SM and clock, lanes
/// are threads; all zero = the device has no time model.
struct TimingModel {
  double sustained_clock_mhz = 0;  ///< under load; at most DeviceSpec::sm_clock_mhz
  double fp32_lanes = 0;           ///< FFMA, FADD, FMUL
  double int32_lanes = 0;          ///< IADD, LOP3
  double imad_lanes = 0;
  double fp16x2_lanes = 0;  ///< packed instructions, each two results
  double fp64_lanes = 0;
  double special_lanes = 0;     ///< MUFU, conversions
  double tensor_fp16_macs = 0;  ///< mma.sync, f32 accumulation, dense
  double wgmma_fp16_macs = 0;   ///< 0 = the device has no wgmma
  double lsu_lanes = 0;         ///< threads whose address is taken
  double l1_bytes = 0;          ///< loads
  double shared_bytes = 0;
  double l2_bytes = 0;
  double l1_kib = 0;  ///< L1 and shared memory together
  double l1_latency_cycles = 0;
  double shared_latency_cycles = 0;
  double l2_latency_cycles = 0;
  double dram_latency_cycles = 0;
  double dram_efficiency = 0;  ///< reachable share of the datasheet's bandwidth, 0 … 1
  double atomic_cycles = 0;    ///< L2 clocks between two atomics on one address
  double launch_us = 0;        ///< floor of a kernel's time
  bool operator==(const TimingModel&) const = default;
};

/// One row of the device table (config/devices/*.toml). Every number has its source there.
struct DeviceSpec {
  std::string key;     ///< "h200"
  std::string name;    ///< as the driver spells it: "NVIDIA H200"
  std::string family;  ///< "hopper"
  int compute_major = 0;
  int compute_minor = 0;
  int sm_count = 0;
  double sm_clock_mhz = 0;  ///< boost
  double memory_clock_mhz = 0;
  double memory_bandwidth_gb_s = 0;  ///< 10^9 bytes a second, datasheet
  double memory_gib = 0;
  double l2_mib = 0;
  double fp64_tflops = 0;
  double fp32_tflops = 0;
  double fp16_tensor_tflops = 0;  ///< dense
  int shared_kib_per_sm = 0;
  int shared_kib_per_block = 0;  ///< opt-in maximum
  int registers_per_sm = 0;
  int threads_per_sm = 0;
  int blocks_per_sm = 0;
  int warps_per_sm = 0;
  TimingModel timing = {};
  bool operator==(const DeviceSpec&) const = default;
};

/// The GPU as identified on this machine. Part of every measurement.
struct DeviceIdentity {
  std::string name;  ///< "NVIDIA H200"
  std::string uuid;  ///< "GPU-…"; empty when unknown
  int compute_major = 0;
  int compute_minor = 0;
  int sm_count = 0;
  std::int64_t memory_bytes = 0;
  std::int64_t l2_bytes = 0;
  std::string driver;   ///< "580.159.04", or CUDA driver API version "13.0" where NVML is absent
  std::string runtime;  ///< CUDA runtime "13.0"
  bool operator==(const DeviceIdentity&) const = default;
};

/// nvcc name: 9,0 -> "sm_90".
[[nodiscard]] inline std::string architecture_of(int major, int minor) {
  return "sm_" + std::to_string(major) + std::to_string(minor);
}

}  // namespace warpmind
