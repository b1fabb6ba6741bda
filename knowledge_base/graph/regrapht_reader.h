#pragma once
/// \file
/// Reads a graph in ReGraphT's form. Everything in it is somebody else's text.

#include "base/result.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::knowledge_base {

struct ForeignExample {
  std::string name;    ///< of the kernel that was optimised
  std::string think;   ///< why, in its author's words
  std::string detail;  ///< how
  bool operator==(const ForeignExample&) const = default;
};

struct ForeignEdge {
  std::size_t source = 0;  ///< index of a node
  std::size_t target = 0;
  std::vector<ForeignExample> examples;
  bool operator==(const ForeignEdge&) const = default;
};

struct ForeignGraph {
  std::vector<std::string> nodes;  ///< names by index; 0 is the initial state
  std::vector<ForeignEdge> edges;
  /// Transitions that a node's lists name and no edge describes: the program that writes this form
  /// loses the first one into each new node.
  std::size_t lost_edges = 0;
  bool operator==(const ForeignGraph&) const = default;
};

inline constexpr std::size_t kMostGraphBytes = std::size_t{64} * 1024 * 1024;
inline constexpr std::size_t kMostGraphNodes = 10'000;
inline constexpr std::size_t kMostGraphExamples = 20'000;
inline constexpr std::size_t kLongestNodeName = 100;

/// Errors: invalid_argument naming the place ("edge[3].tgt") and what is expected there.
[[nodiscard]] Result<ForeignGraph> read_regrapht(std::string_view json);

}  // namespace warpmind::knowledge_base
