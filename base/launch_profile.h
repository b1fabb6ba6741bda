#pragma once
/// \file
/// Launches of a profile as rows of a table, and the launches of two profiles beside each other.
/// Every reader that holds two profiles against each other pairs their launches here.

#include "base/enum_names.h"
#include "base/model/profile.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace warpmind {

/// Below this share of its peak the busiest pipe does not limit a launch: latency does. The rule of
/// Nsight Compute's "speed of light" section.
inline constexpr double kLatencyBoundBelowPercent = 60;

/// What a person looks at first. The metrics behind it stay in KernelProfile.
struct LaunchRow {
  std::string kernel;           ///< the linker's name
  std::string name;             ///< the same for a person: "scale<float>"
  double time_share = 1;        ///< of the plan's time, 0 … 1
  double time_ns = 0;           ///< 0 = not known, as below
  std::optional<double> bytes;  ///< that passed `memory`, reads and writes
  std::string memory;           ///< "DRAM"; "L2" where the data was in it; "requested" by threads
  double gb_per_s = 0;
  std::optional<double> flops;
  double gflop_per_s = 0;
  std::string limited_by;    ///< `pipe`, or "latency" when that is not busy; empty = not known
  std::string pipe;          ///< the busiest: "DRAM", "caches", "tensor cores", "SM", "atomics"
  double pipe_percent = 0;   ///< of its peak
  std::string stall;         ///< what its warps wait for most; empty = not known
  double stall_percent = 0;  ///< of the samples, or of the cycles that were counted by line
  int line = 0;              ///< where they wait for that most; 0 = not known
  MetricOrigin stall_origin = MetricOrigin::measured;  ///< measured: sampled on the GPU
  bool operator==(const LaunchRow&) const = default;
};

/// That passed L2, reads and writes, as L2 itself counts them. Where nobody counted its writes (the
/// simulator, older records) the stores of L1 stand in, which writes through; they lack spills.
/// nullopt = not counted.
[[nodiscard]] std::optional<double> l2_bytes(const KernelProfile& launch);

/// Sectors that a warp's request of one line touches, and those that would hold what it asks for.
struct LineSectors {
  double each = 0;
  double needed = 4;  ///< of 4-byte elements where nobody counted, as in older records
  [[nodiscard]] bool is_uncoalesced() const { return each > 2 * needed; }
};
/// nullopt = not counted, or no request.
[[nodiscard]] std::optional<LineSectors> line_sectors(const LineProfile& line);

[[nodiscard]] LaunchRow launch_row(const Profile& profile, const KernelProfile& launch);

/// Why two launches stand beside each other.
enum class PairedBy {
  none,       ///< the launch has no counterpart
  kernel,     ///< the same kernel, or another instance of the same template
  time_share  ///< another kernel that takes a like share of the time
};
WARPMIND_ENUM_NAMES(PairedBy, {PairedBy::none, "none"}, {PairedBy::kernel, "kernel"},
                    {PairedBy::time_share, "time_share"});

/// At least one of the two is set.
struct LaunchPair {
  const KernelProfile* before = nullptr;
  const KernelProfile* after = nullptr;
  PairedBy by = PairedBy::none;
};

/// Every launch of both plans, each once, the most time first. Launches of one kernel are paired
/// with each other, the longest with the longest; of the others, those whose shares of the time
/// are within a factor of four. Positions in the plans decide nothing.
[[nodiscard]] std::vector<LaunchPair> pair_launches(std::span<const KernelProfile> before,
                                                    std::span<const KernelProfile> after);

/// Of the pairs with both sides, the one that takes the most time; nullopt when there is none.
[[nodiscard]] std::optional<LaunchPair> main_pair(std::span<const KernelProfile> before,
                                                  std::span<const KernelProfile> after);

/// A pair as rows.
struct LaunchChange {
  std::optional<LaunchRow> before;
  std::optional<LaunchRow> after;
  PairedBy paired_by = PairedBy::none;
  bool operator==(const LaunchChange&) const = default;
};

/// `before` may be null: then every launch of `after` stands alone.
[[nodiscard]] std::vector<LaunchChange> launch_changes(const Profile* before, const Profile& after);

}  // namespace warpmind
