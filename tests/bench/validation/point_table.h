#pragma once
/// \file
/// The points of tests/bench/validation/points.toml: one kernel, built one way, at one size.

#include "base/enum_names.h"
#include "base/model/kernel.h"
#include "base/plan_evaluation.h"
#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace warpmind::validation {

/// What a buffer holds before a launch.
enum class Fill {
  zero,
  uniform,  ///< f16 and f32 in [-1, 1), exact multiples of 2^-10 and 2^-23
  below,    ///< u32 below a limit
  cycle,    ///< u32: following the values visits every index once before it comes back
};

struct Buffer {
  std::string name;
  Dtype dtype = Dtype::f32;
  std::int64_t elements = 0;
  Fill fill = Fill::zero;
  std::int64_t limit = 0;  ///< of Fill::below
  bool output = false;     ///< the kernel writes it, and its sum is compared
  bool operator==(const Buffer&) const = default;
};

struct Point {
  std::string id;      ///< family/variant/size
  std::string family;  ///< the task: times are compared within it
  std::string group;   ///< points of one group and size compute the same
  std::string size;
  std::string file;   ///< kernels/FILE.cu
  std::string build;  ///< FILE with the constants: name of the cubin and PTX, without the ending
  std::string kernel;
  LaunchPlan plan;  ///< constants and the one launch
  Sizes sizes;
  LaunchShape launch;
  std::vector<Buffer> buffers;
};

/// Errors: invalid_argument as `file:line:column: …`; not_found.
[[nodiscard]] Result<std::vector<Point>> read_points(const std::filesystem::path& file);

/// Index into `point.buffers` of the launch argument, or -1 for a scalar.
[[nodiscard]] int buffer_of_argument(const Point& point, const std::string& argument);

/// Device memory that the buffers take together.
[[nodiscard]] std::int64_t bytes_of_buffers(const Point& point);

}  // namespace warpmind::validation

namespace warpmind {
using validation::Fill;
WARPMIND_ENUM_NAMES(Fill, {Fill::zero, "zero"}, {Fill::uniform, "uniform"}, {Fill::below, "below"},
                    {Fill::cycle, "cycle"});
}  // namespace warpmind
