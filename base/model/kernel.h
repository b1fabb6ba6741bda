#pragma once
/// \file
/// A kernel: device source, launch plan, build options. The thing that proposers edit.

#include "base/ids.h"
#include "base/model/dtype.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace warpmind {

/// How much of a candidate is code of its author's (DESIGN 6).
enum class Tier {
  a,  ///< device source and launch plan; our own code launches
  b,  ///< host entry `extern "C" int NAME(<args in declared order>, cudaStream_t)` in a shared
      ///< object
  c,  ///< whole program
};
WARPMIND_ENUM_NAMES(Tier, {Tier::a, "a"}, {Tier::b, "b"}, {Tier::c, "c"});

/// Device memory that the plan needs besides the task's arguments.
struct ScratchBuffer {
  std::string name;
  Dtype dtype = Dtype::f32;
  std::string elements;  ///< expression
  bool zeroed = false;   ///< filled with zeros before every run of the plan
  bool operator==(const ScratchBuffer&) const = default;
};

/// One launch. Expressions may use the workload's sizes, the plan's constants, and in `grid` and
/// `shared_bytes` also `block_x`, `block_y`, `block_z`.
struct Launch {
  std::string kernel;  ///< `extern "C"` name of the `__global__` function
  std::array<std::string, 3> grid{"1", "1", "1"};   ///< blocks
  std::array<std::string, 3> block{"1", "1", "1"};  ///< threads
  std::string shared_bytes = "0";                   ///< dynamic shared memory
  /// In the order of the kernel's parameters: a task argument, a scratch buffer, or a scalar
  /// `<dtype>:<expression>` such as `i32:rows*2`.
  std::vector<std::string> arguments;
  /// All blocks run side by side, so they may wait for each other; the device must hold the grid.
  bool cooperative = false;
  bool operator==(const Launch&) const = default;
};

struct LaunchPlan {
  std::map<std::string, std::int64_t, std::less<>>
      constants;  ///< also given to nvcc as -DNAME=value
  std::vector<ScratchBuffer> scratch;
  std::vector<Launch> launches;  ///< run in order on one stream
  bool operator==(const LaunchPlan&) const = default;
};

struct Kernel {
  Tier tier = Tier::a;
  std::string source;                    ///< CUDA C++, one translation unit
  LaunchPlan plan;                       ///< tier A
  std::string entry;                     ///< tier B: name of the host function
  std::vector<std::string> build_flags;  ///< from the allow-list of profilers/toolchain
  bool operator==(const Kernel&) const = default;
};

/// Content address: equal source, plan, tier, entry and flags give the same id.
[[nodiscard]] KernelId id_of(const Kernel& kernel);

}  // namespace warpmind
