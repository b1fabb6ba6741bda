#pragma once
/// \file
/// What one episode has tried, as a graph: kernels are nodes, edits are edges. A kernel that two
/// orders of edits lead to is one node with two edges in, and is measured once.

#include "agents/proposer.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace warpmind::agents {

using NodeIndex = std::size_t;
using EdgeIndex = std::size_t;

enum class CandidateEnd {
  measured,
  wrong,        ///< builds, and fails a check
  unbuildable,  ///< refused by the compiler
  unknown,      ///< could not be judged: no reason to build on it, and none against its move
};

/// What judging one candidate showed.
struct Judgement {
  CandidateEnd end = CandidateEnd::measured;
  double log_gain = 0;  ///< ln(time of the given kernel / time of this one); of `measured` only
  bool operator==(const Judgement&) const = default;
};

struct SearchNode {
  std::string key;  ///< same key = same kernel
  Judgement judgement;
  std::size_t depth = 0;       ///< edits from the given kernel, along the first way here
  std::vector<EdgeIndex> out;  ///< in the order they were started
  std::int64_t visits = 1;     ///< candidates judged at or below it
  EdgeIndex first_in = 0;      ///< of the first way here; meaningless for the root
};

enum class EdgeState { pending, judged, dropped };

struct SearchEdge {
  NodeIndex from = 0;
  NodeIndex to = 0;  ///< once judged
  Move move;
  EdgeState state = EdgeState::pending;
  std::int64_t visits = 0;   ///< candidates judged through it
  std::int64_t pending = 0;  ///< candidates under way through it: each counts as a loss until known
  double sum = 0;            ///< of the values of those candidates
  double best = 0;           ///< greatest of them

  [[nodiscard]] double mean() const { return visits == 0 ? 0 : sum / static_cast<double>(visits); }
};

/// What a failed candidate is worth, less than the kernel that it was made from: failing to build
/// teaches least. Source: research on stage-wise credit (EvoKernel), docs/search.md.
inline constexpr double kWrongPenalty = 0.25;
inline constexpr double kUnbuildablePenalty = 0.4;

class SearchTree {
 public:
  static constexpr NodeIndex kRoot = 0;

  explicit SearchTree(std::string root_key);

  [[nodiscard]] const std::vector<SearchNode>& nodes() const { return nodes_; }
  [[nodiscard]] const SearchNode& node(NodeIndex index) const { return nodes_[index]; }
  [[nodiscard]] const SearchEdge& edge(EdgeIndex index) const { return edges_[index]; }

  /// The kernel with this key, if it was judged.
  [[nodiscard]] std::optional<NodeIndex> find(const std::string& key) const;
  /// Whether this edit of this kernel was started, whatever came of it.
  [[nodiscard]] bool was_started(NodeIndex from, const Move& move) const;

  /// `move` on `from` is under way, chosen by following `path` (edges from the root, in order).
  EdgeIndex start(NodeIndex from, const Move& move, std::span<const EdgeIndex> path);
  /// What came of it. A kernel with a known key is that node, and keeps its first judgement.
  NodeIndex finish(EdgeIndex edge, const std::string& key, const Judgement& judgement);
  /// The edit did not apply after all: nothing was judged.
  void drop(EdgeIndex edge);

  /// The fastest right kernel; the first of equals.
  [[nodiscard]] NodeIndex best() const { return best_; }
  [[nodiscard]] double best_log_gain() const { return nodes_[best_].judgement.log_gain; }
  [[nodiscard]] std::int64_t judged() const { return judged_; }

  /// Edits from the given kernel to `node`, along the first way there.
  [[nodiscard]] std::vector<EdgeIndex> way_to(NodeIndex node) const;

 private:
  void credit(EdgeIndex edge, double value);

  std::vector<SearchNode> nodes_;
  std::vector<SearchEdge> edges_;
  std::map<std::string, NodeIndex> by_key_;
  std::map<EdgeIndex, std::vector<EdgeIndex>> paths_;  ///< of pending edges
  NodeIndex best_ = kRoot;
  std::int64_t judged_ = 0;
};

}  // namespace warpmind::agents
