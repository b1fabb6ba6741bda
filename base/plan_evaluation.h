#pragma once
/// \file
/// Evaluates a launch plan on one workload: grids, blocks, shared memory, scratch sizes and scalar
/// arguments become numbers, held to the limits of CUDA.

#include "base/expression.h"
#include "base/model/kernel.h"
#include "base/model/launch_shape.h"
#include "base/model/task.h"
#include "base/result.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace warpmind {

/// Limits that hold on every device of compute capability 7.0 to 12.0 (CUDA programming guide,
/// "Technical specifications per compute capability").
inline constexpr std::array<std::int64_t, 3> kGridLimits{2147483647, 65535, 65535};
inline constexpr std::array<std::int64_t, 3> kBlockLimits{1024, 1024, 64};
inline constexpr std::int64_t kThreadsPerBlockLimit = 1024;
inline constexpr std::int64_t kSharedBytesLimit = std::int64_t{227} * 1024;

/// Sizes of the workload and constants of the plan, as one set of names.
/// Errors: invalid_argument if a constant has the name of a size, or either is called block_x,
/// block_y or block_z.
[[nodiscard]] Result<Sizes> names_of(const LaunchPlan& plan, const Sizes& sizes);

/// Block first, then grid and shared_bytes, which may use block_x, block_y, block_z.
/// Errors: invalid_argument as `launch of 'k': grid y: …`, also when a limit above is passed.
[[nodiscard]] Result<LaunchShape> evaluate_launch(const Launch& launch, const LaunchPlan& plan,
                                                  const Sizes& sizes);

/// At least 1. Errors: invalid_argument as `scratch buffer 's': …`.
[[nodiscard]] Result<std::int64_t> evaluate_scratch_elements(const ScratchBuffer& scratch,
                                                             const LaunchPlan& plan,
                                                             const Sizes& sizes);

/// Whether a launch argument is a scalar such as `i32:rows*2` and not the name of a buffer.
[[nodiscard]] bool is_scalar_argument(std::string_view argument);

/// Raw little-endian bytes of a scalar launch argument `<dtype>:<expression>`; floating dtypes also
/// take a decimal literal (`f32:1e-5`). Errors: invalid_argument; also when the value does not fit.
[[nodiscard]] Result<std::string> evaluate_scalar_bytes(std::string_view dtype_and_expression,
                                                        const LaunchPlan& plan, const Sizes& sizes);

/// Raw little-endian bytes of a task argument of kind scalar.
[[nodiscard]] Result<std::string> evaluate_scalar_bytes(const Argument& argument,
                                                        const Sizes& sizes);

/// The same value as the reference sees it: rounded to the argument's dtype, as a double.
[[nodiscard]] Result<double> evaluate_scalar_value(const Argument& argument, const Sizes& sizes);

}  // namespace warpmind
