#pragma once
/// \file
/// What is counted of a kernel's code and of its launches, but for the counts themselves.

#include "base/enum_names.h"
#include "base/model/launch_shape.h"

#include <cstdint>
#include <string>
#include <vector>

namespace warpmind {

enum class CountSource : std::uint8_t { ptx, sass };
WARPMIND_ENUM_NAMES(CountSource, {CountSource::ptx, "ptx"}, {CountSource::sass, "sass"});

/// Where a loop stands. A loop without the loops in it is a region; the first region of a kernel is
/// what lies outside loops.
struct LoopPlace {
  std::int64_t parent = -1;
  std::int64_t first_line = 0;  ///< 0 = unknown (machine code has none here)
  std::int64_t last_line = 0;

  static void describe(auto& self, auto& field) {
    field.required("parent", self.parent, "index of the region around it; -1: not in a loop");
    field.required("first_line", self.first_line);
    field.required("last_line", self.last_line);
  }
};

/// A kernel's code by region; a region is a LoopPlace with counts of one thread and one pass.
template <class Region>
struct KernelCount {
  std::string kernel;
  CountSource source = CountSource::ptx;
  std::vector<Region> regions;
  /// What the counts do not show: subroutines, instructions that the table lacks.
  std::vector<std::string> notes;

  static void describe(auto& self, auto& field) {
    field.required("kernel", self.kernel);
    field.required("source", self.source, "\"ptx\" or \"sass\"");
    field.required("regions", self.regions);
    field.required("notes", self.notes);
  }
};

/// A launch whose operations are counted.
struct LaunchToCount : LaunchShape {
  std::string kernel;
  bool sampled = false;    ///< some threads were counted, the others estimated
  bool simulated = false;  ///< executed by the simulator, not walked
  std::string undecided;   ///< why there are no counts; empty = there are

  static void describe(auto& self, auto& field) {
    field.required("kernel", self.kernel);
    field.required("sampled", self.sampled);
    field.required("simulated", self.simulated);
    field.required("undecided", self.undecided);
    field.required("grid", self.grid);
    field.required("block", self.block);
  }
};

}  // namespace warpmind
