#include "profilers/worker/cupti_handles.h"

#include <array>
#include <cstdlib>
#include <dlfcn.h>
#include <vector>

#include <cuda_runtime_api.h>

namespace warpmind::profilers {
namespace {

/// Of the release whose headers this is built with: its structures have the sizes it expects.
const std::string kLibrary = "libcupti.so." + std::to_string(CUDART_VERSION / 1000);

void* open_library() {
  std::vector<std::string> paths{kLibrary};
  if (const char* const home = std::getenv("CUDA_HOME"); home != nullptr) {
    paths.push_back(std::string(home) + "/extras/CUPTI/lib64/" + kLibrary);
    paths.push_back(std::string(home) + "/lib64/" + kLibrary);
  }
  paths.push_back("/usr/local/cuda/lib64/" + kLibrary);
  paths.push_back("/usr/local/cuda/extras/CUPTI/lib64/" + kLibrary);
  for (const std::string& path : paths) {
    if (void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  }
  return nullptr;
}

}  // namespace

Result<CuptiFunctions> load_cupti() {
  // Never closed: CUPTI hooks into the driver.
  void* const library = open_library();
  if (library == nullptr) {
    return fail(Errc::unavailable,
                "hardware counters need " + kLibrary +
                    ", which was not found; install the CUDA toolkit's CUPTI or set CUDA_HOME");
  }
  CuptiFunctions cupti;
  const char* missing = nullptr;
  auto load = [&](const char* name, auto& function) {
    // POSIX promises that an object pointer from dlsym holds a function's address.
    function =
        reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
    if (function == nullptr) missing = name;
  };
  load("cuptiGetResultString", cupti.result_string);
  load("cuptiProfilerInitialize", cupti.initialize);
  load("cuptiProfilerDeInitialize", cupti.deinitialize);
  load("cuptiDeviceGetChipName", cupti.chip_name);
  load("cuptiProfilerGetCounterAvailability", cupti.counter_availability);
  load("cuptiProfilerHostInitialize", cupti.host_initialize);
  load("cuptiProfilerHostDeinitialize", cupti.host_deinitialize);
  load("cuptiProfilerHostConfigAddMetrics", cupti.add_metrics);
  load("cuptiProfilerHostGetConfigImageSize", cupti.config_image_size);
  load("cuptiProfilerHostGetConfigImage", cupti.config_image);
  load("cuptiProfilerHostEvaluateToGpuValues", cupti.evaluate);
  load("cuptiRangeProfilerEnable", cupti.enable);
  load("cuptiRangeProfilerDisable", cupti.disable);
  load("cuptiRangeProfilerGetCounterDataSize", cupti.counter_data_size);
  load("cuptiRangeProfilerCounterDataImageInitialize", cupti.counter_data_initialize);
  load("cuptiRangeProfilerSetConfig", cupti.set_config);
  load("cuptiRangeProfilerStart", cupti.start);
  load("cuptiRangeProfilerStop", cupti.stop);
  load("cuptiRangeProfilerDecodeData", cupti.decode);
  load("cuptiRangeProfilerGetCounterDataInfo", cupti.counter_data_info);
  if (missing != nullptr) {
    return fail(Errc::unavailable,
                kLibrary + " has no " + missing + "; hardware counters need a newer CUPTI");
  }
  return cupti;
}

bool is_permission_error(CUptiResult code) { return code == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES; }

Error cupti_error(const CuptiFunctions& cupti, CUptiResult code, std::string_view where) {
  const char* name = nullptr;
  if (cupti.result_string(code, &name) != CUPTI_SUCCESS || name == nullptr) name = "CUPTI error";
  return {Errc::external_failure,
          std::string(name) + " (" + std::to_string(code) + ") at " + std::string(where)};
}

}  // namespace warpmind::profilers
