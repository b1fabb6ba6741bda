#include "profilers/program/program_place.h"

#include "config/device_table.h"
#include "config/installation.h"

#include <array>

namespace warpmind::profilers {
namespace {

namespace fs = std::filesystem;

Result<ProgramPlace> place_with_compilers(const config::Settings& settings) {
  ProgramPlace place;
  WARPMIND_TRY(place.nvcc, find_nvcc(settings.toolchain));
  const config::Toolkit& toolkit = place.nvcc.toolkit;
  WARPMIND_TRY(const auto host, find_host_compiler(settings.toolchain, toolkit.newest_gcc));
  WARPMIND_TRY(place.toolkit, config::use_toolkit(toolkit, settings.toolchain.cache_directory));
  // Not for plain g++, which nvcc takes anyway: a program's own -ccbin would contradict it.
  if (host.program.filename() != "g++") {
    place.toolkit.flags.insert(place.toolkit.flags.end(), {"-ccbin", host.program.string()});
  }
  place.host_root = host.root;
  place.build_memory_mib = static_cast<std::uint64_t>(settings.toolchain.memory_mib);
  return place;
}

/// A library of ours, beside this program's folder as it is built or installed.
Result<fs::path> find_own_library(const std::string& name) {
  std::error_code ec;
  const fs::path root = fs::read_symlink("/proc/self/exe", ec).parent_path().parent_path();
  const std::array places{root / "lib" / name, root / "lib" / "warpmind" / name};
  for (const auto& place : places) {
    if (fs::is_regular_file(place, ec)) return fs::canonical(place, ec);
  }
  return fail(Errc::unavailable, name + " is not at " + places.front().string() +
                                     ": build it (it needs the CUDA toolkit), or install it there");
}

}  // namespace

Result<ProgramPlace> simulated_program_place(const config::Settings& settings,
                                             const config::DeviceTable& devices,
                                             const std::string& device) {
  WARPMIND_TRY(ProgramPlace place, place_with_compilers(settings));
  place.device_key = device.empty() ? settings.lab.target : device;
  WARPMIND_TRY(const DeviceSpec spec, devices.need(place.device_key));
  place.device = spec.name + ", simulated";
  place.architecture = architecture_of(spec.compute_major, spec.compute_minor);
  WARPMIND_TRY(place.runtime, config::find_simulator(settings.lab, place.nvcc.toolkit.runtime));
  return place;
}

Result<ProgramPlace> gpu_program_place(const config::Settings& settings,
                                       const DeviceIdentity& device) {
  WARPMIND_TRY(ProgramPlace place, place_with_compilers(settings));
  place.provider = Provider::gpu;
  place.device = device.name;
  place.architecture = architecture_of(device.compute_major, device.compute_minor);
  place.runtime = settings.lab.cuda_runtime;
  place.visible_device = settings.lab.device;
  WARPMIND_TRY(place.kernel_library, find_own_library("libwarpmind_inject.so"));
  WARPMIND_TRY(place.null_library, find_own_library("libwarpmind_record.so"));
  return place;
}

}  // namespace warpmind::profilers
