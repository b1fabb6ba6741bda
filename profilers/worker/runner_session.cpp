#include "profilers/worker/runner_session.h"

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>

namespace warpmind::profilers {
namespace {

std::string dotted(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string uuid_text(const cudaUUID_t& uuid) {
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    std::array<char, 3> hex{};
    std::snprintf(hex.data(), hex.size(), "%02x",
                  static_cast<unsigned>(static_cast<unsigned char>(uuid.bytes[i])));
    text += hex.data();
  }
  return text;
}

Error no_device(cudaError_t code) {
  return {Errc::unavailable,
          "no CUDA device: " + std::string(cudaGetErrorName(code)) + " (" +
              cudaGetErrorString(code) +
              "); install or start the NVIDIA driver so that nvidia-smi lists a GPU"};
}

Result<DeviceIdentity> identify(int index) {
  int count = 0;
  const cudaError_t counted = cudaGetDeviceCount(&count);
  if (counted != cudaSuccess) return fail(no_device(counted));
  if (index < 0 || index >= count) {
    return fail(Errc::unavailable, "device " + std::to_string(index) +
                                       " does not exist: this machine has " +
                                       std::to_string(count) + " CUDA device(s), numbered from 0");
  }
  cudaError_t code = cudaSetDevice(index);
  if (code == cudaSuccess) code = cudaFree(nullptr);  // creates the context
  cudaDeviceProp properties{};
  if (code == cudaSuccess) code = cudaGetDeviceProperties(&properties, index);
  if (code != cudaSuccess) return fail(no_device(code));

  DeviceIdentity device;
  device.name = properties.name;
  device.uuid = uuid_text(properties.uuid);
  device.compute_major = properties.major;
  device.compute_minor = properties.minor;
  device.sm_count = properties.multiProcessorCount;
  device.memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
  device.l2_bytes = properties.l2CacheSize;
  int version = 0;
  if (cudaDriverGetVersion(&version) == cudaSuccess) device.driver = dotted(version);
  if (cudaRuntimeGetVersion(&version) == cudaSuccess) device.runtime = dotted(version);
  return device;
}

}  // namespace

Result<std::unique_ptr<RunnerSession>> RunnerSession::start(const RunnerOptions& options) {
  WARPMIND_TRY(DeviceIdentity device, identify(options.device));
  std::unique_ptr<Nvml> nvml;
  if (!options.simulated) nvml = Nvml::open(device.uuid);
  if (nvml) {
    const std::string version = nvml->driver_version();
    if (!version.empty()) device.driver = version;
  }
  WARPMIND_TRY(UniqueStream stream, make_stream());
  WARPMIND_TRY(FillPatterns patterns, FillPatterns::create());
  return std::unique_ptr<RunnerSession>(new RunnerSession(
      options, std::move(device), std::move(nvml), std::move(stream), std::move(patterns)));
}

RunnerSession::RunnerSession(RunnerOptions options, DeviceIdentity device,
                             std::unique_ptr<Nvml> nvml, UniqueStream stream, FillPatterns patterns)
    : options_(options),
      device_(std::move(device)),
      nvml_(std::move(nvml)),
      stream_(std::move(stream)),
      patterns_(std::move(patterns)),
      memory_(patterns_, stream_.get()) {}

Result<LoadedBinary*> RunnerSession::binary_of(const Program& program) {
  const std::string key =
      std::string(name_of(program.tier)) + " " + program.binary + " " + program.entry;
  const auto known = binaries_.find(key);
  if (known != binaries_.end()) return known->second.get();
  WARPMIND_TRY(auto loaded, LoadedBinary::load(program));
  return binaries_.emplace(key, std::move(loaded)).first->second.get();
}

Result<void> dump(const std::string& path, const std::vector<std::byte>& content) {
  const std::filesystem::path file(path);
  std::error_code ignored;
  if (file.has_parent_path()) std::filesystem::create_directories(file.parent_path(), ignored);
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  stream.write(reinterpret_cast<const char*>(content.data()),
               static_cast<std::streamsize>(content.size()));
  stream.close();
  if (!stream) {
    return fail(Errc::external_failure,
                "cannot write " + path + "; is the disk full or the directory read-only?");
  }
  return {};
}

}  // namespace warpmind::profilers
