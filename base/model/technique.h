#pragma once
/// \file
/// Technique cards and exact facts: what the seed pack brings and a user may edit.

#include "base/model/insight.h"

#include <map>
#include <string>
#include <vector>

namespace warpmind {

/// What is said of a named optimisation. `name` is the id that moves, statistics and insights use.
struct TechniqueCard {
  std::string name;   ///< "vectorized_loads"
  std::string title;  ///< "Vectorised global loads"
  std::string
      category;  ///< "memory", "parallelism", "tensor", "precision", "fusion", "control", "build"
  std::string when;
  std::string when_not;
  std::string how;
  std::vector<std::string> parameters;  ///< "block_x: 64, 128, 256, 512"
  std::string risks;
  std::map<std::string, std::string> generations;  ///< "sm_90" → note
  std::vector<std::string> aliases;                ///< names in other systems, for imports
  double typical_low = 1;                          ///< gain where it applies, as a factor; a claim
  double typical_high = 1;
  bool operator==(const TechniqueCard&) const = default;
};

struct Technique : TechniqueCard, CapabilityRange {
  std::vector<BottleneckClass> bottlenecks;  ///< that it may cure, most typical first
  std::string source;                        ///< "seed 1", "user"
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
