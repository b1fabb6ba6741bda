#pragma once
/// \file
/// Technique cards and exact facts: what the seed pack brings and a user may edit.

#include "base/model/bottleneck.h"

#include <map>
#include <string>
#include <vector>

namespace warpmind {

/// A named optimisation. `name` is the id that moves, statistics and insights use.
struct Technique {
  std::string name;   ///< "vectorized_loads"
  std::string title;  ///< "Vectorised global loads"
  std::string
      category;  ///< "memory", "parallelism", "tensor", "precision", "fusion", "control", "build"
  std::vector<BottleneckClass> bottlenecks;  ///< that it may cure, most typical first
  int capability_min = 0;                    ///< 80 = compute capability 8.0; 0 = any
  int capability_max = 0;                    ///< inclusive; 0 = any
  std::string when;
  std::string when_not;
  std::string how;
  std::vector<std::string> parameters;  ///< "block_x: 64, 128, 256, 512"
  std::string risks;
  std::map<std::string, std::string> generations;  ///< "sm_90" → note
  std::vector<std::string> aliases;                ///< names in other systems, for imports
  double typical_low = 1;                          ///< gain where it applies, as a factor; a claim
  double typical_high = 1;
  std::string source;   ///< "seed 1", "user"
  bool edited = false;  ///< by the user: an upgrade of the seed leaves it alone
  bool operator==(const Technique&) const = default;
};

/// One exact number about hardware or toolchain. Never guessed: absent means unknown.
struct Fact {
  std::string subject;  ///< "sm_90", "nvcc 13.0"
  std::string name;     ///< "shared_bytes_per_sm"
  double value = 0;
  std::string unit;
  std::string source;  ///< document and section it was read in
  std::string note = {};
  bool operator==(const Fact&) const = default;
};

}  // namespace warpmind
