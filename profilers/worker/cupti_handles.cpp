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

/// Finds functions by name and remembers the first that is missing.
class FunctionLoader {
 public:
  /// Never closes the library: CUPTI hooks into the driver.
  FunctionLoader() : library_(open_library()) {}

  template <class Function>
  void operator()(const char* name, Function& function) {
    if (library_ == nullptr) return;
    // POSIX promises that an object pointer from dlsym holds a function's address.
    function = reinterpret_cast<Function>(::dlsym(library_, name));
    if (function == nullptr && missing_.empty()) missing_ = name;
  }
  [[nodiscard]] Result<void> check() const {
    if (library_ == nullptr) {
      return fail(Errc::unavailable,
                  "hardware counters need " + kLibrary +
                      ", which was not found; install the CUDA toolkit's CUPTI or set CUDA_HOME");
    }
    if (missing_.empty()) return {};
    return fail(Errc::unavailable,
                kLibrary + " has no " + missing_ + "; hardware counters need a newer CUPTI");
  }

 private:
  void* library_;
  std::string missing_;
};

}  // namespace

Result<CuptiFunctions> load_cupti() {
  FunctionLoader load;
  CuptiFunctions cupti;
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
  WARPMIND_CHECK(load.check());
  return cupti;
}

Result<CuptiSampling> load_cupti_sampling() {
  FunctionLoader load;
  CuptiSampling cupti;
  load("cuptiGetResultString", cupti.result_string);
  load("cuptiPCSamplingEnable", cupti.enable);
  load("cuptiPCSamplingDisable", cupti.disable);
  load("cuptiPCSamplingSetConfigurationAttribute", cupti.configure);
  load("cuptiPCSamplingGetNumStallReasons", cupti.reason_count);
  load("cuptiPCSamplingGetStallReasons", cupti.reasons);
  load("cuptiPCSamplingStart", cupti.start);
  load("cuptiPCSamplingStop", cupti.stop);
  load("cuptiPCSamplingGetData", cupti.data);
  load("cuptiGetSassToSourceCorrelation", cupti.source_place);
  WARPMIND_CHECK(load.check());
  return cupti;
}

bool is_permission_error(CUptiResult code) { return code == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES; }

Error cupti_error(decltype(&cuptiGetResultString) result_string, CUptiResult code,
                  std::string_view where) {
  const char* name = nullptr;
  if (result_string(code, &name) != CUPTI_SUCCESS || name == nullptr) name = "CUPTI error";
  return {Errc::external_failure,
          std::string(name) + " (" + std::to_string(code) + ") at " + std::string(where)};
}

}  // namespace warpmind::profilers
