#include "base/arithmetic_peak.h"

#include <algorithm>

namespace warpmind {
namespace {

bool has_dtype(const Task& task, Dtype dtype) {
  return std::any_of(task.arguments.begin(), task.arguments.end(), [&](const Argument& a) {
    return a.kind != ArgumentKind::scalar && a.dtype == dtype;
  });
}

}  // namespace

ArithmeticPeak arithmetic_peak(const Task& task, const DeviceSpec& device) {
  if (has_dtype(task, Dtype::f64)) return {device.fp64_tflops, "FP64"};
  if (task.contract.tolerance != ToleranceClass::contraction) return {device.fp32_tflops, "FP32"};
  if (has_dtype(task, Dtype::f16)) return {device.fp16_tensor_tflops, "FP16 tensor cores"};
  if (has_dtype(task, Dtype::bf16)) return {device.fp16_tensor_tflops, "BF16 tensor cores"};
  if (task.contract.tf32_allowed) return {device.fp16_tensor_tflops / 2, "TF32 tensor cores"};
  return {device.fp32_tflops, "FP32"};
}

}  // namespace warpmind
