#pragma once
/// \file
/// Kernels of the shipped tasks on the CPU, in the precision that a GPU kernel would use.

#include "base/expression.h"
#include "profilers/judge/reference_library.h"
#include "tests/numerics/arithmetic.h"

#include <functional>
#include <string>
#include <vector>

namespace warpmind::numerics {

struct KernelRun {
  const Sizes& sizes;
  const profilers::Values& inputs;
  Order order = Order::sequential;
  Flaw flaw = Flaw::none;
};

/// Outputs by argument, before they are rounded to the dtype of the output.
using CpuKernel = std::function<profilers::Values(const KernelRun& run)>;

/// The kernel of the shipped task `name`; throws std::out_of_range for one that has none.
[[nodiscard]] CpuKernel cpu_kernel(const std::string& name);

}  // namespace warpmind::numerics
