#pragma once
/// \file
/// Which of a device's arithmetic rates bounds a task.

#include "base/model/device.h"
#include "base/model/task.h"

#include <string_view>

namespace warpmind {

struct ArithmeticPeak {
  double tflops = 0;      ///< 0 = the device table does not know it
  std::string_view name;  ///< for a person: "FP32", "FP16 tensor cores"
};

/// By the widest type that the task computes in, and whether its contract lets tensor cores do it:
/// 16-bit inputs of a contraction, and 32-bit ones where TF32 is allowed.
[[nodiscard]] ArithmeticPeak arithmetic_peak(const Task& task, const DeviceSpec& device);

}  // namespace warpmind
