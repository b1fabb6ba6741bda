#pragma once
/// \file
/// The CUDASIM_* environment variables of the drop-in runtime (docs/simulator.md).

#include "base/result.h"
#include "profilers/simulator/exec/launch.h"

#include <functional>
#include <optional>
#include <string>

namespace warpmind::simulator {

struct RuntimeSettings {
  std::string device = "h200";  ///< row of the device table
  LaunchOptions launch;         ///< checks, order, steps
  bool profile = false;         ///< no checks; a wave with caches after each launch
  bool sample = false;          ///< with `profile`: at most kSampledBlocks of a grid
  bool print = false;           ///< findings on stderr
  std::string report;           ///< file name, or "fd:N"; empty = none
  std::string trace;            ///< file name of a launch record; empty = none
  bool contents = false;        ///< with it, what buffers hold when launches get them
  std::string kernels;          ///< file name of a kernel record; empty = none
  bool null_kernels = false;    ///< launches do nothing
  double time_scale = 1;        ///< how many times their predicted time launches take
};

/// Blocks that a sampled launch runs.
inline constexpr std::uint64_t kSampledBlocks = 64;

/// Value of a variable; nullopt = not set.
using Environment = std::function<std::optional<std::string>(const char* name)>;
[[nodiscard]] Environment process_environment();

/// Errors: invalid_argument naming the variable, its value and what is allowed.
[[nodiscard]] Result<RuntimeSettings> read_runtime_settings(const Environment& environment);

}  // namespace warpmind::simulator
