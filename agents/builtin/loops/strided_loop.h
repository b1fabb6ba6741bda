#pragma once
/// \file
/// Loops that threads share by stepping side by side: `for (i = s + threadIdx.x; …; i +=
/// blockDim.x)` and what they read and write in a row.

#include "agents/builtin/loops/parallel_loop.h"
#include "agents/builtin/scene.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpmind::agents::builtin {

/// Iteration k (from 0) is run by the lane k % lanes.
struct StridedLoop {
  CountedLoop header;
  std::string start;                       ///< as text, without the lane; the same for all lanes
  std::string lane;                        ///< "wm_lane", "threadIdx.x"; "0" of a serial loop
  std::string lanes;                       ///< "256", "blockDim.x"; "1"
  std::optional<std::int64_t> lane_count;  ///< when it is a literal

  [[nodiscard]] bool is_serial() const { return lanes == "1"; }
};

/// nullopt: it steps in another way.
[[nodiscard]] std::optional<StridedLoop> strided_loop(const Scene& scene, const KernelBody& body,
                                                      const CountedLoop& loop);

/// Whether every iteration of the loop gets to `node` once: no condition and no inner loop stands
/// between.
[[nodiscard]] bool is_met_each_time(const SyntaxTree& tree, NodeId node, NodeId loop);

/// Accesses of a loop to one place that moves by one element an iteration, which every iteration
/// meets.
struct Stream {
  std::string root;
  std::string type;           ///< of an element
  std::vector<NodeId> nodes;  ///< expressions that stand for the element
  bool loads = false;
  bool stores = false;
  NodeId pointer = kNoNode;
  NodeId index = kNoNode;

  [[nodiscard]] int element_bytes() const { return size_of_type(type); }
};

[[nodiscard]] std::vector<Stream> streams_of(const KernelBody& body, const LoopFacts& facts);

/// `&p[…]` with the loop's variable replaced by `position`.
[[nodiscard]] std::string address_of(const KernelBody& body, const CountedLoop& loop,
                                     const Stream& stream, std::string_view position);

/// The statements of the loop's body with edits, a line each, with `indent` in front.
[[nodiscard]] std::string body_text(const SyntaxTree& tree, const CountedLoop& loop,
                                    const std::vector<TextEdit>& edits, const std::string& indent);
/// Any text with another indentation.
[[nodiscard]] std::string reindented(std::string_view text, const std::string& indent);
/// The white space in front of a statement.
[[nodiscard]] std::string indentation(const SyntaxTree& tree, std::size_t at);

}  // namespace warpmind::agents::builtin
