#pragma once
/// \file
/// CUPTI's range profiler and PC sampling, loaded on demand, and the objects that must be given
/// back to it.

#include "base/result.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include <cupti_pcsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

namespace warpmind::profilers {

/// The functions that profiling needs, from libcupti.so.13.
struct CuptiFunctions {
  decltype(&cuptiGetResultString) result_string = nullptr;
  decltype(&cuptiProfilerInitialize) initialize = nullptr;
  decltype(&cuptiProfilerDeInitialize) deinitialize = nullptr;
  decltype(&cuptiDeviceGetChipName) chip_name = nullptr;
  decltype(&cuptiProfilerGetCounterAvailability) counter_availability = nullptr;
  decltype(&cuptiProfilerHostInitialize) host_initialize = nullptr;
  decltype(&cuptiProfilerHostDeinitialize) host_deinitialize = nullptr;
  decltype(&cuptiProfilerHostConfigAddMetrics) add_metrics = nullptr;
  decltype(&cuptiProfilerHostGetConfigImageSize) config_image_size = nullptr;
  decltype(&cuptiProfilerHostGetConfigImage) config_image = nullptr;
  decltype(&cuptiProfilerHostEvaluateToGpuValues) evaluate = nullptr;
  decltype(&cuptiRangeProfilerEnable) enable = nullptr;
  decltype(&cuptiRangeProfilerDisable) disable = nullptr;
  decltype(&cuptiRangeProfilerGetCounterDataSize) counter_data_size = nullptr;
  decltype(&cuptiRangeProfilerCounterDataImageInitialize) counter_data_initialize = nullptr;
  decltype(&cuptiRangeProfilerSetConfig) set_config = nullptr;
  decltype(&cuptiRangeProfilerStart) start = nullptr;
  decltype(&cuptiRangeProfilerStop) stop = nullptr;
  decltype(&cuptiRangeProfilerDecodeData) decode = nullptr;
  decltype(&cuptiRangeProfilerGetCounterDataInfo) counter_data_info = nullptr;
};

/// Looks where the loader looks, then in CUDA_HOME/extras/CUPTI/lib64 and lib64, then in
/// /usr/local/cuda/lib64. Errors: unavailable, with the way out.
[[nodiscard]] Result<CuptiFunctions> load_cupti();

/// The functions that PC sampling needs.
struct CuptiSampling {
  decltype(&cuptiGetResultString) result_string = nullptr;
  decltype(&cuptiPCSamplingEnable) enable = nullptr;
  decltype(&cuptiPCSamplingDisable) disable = nullptr;
  decltype(&cuptiPCSamplingSetConfigurationAttribute) configure = nullptr;
  decltype(&cuptiPCSamplingGetNumStallReasons) reason_count = nullptr;
  decltype(&cuptiPCSamplingGetStallReasons) reasons = nullptr;
  decltype(&cuptiPCSamplingStart) start = nullptr;
  decltype(&cuptiPCSamplingStop) stop = nullptr;
  decltype(&cuptiPCSamplingGetData) data = nullptr;
  decltype(&cuptiGetSassToSourceCorrelation) source_place = nullptr;
};

/// As load_cupti().
[[nodiscard]] Result<CuptiSampling> load_cupti_sampling();

/// CUPTI refuses counters to this user. Kept apart from other errors: it has its own way out.
[[nodiscard]] bool is_permission_error(CUptiResult code);

/// "CUPTI_ERROR_… at WHERE".
[[nodiscard]] Error cupti_error(decltype(&cuptiGetResultString) result_string, CUptiResult code,
                                std::string_view where);

/// A zeroed CUPTI parameter block that knows its size.
template <class Params>
[[nodiscard]] Params cupti_params(std::size_t size) {
  Params params{};
  params.structSize = size;
  return params;
}
#define WARPMIND_CUPTI_PARAMS(Type, name)                    \
  auto name /* NOLINT(bugprone-macro-parentheses): a name */ \
      = cupti_params<Type>(Type##_STRUCT_SIZE)

/// Between cuptiProfilerInitialize and cuptiProfilerDeInitialize.
class CuptiProfilerScope {
 public:
  explicit CuptiProfilerScope(const CuptiFunctions& cupti) : cupti_(cupti) {}
  CuptiProfilerScope(const CuptiProfilerScope&) = delete;
  CuptiProfilerScope& operator=(const CuptiProfilerScope&) = delete;
  ~CuptiProfilerScope() {
    WARPMIND_CUPTI_PARAMS(CUpti_Profiler_DeInitialize_Params, params);
    (void)cupti_.deinitialize(&params);
  }

 private:
  const CuptiFunctions& cupti_;
};

struct CuptiHostDeleter {
  const CuptiFunctions* cupti = nullptr;
  void operator()(CUpti_Profiler_Host_Object* object) const noexcept {
    WARPMIND_CUPTI_PARAMS(CUpti_Profiler_Host_Deinitialize_Params, params);
    params.pHostObject = object;
    (void)cupti->host_deinitialize(&params);
  }
};
using UniqueCuptiHost = std::unique_ptr<CUpti_Profiler_Host_Object, CuptiHostDeleter>;

struct CuptiRangeDeleter {
  const CuptiFunctions* cupti = nullptr;
  void operator()(CUpti_RangeProfiler_Object* object) const noexcept {
    WARPMIND_CUPTI_PARAMS(CUpti_RangeProfiler_Disable_Params, params);
    params.pRangeProfilerObject = object;
    (void)cupti->disable(&params);
  }
};
using UniqueCuptiRange = std::unique_ptr<CUpti_RangeProfiler_Object, CuptiRangeDeleter>;

}  // namespace warpmind::profilers
