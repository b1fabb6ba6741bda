#pragma once
/// \file
/// Follows every operation of libtorch between begin() and end(), and does it in float64 as well.
/// Inputs of the kernel are rounded as the kernel gets them, whatever they were computed from.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <torch/torch.h>
#include <vector>

namespace level1_strict {

/// In order of creation; operations are the same in each run of a driver.
using TensorNumbers = std::set<std::int64_t>;

/// `rounded`: tensors whose float64 value is that of the tensor itself. Without `in_float64`
/// tensors are only numbered.
void begin_shadow(TensorNumbers rounded, bool in_float64);
/// Lets go of all tensors.
void end_shadow();

/// While it lives, operations are our own and are not followed.
class Unfollowed {
 public:
  Unfollowed();

 private:
  c10::impl::ExcludeDispatchKeyGuard guard_;
};

/// Numbers of those whose data lie at `data`.
[[nodiscard]] TensorNumbers numbers_at(const void* data);
/// The first tensor whose data lie at `data`; undefined when there is none.
[[nodiscard]] torch::Tensor tensor_at(const void* data);
/// From here on, what is computed from the data at `output` is the candidate's.
void mark_output(const void* output);
[[nodiscard]] bool is_of_output(const torch::Tensor& tensor);
/// Nullopt when the tensor was not computed by followed operations.
[[nodiscard]] std::optional<torch::Tensor> exact_of(const torch::Tensor& tensor);
/// The first operation that has no float64; empty = none failed.
[[nodiscard]] std::string shadow_problem();

}  // namespace level1_strict
