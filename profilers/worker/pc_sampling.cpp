#include "profilers/worker/pc_sampling.h"

#include "base/model/metric_names.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <dlfcn.h>
#include <string_view>
#include <utility>

#include <cuda.h>

namespace warpmind::profilers {
namespace {

constexpr std::size_t kRecords = 4096;     // instructions that one buffer takes
constexpr int kMostReads = 256;            // a million instructions
constexpr double kWantedSamples = 2e6;     // of the whole device
constexpr double kDeviceCycles = 200;      // a nanosecond, all multiprocessors together, about
constexpr std::uint32_t kLeastPeriod = 5;  // 2^5 cycles, as CUPTI allows
constexpr std::uint32_t kMostPeriod = 31;
constexpr std::size_t kHardwareBuffer = std::size_t{128} << 20U;
constexpr std::size_t kMostLines = 20;
constexpr std::size_t kMostReasons = 4;     // of a line
constexpr std::uint64_t kInstruction = 16;  // bytes, from Volta on
constexpr std::uint64_t kLongestInlined = 512 * kInstruction;

/// Null where there is no driver or no context. The driver is never closed: the runtime has it
/// open.
CUcontext current_context() {
  void* const driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (driver == nullptr) return nullptr;
  // POSIX promises that an object pointer from dlsym holds a function's address.
  const auto get = reinterpret_cast<decltype(&cuCtxGetCurrent)>(::dlsym(driver, "cuCtxGetCurrent"));
  CUcontext context = nullptr;
  return get != nullptr && get(&context) == CUDA_SUCCESS ? context : nullptr;
}

/// 2^period cycles between two samples of a multiprocessor.
std::uint32_t period_for(double run_ns) {
  const double cycles = std::max(run_ns, 1.0) * kDeviceCycles / kWantedSamples;
  const double period = std::ceil(std::log2(std::max(cycles, 1.0)));
  return static_cast<std::uint32_t>(std::clamp<double>(period, kLeastPeriod, kMostPeriod));
}

/// "…_not_issued" repeats those samples of a reason in which nothing else was issued either.
bool repeats_another(std::string_view reason) { return reason.ends_with("_not_issued"); }

double all_samples(const std::map<std::string, double>& reasons) {
  double sum = 0;
  for (const auto& [reason, count] : reasons) {
    if (!repeats_another(reason)) sum += count;
  }
  return sum;
}

/// Looks up lines of one function.
class LineFinder {
 public:
  LineFinder(const CuptiSampling& cupti, std::span<const std::byte> cubin, std::string function)
      : cupti_(cupti), cubin_(cubin), function_(std::move(function)) {}

  /// 0 = not known.
  int line_at(std::uint64_t offset) {
    for (std::uint64_t back = 0; back <= std::min(offset, kLongestInlined); back += kInstruction) {
      if (const int line = own_line_at(offset - back); line > 0) return line;
    }
    return 0;
  }

 private:
  /// 0 where the instruction comes from another file.
  int own_line_at(std::uint64_t offset) {
    const auto known = lines_.find(offset);
    if (known != lines_.end()) return known->second;
    CUpti_GetSassToSourceCorrelationParams params{};
    params.size = CUpti_GetSassToSourceCorrelationParamsSize;
    params.cubin = cubin_.data();
    params.cubinSize = cubin_.size();
    params.functionName = function_.c_str();
    params.pcOffset = offset;
    int line = 0;
    if (cupti_.source_place(&params) == CUPTI_SUCCESS && params.fileName != nullptr &&
        std::string_view(params.fileName).ends_with(".cu")) {
      line = static_cast<int>(params.lineNumber);
    }
    std::free(params.fileName);  // NOLINT(cppcoreguidelines-no-malloc): CUPTI's
    std::free(params.dirName);   // NOLINT(cppcoreguidelines-no-malloc)
    return lines_[offset] = line;
  }

