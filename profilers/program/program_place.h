#pragma once
/// \file
/// Where users' programs are built and run: the machine's part, the same for every program.

#include "base/model/measurement.h"
#include "base/result.h"
#include "config/device_table.h"
#include "config/settings.h"
#include "profilers/sandbox/sandbox.h"
#include "profilers/toolchain/compilers.h"

#include <filesystem>
#include <string>

namespace warpmind::profilers {

struct ProgramPlace {
  Provider provider = Provider::sim;
  std::string device;        ///< for people: "NVIDIA H200"
  std::string device_key;    ///< of the simulated one
  std::string architecture;  ///< "sm_90"
  CudaCompiler nvcc;
  config::ToolkitUse toolkit;            ///< how programs call it, and what they read
  std::filesystem::path host_root;       ///< prefix of the host compiler
  std::filesystem::path runtime;         ///< folder of the runtime that programs get
  std::filesystem::path kernel_library;  ///< libwarpmind_inject.so; empty in the simulator
  std::filesystem::path null_library;    ///< libwarpmind_record.so; likewise
  std::int64_t visible_device = 0;       ///< CUDA ordinal among those visible to us
  std::uint64_t build_memory_mib = 8192;
};

/// On the simulator's runtime. `device` is a key of the table; empty = lab.target. Errors:
/// unavailable without nvcc or the runtime; not_found for the device.
[[nodiscard]] Result<ProgramPlace> simulated_program_place(const config::Settings& settings,
                                                           const config::DeviceTable& devices,
                                                           const std::string& device);

/// On the GPU at hand. Errors: unavailable without nvcc or one of our two libraries.
[[nodiscard]] Result<ProgramPlace> gpu_program_place(const config::Settings& settings,
                                                     const DeviceIdentity& device);

}  // namespace warpmind::profilers
