#include "profilers/worker/range_counters.h"

#include <algorithm>
#include <array>

namespace warpmind::profilers {

std::string unit_of_metric(std::string_view name) {
  auto has = [name](std::string_view part) { return name.find(part) != std::string_view::npos; };
  if (has(".pct") || name.ends_with("_pct")) return "percent";
  if (name.ends_with(".ratio")) return "ratio";
  if (has("time_duration")) return "ns";
  if (has("bytes")) return "bytes";
  return "count";
}

namespace {

/// CUPTI 13.0 accepts smsp__sass_… in a range and then returns a wrong number: seen on GH100, where
/// fadd, ffma and shared loads of one kernel all read alike. Those metrics need its SASS patching.
bool is_miscounted(const std::string& metric) { return metric.starts_with("smsp__sass_"); }

}  // namespace

RangeCounters::RangeCounters(const CuptiFunctions& cupti) : cupti_(cupti), scope_(cupti) {}

Result<void> RangeCounters::check(CUptiResult code, std::string_view where,
                                  bool& permission_refused) const {
  if (code == CUPTI_SUCCESS) return {};
  permission_refused = permission_refused || is_permission_error(code);
  return fail(cupti_error(cupti_.result_string, code, where));
}

Result<std::unique_ptr<RangeCounters>> RangeCounters::configure(
    const CuptiFunctions& cupti, int device, const std::vector<std::string>& metrics,
    bool& permission_refused) {
  std::unique_ptr<RangeCounters> counters(new RangeCounters(cupti));
  WARPMIND_CUPTI_PARAMS(CUpti_Profiler_Initialize_Params, params);
  WARPMIND_CHECK(
      counters->check(cupti.initialize(&params), "cuptiProfilerInitialize", permission_refused));
  WARPMIND_CHECK(counters->read_availability(permission_refused));
  WARPMIND_CHECK(counters->add_metrics(device, metrics, permission_refused));
  return counters;
}

Result<void> RangeCounters::read_availability(bool& permission_refused) {
  WARPMIND_CUPTI_PARAMS(CUpti_Profiler_GetCounterAvailability_Params, params);
  constexpr std::string_view kWhere = "cuptiProfilerGetCounterAvailability";
  WARPMIND_CHECK(check(cupti_.counter_availability(&params), kWhere, permission_refused));
  availability_.resize(params.counterAvailabilityImageSize);
  params.pCounterAvailabilityImage = availability_.data();
  return check(cupti_.counter_availability(&params), kWhere, permission_refused);
}

Result<void> RangeCounters::add_metrics(int device, const std::vector<std::string>& metrics,
                                        bool& permission_refused) {
  WARPMIND_CUPTI_PARAMS(CUpti_Device_GetChipName_Params, chip);
  chip.deviceIndex = static_cast<std::size_t>(device);
  WARPMIND_CHECK(check(cupti_.chip_name(&chip), "cuptiDeviceGetChipName", permission_refused));
  WARPMIND_CUPTI_PARAMS(CUpti_Profiler_Host_Initialize_Params, host);
  host.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  host.pChipName = chip.pChipName;
  host.pCounterAvailabilityImage = availability_.data();
  WARPMIND_CHECK(
      check(cupti_.host_initialize(&host), "cuptiProfilerHostInitialize", permission_refused));
  host_ = UniqueCuptiHost(host.pHostObject, CuptiHostDeleter{&cupti_});

  for (const std::string& metric : metrics) {
    std::array<const char*, 1> one{metric.c_str()};
    WARPMIND_CUPTI_PARAMS(CUpti_Profiler_Host_ConfigAddMetrics_Params, add);
    add.pHostObject = host_.get();
    add.ppMetricNames = one.data();
    add.numMetrics = one.size();
    const bool taken = !is_miscounted(metric) && cupti_.add_metrics(&add) == CUPTI_SUCCESS;
    (taken ? accepted_ : refused_).push_back(metric);
  }
  if (accepted_.empty()) return fail(Errc::unavailable, "this chip has none of the metrics");

  WARPMIND_CUPTI_PARAMS(CUpti_Profiler_Host_GetConfigImageSize_Params, size);
  size.pHostObject = host_.get();
  WARPMIND_CHECK(check(cupti_.config_image_size(&size), "cuptiProfilerHostGetConfigImageSize",
                       permission_refused));
  config_.resize(size.configImageSize);
  WARPMIND_CUPTI_PARAMS(CUpti_Profiler_Host_GetConfigImage_Params, image);
  image.pHostObject = host_.get();
  image.configImageSize = config_.size();
  image.pConfigImage = config_.data();
  return check(cupti_.config_image(&image), "cuptiProfilerHostGetConfigImage", permission_refused);
}

std::vector<const char*> RangeCounters::names() const {
  std::vector<const char*> names;
  for (const std::string& metric : accepted_) names.push_back(metric.c_str());
  return names;
}

Result<std::vector<std::uint8_t>> RangeCounters::counter_image(CUpti_RangeProfiler_Object* range,
                                                               std::size_t most_kernels,
                                                               bool& permission_refused) {
  auto metrics = names();
  WARPMIND_CUPTI_PARAMS(CUpti_RangeProfiler_GetCounterDataSize_Params, size);
  size.pRangeProfilerObject = range;
  size.pMetricNames = metrics.data();
  size.numMetrics = metrics.size();
  size.maxNumOfRanges = most_kernels;
  size.maxNumRangeTreeNodes = static_cast<std::uint32_t>(most_kernels);
  WARPMIND_CHECK(check(cupti_.counter_data_size(&size), "cuptiRangeProfilerGetCounterDataSize",
                       permission_refused));
  std::vector<std::uint8_t> image(size.counterDataSize);
  WARPMIND_CUPTI_PARAMS(CUpti_RangeProfiler_CounterDataImage_Initialize_Params, initialize);
  initialize.pRangeProfilerObject = range;
  initialize.counterDataSize = image.size();
  initialize.pCounterData = image.data();
  WARPMIND_CHECK(check(cupti_.counter_data_initialize(&initialize),
                       "cuptiRangeProfilerCounterDataImageInitialize", permission_refused));

  WARPMIND_CUPTI_PARAMS(CUpti_RangeProfiler_SetConfig_Params, config);
  config.pRangeProfilerObject = range;
  config.configSize = config_.size();
  config.pConfig = config_.data();
  config.counterDataImageSize = image.size();
  config.pCounterDataImage = image.data();
  config.range = CUPTI_AutoRange;
  config.replayMode = CUPTI_KernelReplay;
  config.maxRangesPerPass = most_kernels;
  config.numNestingLevels = 1;
  config.minNestingLevel = 1;
  config.passIndex = 0;
  config.targetNestingLevel = 1;
  WARPMIND_CHECK(
      check(cupti_.set_config(&config), "cuptiRangeProfilerSetConfig", permission_refused));
  return image;
}

Result<std::vector<RangeValues>> RangeCounters::collect(std::size_t most_kernels,
                                                        const std::function<Result<void>()>& launch,
                                                        bool& permission_refused) {
  WARPMIND_CUPTI_PARAMS(CUpti_RangeProfiler_Enable_Params, enable);
  WARPMIND_CHECK(check(cupti_.enable(&enable), "cuptiRangeProfilerEnable", permission_refused));
  const UniqueCuptiRange range(enable.pRangeProfilerObject, CuptiRangeDeleter{&cupti_});
  WARPMIND_TRY(std::vector<std::uint8_t> image,
               counter_image(range.get(), most_kernels, permission_refused));

  // Kernel replay needs one pass of ours; the loop only guards against a mode that does not.
  bool complete = false;
  for (int pass = 0; pass < 4 && !complete; ++pass) {
    WARPMIND_CUPTI_PARAMS(CUpti_RangeProfiler_Start_Params, start);
    start.pRangeProfilerObject = range.get();
    WARPMIND_CHECK(check(cupti_.start(&start), "cuptiRangeProfilerStart", permission_refused));
    const auto launched = launch();
    WARPMIND_CUPTI_PARAMS(CUpti_RangeProfiler_Stop_Params, stop);
    stop.pRangeProfilerObject = range.get();
    const CUptiResult stopped = cupti_.stop(&stop);
    WARPMIND_CHECK(launched);
    WARPMIND_CHECK(check(stopped, "cuptiRangeProfilerStop", permission_refused));
    complete = stop.isAllPassSubmitted != 0;
  }
  WARPMIND_CUPTI_PARAMS(CUpti_RangeProfiler_DecodeData_Params, decode);
  decode.pRangeProfilerObject = range.get();
  WARPMIND_CHECK(check(cupti_.decode(&decode), "cuptiRangeProfilerDecodeData", permission_refused));
  return evaluate(image, permission_refused);
}

Result<std::vector<RangeValues>> RangeCounters::evaluate(const std::vector<std::uint8_t>& image,
                                                         bool& permission_refused) {
  WARPMIND_CUPTI_PARAMS(CUpti_RangeProfiler_GetCounterDataInfo_Params, info);
  info.pCounterDataImage = image.data();
  info.counterDataImageSize = image.size();
  WARPMIND_CHECK(check(cupti_.counter_data_info(&info), "cuptiRangeProfilerGetCounterDataInfo",
                       permission_refused));
  auto metrics = names();
  std::vector<RangeValues> ranges;
  for (std::size_t i = 0; i < info.numTotalRanges; ++i) {
    RangeValues values(metrics.size());
    WARPMIND_CUPTI_PARAMS(CUpti_Profiler_Host_EvaluateToGpuValues_Params, evaluate);
    evaluate.pHostObject = host_.get();
    evaluate.pCounterDataImage = image.data();
    evaluate.counterDataImageSize = image.size();
    evaluate.rangeIndex = i;
    evaluate.ppMetricNames = metrics.data();
    evaluate.numMetrics = metrics.size();
    evaluate.pMetricValues = values.data();
    WARPMIND_CHECK(check(cupti_.evaluate(&evaluate), "cuptiProfilerHostEvaluateToGpuValues",
                         permission_refused));
    ranges.push_back(std::move(values));
  }
  return ranges;
}

}  // namespace warpmind::profilers
