#pragma once
/// \file
/// The GPUs of this machine that CUDA would show, found without CUDA: the daemon has no context.

#include <optional>
#include <string>
#include <vector>

namespace warpmind::profilers {

/// A GPU, or a slice of one.
struct SurveyedGpu {
  std::string device;  ///< for CUDA_VISIBLE_DEVICES: "GPU-…", "MIG-…", or as that variable had it
  std::string name;    ///< "NVIDIA H200"; empty when unknown
  bool operator==(const SurveyedGpu&) const = default;
};

struct GpuSurvey {
  std::vector<SurveyedGpu> gpus;
  std::string note = {};  ///< why there are none: a sentence
};

/// Asks NVML (`library`, loaded now) for GPUs; of one that is split (MIG) come its slices.
/// `visible` is CUDA_VISIBLE_DEVICES, absent when it is not set: then only those that it names
/// come, in its order, up to the first that does not exist, as CUDA does it.
[[nodiscard]] GpuSurvey survey_gpus(const std::optional<std::string>& visible,
                                    const std::string& library = "libnvidia-ml.so.1");

/// The variable as this process has it.
[[nodiscard]] std::optional<std::string> visible_devices();

}  // namespace warpmind::profilers
