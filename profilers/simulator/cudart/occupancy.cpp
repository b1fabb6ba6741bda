#include "profilers/simulator/cudart/occupancy.h"

#include "profilers/simulator/cudart/cuda_api.h"
#include "profilers/simulator/cudart/device_properties.h"

#include <algorithm>

#include <climits>
#include <cuda_occupancy.h>

namespace warpmind::simulator {
namespace {

constexpr std::uint32_t kBytesOfRegister = 4 * kLanes;

cudaOccDeviceProp calculator_device(const DeviceSpec& device) {
  return cudaOccDeviceProp(device_properties(device));
}

cudaOccFuncAttributes calculator_kernel(const DeviceSpec& device, const Program& program) {
  cudaOccFuncAttributes attributes;
  attributes.maxThreadsPerBlock =
      program.most_threads > 0 ? static_cast<int>(program.most_threads) : 1024;
  attributes.numRegs = estimated_registers(program);
  attributes.sharedSizeBytes = program.shared_bytes;
  attributes.partitionedGCConfig = PARTITIONED_GC_OFF;
  attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  attributes.maxDynamicSharedSizeBytes =
      static_cast<std::size_t>(device.shared_kib_per_block) * 1024 - program.shared_bytes;
  attributes.numBlockBarriers = 1;
  return attributes;
}

}  // namespace

int estimated_registers(const Program& program) {
  const auto virtual_registers = static_cast<int>(program.register_bytes / kBytesOfRegister);
  return std::clamp(virtual_registers / 4, 32, 128);
}

int active_blocks(const DeviceSpec& device, const Program& program, int threads,
                  std::size_t dynamic_shared) {
  const cudaOccDeviceProp properties = calculator_device(device);
  cudaOccFuncAttributes attributes = calculator_kernel(device, program);
  // A kernel of 1024 threads cannot have got more registers than fit.
  attributes.numRegs =
      std::min(attributes.numRegs, device.registers_per_sm / std::max(threads, 32) / 8 * 8);
  const cudaOccDeviceState state;
  cudaOccResult result{};
  const auto code = cudaOccMaxActiveBlocksPerMultiprocessor(&result, &properties, &attributes,
                                                            &state, threads, dynamic_shared);
  return code == CUDA_OCC_SUCCESS ? result.activeBlocksPerMultiprocessor : 0;
}

std::uint32_t resident_blocks(const DeviceSpec& device, const Program& program, const Dim3& block,
                              std::uint32_t dynamic_shared) {
  const std::uint32_t threads = block[0] * block[1] * block[2];
  const int blocks = active_blocks(device, program, static_cast<int>(threads), dynamic_shared);
  return static_cast<std::uint32_t>(std::max(blocks, 1));
}

std::size_t available_dynamic_shared(const DeviceSpec& device, const Program& program, int blocks,
                                     int threads) {
  const cudaOccDeviceProp properties = calculator_device(device);
  const cudaOccFuncAttributes attributes = calculator_kernel(device, program);
  const cudaOccDeviceState state;
  std::size_t bytes = 0;
  const auto code = cudaOccAvailableDynamicSMemPerBlock(&bytes, &properties, &attributes, &state,
                                                        blocks, threads);
  return code == CUDA_OCC_SUCCESS ? bytes : 0;
}

}  // namespace warpmind::simulator
