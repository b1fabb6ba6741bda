#pragma once
/// \file
/// What a driver of the suite calls in place of its launcher, torch::allclose and manual_seed.
/// Compiled by strict_drivers.py against libtorch; no part of the build.

#include <cstdint>
#include <functional>
#include <torch/torch.h>
#include <type_traits>
#include <vector>

namespace level1_strict {

template <class Value>
const void* pointer_of(const Value& value) {
  if constexpr (std::is_pointer_v<Value>) {
    return value;
  } else {
    return nullptr;  // a number or a flag
  }
}

/// `launch` may be called several times; the first of `pointers` is the output.
void run_launcher(const std::vector<const void*>& pointers, const std::function<void()>& launch);

template <class... Parameters, class... Arguments>
void launch(void (*launcher)(Parameters...), const Arguments&... arguments) {
  run_launcher({pointer_of(arguments)...},
               [&] { launcher(static_cast<Parameters>(arguments)...); });
}

/// Judges, and answers as torch::allclose does.
bool allclose(const torch::Tensor& a, const torch::Tensor& b, double rtol = 1e-5,
              double atol = 1e-8, bool equal_nan = false);

/// Seeds are ours.
inline void manual_seed(std::uint64_t) {}

}  // namespace level1_strict

int level1_driver_main();
