#pragma once
/// \file
/// How often the threads of a launch execute each instruction, found from integers alone: no
/// floating-point number is computed and no memory is read.

#include "base/model/launch_shape.h"
#include "base/result.h"
#include "profilers/simulator/ptx/syntax.h"

#include <cstdint>
#include <string>
#include <vector>

namespace warpmind::profilers {

struct WalkLaunch : LaunchShape {
  /// The parameter block. A pointer may be any address with its alignment that differs from the
  /// others'.
  std::vector<std::uint8_t> parameters;
};

/// `flops`: a condition that is not known may be passed where no floating-point operation depends
/// on it; other instructions are then not counted exactly.
enum class WalkGoal : std::uint8_t { everything, flops };

/// Beside Function::body: threads that execute the statement, its guard considered.
struct WalkCounts {
  std::vector<double> executions;
  bool sampled = false;     ///< not every thread was walked
  bool only_flops = false;  ///< a condition was passed: WalkGoal::flops
  /// Empty: the counts are exact (those of walked blocks). Else what decides and cannot be known:
  /// "line 12: the branch depends on loaded values"; the counts mean nothing then.
  std::string undecided;
};

/// Steps of all threads together after which only some blocks are walked; a walk that takes eight
/// times as many ends undecided. About a second.
inline constexpr std::uint64_t kWalkSteps = 50'000'000;

/// Errors: invalid_argument for a function that jumps by a table, calls, or is too large.
[[nodiscard]] Result<WalkCounts> walk_threads(const simulator::ptx::Function& function,
                                              const WalkLaunch& launch,
                                              std::uint64_t most_steps = kWalkSteps,
                                              WalkGoal goal = WalkGoal::everything);

}  // namespace warpmind::profilers
