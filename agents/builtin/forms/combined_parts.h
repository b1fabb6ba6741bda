#pragma once
/// \file
/// Values of single threads that a block combines into one: in a tree in shared memory, or by the
/// shuffles of one warp.

#include "agents/builtin/forms/body_queries.h"

#include <cstdint>
#include <optional>

namespace warpmind::agents::builtin {

class CombinedParts : BodyQueries {
 public:
  enum class Of { largest, sum };

  /// Of a block with so many threads along x.
  CombinedParts(const KernelBody& body, std::int64_t threads)
      : BodyQueries(body), threads_(threads) {}

  /// Every thread has its part in `part`.
  void begin(const Local& part, Of of);
  /// Whether parts wait for being combined.
  [[nodiscard]] bool are_open() const { return part_ != nullptr; }
  /// Whether `assignment` puts each thread's part into its element of a shared array, another one
  /// than `taken`.
  bool puts(NodeId assignment, const std::string& taken);
  /// Whether `loop` combines the parts of all threads.
  bool combines(NodeId loop);
  /// What `value` is once they are combined in an array; they are taken then. nullopt: not that.
  std::optional<Of> taken_by(NodeId value);
  /// The same where each thread has the result in the variable that held its part.
  std::optional<Of> taken_by_every_thread();

 private:
  [[nodiscard]] bool is_own_element(NodeId node) const;
  [[nodiscard]] bool is_element_above(NodeId node, const Local& step) const;
  [[nodiscard]] const Local* halving(NodeId loop, NodeId& first) const;
  template <class IsTarget, class IsOther>
  [[nodiscard]] bool takes_in(NodeId what, const IsTarget& is_target,
                              const IsOther& is_other) const;
  bool combines_in_tree(const std::vector<NodeId>& statements, const Local& step);
  bool combines_by_shuffles(NodeId statement, const Local& step);

  std::int64_t threads_;
  const Local* part_ = nullptr;
  Of of_ = Of::largest;
  std::string array_;      ///< that holds the parts
  bool is_whole_ = false;  ///< its first element is that of all threads
  bool is_everywhere_ = false;
};

}  // namespace warpmind::agents::builtin