  const CuptiSampling& cupti_;
  std::span<const std::byte> cubin_;
  std::string function_;
  std::map<std::uint64_t, int> lines_;
};

LineProfile line_profile(const std::string& kernel, int line,
                         const std::map<std::string, double>& reasons, double total) {
  LineProfile profile;
  profile.kernel = kernel;
  profile.line = line;
  profile.metrics = {
      {metric_names::kLineSamplesPct, 100 * all_samples(reasons) / total, "percent"}};
  std::vector<std::pair<std::string, double>> ranked;
  for (const auto& reason : reasons) {
    if (!repeats_another(reason.first)) ranked.push_back(reason);
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  ranked.resize(std::min(ranked.size(), kMostReasons));
  for (auto& [reason, count] : ranked) {
    profile.metrics.push_back({std::move(reason), count, "count"});
  }
  return profile;
}

}  // namespace

void PcSampling::Buffer::reserve(std::size_t most_records, std::size_t most_reasons) {
  records.assign(most_records, CUpti_PCSamplingPCData{});
  reasons.assign(most_records * most_reasons, CUpti_PCSamplingStallReason{});
  for (std::size_t i = 0; i < most_records; ++i) {
    records[i].size = sizeof(CUpti_PCSamplingPCData);
    records[i].stallReason = &reasons[i * most_reasons];
  }
  data.size = sizeof(CUpti_PCSamplingData);
  data.collectNumPcs = most_records;
  data.pPcData = records.data();
}

Result<void> PcSampling::check(CUptiResult code, std::string_view where,
                               bool& permission_refused) const {
  if (code == CUPTI_SUCCESS) return {};
  permission_refused = permission_refused || is_permission_error(code);
  return fail(cupti_error(cupti_.result_string, code, where));
}

Result<std::unique_ptr<PcSampling>> PcSampling::enable(const CuptiSampling& cupti, double run_ns,
                                                       bool& permission_refused) {
  std::unique_ptr<PcSampling> sampling(new PcSampling(cupti));
  sampling->context_ = current_context();
  if (sampling->context_ == nullptr) {
    return fail(Errc::unavailable, "PC sampling needs a CUDA context");
  }
  CUpti_PCSamplingEnableParams params{};
  params.size = CUpti_PCSamplingEnableParamsSize;
  params.ctx = sampling->context_;
  WARPMIND_CHECK(
      sampling->check(cupti.enable(&params), "cuptiPCSamplingEnable", permission_refused));
  sampling->enabled_ = true;
  WARPMIND_CHECK(sampling->read_reasons(permission_refused));
  sampling->kept_.reserve(kRecords, sampling->indices_.size());
  sampling->read_.reserve(kRecords, sampling->indices_.size());
  WARPMIND_CHECK(sampling->configure(run_ns, permission_refused));
  return sampling;
}

PcSampling::~PcSampling() {
  if (!enabled_) return;
  CUpti_PCSamplingDisableParams params{};
  params.size = CUpti_PCSamplingDisableParamsSize;
  params.ctx = context_;
  (void)cupti_.disable(&params);
}

Result<void> PcSampling::read_reasons(bool& permission_refused) {
  std::size_t count = 0;
  CUpti_PCSamplingGetNumStallReasonsParams number{};
  number.size = CUpti_PCSamplingGetNumStallReasonsParamsSize;
  number.ctx = context_;
  number.numStallReasons = &count;
  WARPMIND_CHECK(
      check(cupti_.reason_count(&number), "cuptiPCSamplingGetNumStallReasons", permission_refused));
  indices_.resize(count);
  std::vector<std::array<char, CUPTI_STALL_REASON_STRING_SIZE>> texts(count);
  std::vector<char*> pointers(count);
  for (std::size_t i = 0; i < count; ++i) pointers[i] = texts[i].data();
  CUpti_PCSamplingGetStallReasonsParams all{};
  all.size = CUpti_PCSamplingGetStallReasonsParamsSize;
  all.ctx = context_;
  all.numStallReasons = count;
  all.stallReasonIndex = indices_.data();
  all.stallReasons = pointers.data();
  WARPMIND_CHECK(check(cupti_.reasons(&all), "cuptiPCSamplingGetStallReasons", permission_refused));
  for (std::size_t i = 0; i < count; ++i) names_[indices_[i]] = texts[i].data();
  return {};
}

Result<void> PcSampling::configure(double run_ns, bool& permission_refused) {
  std::array<CUpti_PCSamplingConfigurationInfo, 6> settings{};
  settings[0].attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_STALL_REASON;
  settings[0].attributeData.stallReasonData.stallReasonCount = indices_.size();
  settings[0].attributeData.stallReasonData.pStallReasonIndex = indices_.data();
  settings[1].attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD;
  settings[1].attributeData.samplingPeriodData.samplingPeriod = period_for(run_ns);
  settings[2].attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_HARDWARE_BUFFER_SIZE;
  settings[2].attributeData.hardwareBufferSizeData.hardwareBufferSize = kHardwareBuffer;
  settings[3].attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_COLLECTION_MODE;
  settings[3].attributeData.collectionModeData.collectionMode =
      CUPTI_PC_SAMPLING_COLLECTION_MODE_CONTINUOUS;
  settings[4].attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_ENABLE_START_STOP_CONTROL;
  settings[4].attributeData.enableStartStopControlData.enableStartStopControl = 1;
  settings[5].attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER;
  settings[5].attributeData.samplingDataBufferData.samplingDataBuffer = &kept_.data;
  CUpti_PCSamplingConfigurationInfoParams params{};
  params.size = CUpti_PCSamplingConfigurationInfoParamsSize;
  params.ctx = context_;
  params.numAttributes = settings.size();
  params.pPCSamplingConfigurationInfo = settings.data();
  return check(cupti_.configure(&params), "cuptiPCSamplingSetConfigurationAttribute",
               permission_refused);
}

void PcSampling::take(const Buffer& buffer, FunctionSamples& samples) const {
  for (std::size_t i = 0; i < std::min(buffer.data.totalNumPcs, buffer.records.size()); ++i) {
    const CUpti_PCSamplingPCData& record = buffer.records[i];
    if (record.functionName == nullptr) continue;
    PcSamples& one = samples[record.functionName].emplace_back();
    one.offset = record.pcOffset;
    for (std::size_t k = 0; k < record.stallReasonCount; ++k) {
      const CUpti_PCSamplingStallReason& reason = record.stallReason[k];
      const auto name = names_.find(reason.pcSamplingStallReasonIndex);
      if (name == names_.end() || reason.samples == 0) continue;
      one.reasons[name->second] += reason.samples;
    }
  }
}

Result<FunctionSamples> PcSampling::collect(const std::function<Result<void>()>& run) {
  bool permission_refused = false;  // was granted when sampling was enabled
  CUpti_PCSamplingStartParams start{};
  start.size = CUpti_PCSamplingStartParamsSize;
  start.ctx = context_;
  WARPMIND_CHECK(check(cupti_.start(&start), "cuptiPCSamplingStart", permission_refused));
  const auto ran = run();
  CUpti_PCSamplingStopParams stop{};
  stop.size = CUpti_PCSamplingStopParamsSize;
  stop.ctx = context_;
  const CUptiResult stopped = cupti_.stop(&stop);
  if (!ran) return fail(ran.error());
  WARPMIND_CHECK(check(stopped, "cuptiPCSamplingStop", permission_refused));
  FunctionSamples samples;
  for (int reads = 0; reads < kMostReads; ++reads) {
    CUpti_PCSamplingGetDataParams params{};
    params.size = CUpti_PCSamplingGetDataParamsSize;
    params.ctx = context_;
    params.pcSamplingData = &read_.data;
    WARPMIND_CHECK(check(cupti_.data(&params), "cuptiPCSamplingGetData", permission_refused));
    take(read_, samples);
    if (read_.data.remainingNumPcs == 0) break;
  }
  return samples;
}

std::vector<LineProfile> lines_of(const CuptiSampling& cupti, const FunctionSamples& samples,
                                  std::span<const std::byte> cubin,
                                  const std::set<std::string>& kernels) {
  using Line = std::pair<std::string, int>;
  std::map<Line, std::map<std::string, double>> lines;
  double total = 0;
  for (const auto& [function, instructions] : samples) {
    if (!kernels.contains(function)) continue;
    LineFinder finder(cupti, cubin, function);
    for (const PcSamples& one : instructions) {
      total += all_samples(one.reasons);
      const int line = finder.line_at(one.offset);
      if (line == 0) continue;
      for (const auto& [reason, count] : one.reasons) lines[{function, line}][reason] += count;
    }
  }
  std::vector<std::pair<Line, std::map<std::string, double>>> ranked(lines.begin(), lines.end());
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) {
    return all_samples(a.second) > all_samples(b.second);
  });
  ranked.resize(std::min(ranked.size(), kMostLines));
  std::vector<LineProfile> profiles;
  profiles.reserve(ranked.size());
  for (const auto& [line, reasons] : ranked) {
    profiles.push_back(line_profile(line.first, line.second, reasons, total));
  }
  return profiles;
}

}  // namespace warpmind::profilers
