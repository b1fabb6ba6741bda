#include "profilers/simulator/cudart/device_properties.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

namespace warpmind::simulator {
namespace {

constexpr double kMib = 1024.0 * 1024.0;
constexpr double kGib = kMib * 1024.0;
constexpr std::size_t kKib = 1024;
constexpr int kMostInt = std::numeric_limits<int>::max();

void set_limits(cudaDeviceProp& p) {
  // CUDA C++ programming guide, table "Technical Specifications per Compute Capability".
  p.warpSize = 32;
  p.maxThreadsPerBlock = 1024;
  p.maxThreadsDim[0] = p.maxThreadsDim[1] = 1024;
  p.maxThreadsDim[2] = 64;
  p.maxGridSize[0] = kMostInt;
  p.maxGridSize[1] = p.maxGridSize[2] = 65535;
  p.totalConstMem = 64 * kKib;
  p.sharedMemPerBlock = 48 * kKib;
  p.memPitch = static_cast<std::size_t>(kMostInt);
  p.textureAlignment = 512;
  p.texturePitchAlignment = 32;
  p.surfaceAlignment = 512;
}

void set_abilities(cudaDeviceProp& p) {
  p.canMapHostMemory = 1;
  p.concurrentKernels = 1;
  p.asyncEngineCount = 1;
  p.unifiedAddressing = 1;
  p.managedMemory = 1;
  p.concurrentManagedAccess = 1;
  p.streamPrioritiesSupported = 1;
  p.globalL1CacheSupported = 1;
  p.localL1CacheSupported = 1;
  p.computePreemptionSupported = 1;
  p.memoryPoolsSupported = 1;
  p.hostRegisterSupported = 1;
  p.cooperativeLaunch = 1;
  // Not: clusters, whose blocks see each other's shared memory.
}

struct Row {
  cudaDeviceAttr which;
  int value;
};

int narrow(std::size_t value) { return static_cast<int>(std::min<std::size_t>(value, kMostInt)); }

template <std::size_t N>
std::optional<int> find(const std::array<Row, N>& table, cudaDeviceAttr which) {
  for (const Row& row : table) {
    if (row.which == which) return row.value;
  }
  return std::nullopt;
}

/// Attributes up to the middle of the enumeration; the rest below.
std::optional<int> lower_attribute(const DeviceSpec& device, const cudaDeviceProp& p,
                                   cudaDeviceAttr which) {
  const std::array table = {
      Row{cudaDevAttrMaxThreadsPerBlock, p.maxThreadsPerBlock},
      Row{cudaDevAttrMaxBlockDimX, p.maxThreadsDim[0]},
      Row{cudaDevAttrMaxBlockDimY, p.maxThreadsDim[1]},
      Row{cudaDevAttrMaxBlockDimZ, p.maxThreadsDim[2]},
      Row{cudaDevAttrMaxGridDimX, p.maxGridSize[0]},
      Row{cudaDevAttrMaxGridDimY, p.maxGridSize[1]},
      Row{cudaDevAttrMaxGridDimZ, p.maxGridSize[2]},
      Row{cudaDevAttrMaxSharedMemoryPerBlock, narrow(p.sharedMemPerBlock)},
      Row{cudaDevAttrTotalConstantMemory, narrow(p.totalConstMem)},
      Row{cudaDevAttrWarpSize, p.warpSize},
      Row{cudaDevAttrMaxPitch, narrow(p.memPitch)},
      Row{cudaDevAttrMaxRegistersPerBlock, p.regsPerBlock},
      Row{cudaDevAttrClockRate, static_cast<int>(device.sm_clock_mhz * 1000)},
      Row{cudaDevAttrTextureAlignment, narrow(p.textureAlignment)},
      Row{cudaDevAttrTexturePitchAlignment, narrow(p.texturePitchAlignment)},
      Row{cudaDevAttrSurfaceAlignment, narrow(p.surfaceAlignment)},
      Row{cudaDevAttrGpuOverlap, 1},
      Row{cudaDevAttrMultiProcessorCount, p.multiProcessorCount},
      Row{cudaDevAttrKernelExecTimeout, 0},
      Row{cudaDevAttrIntegrated, 0},
      Row{cudaDevAttrCanMapHostMemory, p.canMapHostMemory},
      Row{cudaDevAttrComputeMode, cudaComputeModeDefault},
      Row{cudaDevAttrConcurrentKernels, p.concurrentKernels},
      Row{cudaDevAttrEccEnabled, 0},
      Row{cudaDevAttrPciBusId, 0},
      Row{cudaDevAttrPciDeviceId, 0},
      Row{cudaDevAttrPciDomainId, 0},
      Row{cudaDevAttrTccDriver, 0},
      Row{cudaDevAttrMemoryClockRate, static_cast<int>(device.memory_clock_mhz * 1000)},
      Row{cudaDevAttrGlobalMemoryBusWidth, p.memoryBusWidth},
      Row{cudaDevAttrL2CacheSize, p.l2CacheSize},
      Row{cudaDevAttrMaxThreadsPerMultiProcessor, p.maxThreadsPerMultiProcessor},
      Row{cudaDevAttrAsyncEngineCount, p.asyncEngineCount},
      Row{cudaDevAttrUnifiedAddressing, p.unifiedAddressing},
  };
  return find(table, which);
}

/// The newer ones.
std::optional<int> upper_attribute(const DeviceSpec& device, const cudaDeviceProp& p,
                                   cudaDeviceAttr which) {
  const std::array table = {
      Row{cudaDevAttrComputeCapabilityMajor, p.major},
      Row{cudaDevAttrComputeCapabilityMinor, p.minor},
      Row{cudaDevAttrStreamPrioritiesSupported, p.streamPrioritiesSupported},
      Row{cudaDevAttrGlobalL1CacheSupported, p.globalL1CacheSupported},
      Row{cudaDevAttrLocalL1CacheSupported, p.localL1CacheSupported},
      Row{cudaDevAttrMaxSharedMemoryPerMultiprocessor, narrow(p.sharedMemPerMultiprocessor)},
      Row{cudaDevAttrMaxRegistersPerMultiprocessor, p.regsPerMultiprocessor},
      Row{cudaDevAttrManagedMemory, p.managedMemory},
      Row{cudaDevAttrIsMultiGpuBoard, 0},
      Row{cudaDevAttrMultiGpuBoardGroupID, 0},
      Row{cudaDevAttrHostNativeAtomicSupported, 0},
      Row{cudaDevAttrSingleToDoublePrecisionPerfRatio,
          static_cast<int>(std::lround(device.fp32_tflops / std::max(device.fp64_tflops, 0.01)))},
      Row{cudaDevAttrPageableMemoryAccess, 0},
      Row{cudaDevAttrConcurrentManagedAccess, p.concurrentManagedAccess},
      Row{cudaDevAttrComputePreemptionSupported, p.computePreemptionSupported},
      Row{cudaDevAttrCanUseHostPointerForRegisteredMem, 0},
      Row{cudaDevAttrCooperativeLaunch, p.cooperativeLaunch},
      Row{cudaDevAttrMaxSharedMemoryPerBlockOptin, narrow(p.sharedMemPerBlockOptin)},
      Row{cudaDevAttrHostRegisterSupported, p.hostRegisterSupported},
      Row{cudaDevAttrPageableMemoryAccessUsesHostPageTables, 0},
      Row{cudaDevAttrDirectManagedMemAccessFromHost, 0},
      Row{cudaDevAttrMaxBlocksPerMultiprocessor, p.maxBlocksPerMultiProcessor},
      Row{cudaDevAttrMaxPersistingL2CacheSize, p.persistingL2CacheMaxSize},
      Row{cudaDevAttrMaxAccessPolicyWindowSize, p.accessPolicyMaxWindowSize},
      Row{cudaDevAttrReservedSharedMemoryPerBlock, narrow(p.reservedSharedMemPerBlock)},
      Row{cudaDevAttrSparseCudaArraySupported, 0},
      Row{cudaDevAttrMemoryPoolsSupported, p.memoryPoolsSupported},
      Row{cudaDevAttrGPUDirectRDMASupported, 0},
      Row{cudaDevAttrClusterLaunch, 0},
      Row{cudaDevAttrIpcEventSupport, 0},
      Row{cudaDevAttrMemSyncDomainCount, 1},
      Row{cudaDevAttrNumaConfig, 0},
      Row{cudaDevAttrNumaId, -1},
      Row{cudaDevAttrMpsEnabled, 0},
      Row{cudaDevAttrHostNumaId, -1},
  };
  return find(table, which);
}

}  // namespace

cudaDeviceProp device_properties(const DeviceSpec& device) {
  cudaDeviceProp p{};
  const std::size_t length = std::min(device.name.size(), sizeof p.name - 1);
  std::memcpy(static_cast<char*>(p.name), device.name.data(), length);
  set_limits(p);
  set_abilities(p);
  p.totalGlobalMem = static_cast<std::size_t>(device.memory_gib * kGib);
  p.l2CacheSize = static_cast<int>(device.l2_mib * kMib);
  p.persistingL2CacheMaxSize = p.l2CacheSize / 2;
  p.accessPolicyMaxWindowSize = 128 * 1024 * 1024;
  p.major = device.compute_major;
  p.minor = device.compute_minor;
  p.multiProcessorCount = device.sm_count;
  p.maxThreadsPerMultiProcessor = device.threads_per_sm;
  p.maxBlocksPerMultiProcessor = device.blocks_per_sm;
  p.regsPerBlock = p.regsPerMultiprocessor = device.registers_per_sm;
  p.sharedMemPerMultiprocessor = static_cast<std::size_t>(device.shared_kib_per_sm) * kKib;
  p.sharedMemPerBlockOptin = static_cast<std::size_t>(device.shared_kib_per_block) * kKib;
  p.reservedSharedMemPerBlock = device.compute_major >= 8 ? kKib : 0;
  // The width that, at two transfers a clock, gives the datasheet's bandwidth.
  const double transfers = std::max(device.memory_clock_mhz, 1.0) * 2 / 1000;
  p.memoryBusWidth = static_cast<int>(device.memory_bandwidth_gb_s * 8 / transfers);
  return p;
}

std::optional<int> device_attribute(const DeviceSpec& device, cudaDeviceAttr which) {
  const cudaDeviceProp p = device_properties(device);
  const auto found = lower_attribute(device, p, which);
  return found ? found : upper_attribute(device, p, which);
}

}  // namespace warpmind::simulator
