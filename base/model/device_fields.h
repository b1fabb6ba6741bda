#pragma once
/// \file
/// The fields of a device, each described once: from these lists the files under config/devices/
/// are read and checked (config/device_table.h) and the JSON is made (base/codec/model_json.h).

#include "base/model/device.h"

#include <array>
#include <string>
#include <variant>

namespace warpmind {

/// A number of a device is above zero, in whatever unit its member has.
template <class Struct>
struct DeviceField {
  const char* name = "";
  std::variant<std::string Struct::*, int Struct::*, double Struct::*> member;
  const char* example = "";  ///< of a text, as a file gives it
  bool may_be_zero = false;
};

inline constexpr std::array<DeviceField<TimingModel>, 21> kTimingFields = {{
    {"sustained_clock_mhz", &TimingModel::sustained_clock_mhz},
    {"fp32_lanes", &TimingModel::fp32_lanes},
    {"int32_lanes", &TimingModel::int32_lanes},
    {"imad_lanes", &TimingModel::imad_lanes},
    {"fp16x2_lanes", &TimingModel::fp16x2_lanes},
    {"fp64_lanes", &TimingModel::fp64_lanes},
    {"special_lanes", &TimingModel::special_lanes},
    {"tensor_fp16_macs", &TimingModel::tensor_fp16_macs},
    {"wgmma_fp16_macs", &TimingModel::wgmma_fp16_macs, "", true},
    {"lsu_lanes", &TimingModel::lsu_lanes},
    {"l1_bytes", &TimingModel::l1_bytes},
    {"shared_bytes", &TimingModel::shared_bytes},
    {"l2_bytes", &TimingModel::l2_bytes},
    {"l1_kib", &TimingModel::l1_kib},
    {"l1_latency_cycles", &TimingModel::l1_latency_cycles},
    {"shared_latency_cycles", &TimingModel::shared_latency_cycles},
    {"l2_latency_cycles", &TimingModel::l2_latency_cycles},
    {"dram_latency_cycles", &TimingModel::dram_latency_cycles},
    {"dram_efficiency", &TimingModel::dram_efficiency},
    {"atomic_cycles", &TimingModel::atomic_cycles},
    {"launch_us", &TimingModel::launch_us},
}};

/// All but DeviceSpec::timing, which is a table of its own.
inline constexpr std::array<DeviceField<DeviceSpec>, 20> kDeviceFields = {{
    {"key", &DeviceSpec::key, "h200"},
    {"name", &DeviceSpec::name, "NVIDIA H200"},
    {"family", &DeviceSpec::family, "hopper"},
    {"compute_major", &DeviceSpec::compute_major},
    {"compute_minor", &DeviceSpec::compute_minor, "", true},
    {"sm_count", &DeviceSpec::sm_count},
    {"sm_clock_mhz", &DeviceSpec::sm_clock_mhz},
    {"memory_clock_mhz", &DeviceSpec::memory_clock_mhz},
    {"memory_bandwidth_gb_s", &DeviceSpec::memory_bandwidth_gb_s},
    {"memory_gib", &DeviceSpec::memory_gib},
    {"l2_mib", &DeviceSpec::l2_mib},
    {"fp64_tflops", &DeviceSpec::fp64_tflops},
    {"fp32_tflops", &DeviceSpec::fp32_tflops},
    {"fp16_tensor_tflops", &DeviceSpec::fp16_tensor_tflops},
    {"shared_kib_per_sm", &DeviceSpec::shared_kib_per_sm},
    {"shared_kib_per_block", &DeviceSpec::shared_kib_per_block},
    {"registers_per_sm", &DeviceSpec::registers_per_sm},
    {"threads_per_sm", &DeviceSpec::threads_per_sm},
    {"blocks_per_sm", &DeviceSpec::blocks_per_sm},
    {"warps_per_sm", &DeviceSpec::warps_per_sm},
}};

}  // namespace warpmind
