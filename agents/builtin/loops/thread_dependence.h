#pragma once
/// \file
/// Which values and which ways through a kernel are the same for all threads of a block, or of the
/// grid. Syntax alone; in doubt they are not.

#include "agents/builtin/loops/kernel_body.h"

#include <vector>

namespace warpmind::agents::builtin {

enum class AmongThreads { of_a_block, of_the_grid };

/// `body` must outlive it.
class ThreadDependence {
 public:
  explicit ThreadDependence(const KernelBody& body, AmongThreads among = AmongThreads::of_a_block);

  /// Whether those threads may find different values.
  [[nodiscard]] bool depends(NodeId expression) const;
  /// Whether a condition or loop around it may be decided differently; returns are not looked at.
  [[nodiscard]] bool is_under_choice(NodeId node) const;
  /// Whether all threads of a block get to that statement, or none: conditions around it, and
  /// those of earlier returns.
  [[nodiscard]] bool is_reached_together(NodeId statement) const;

 private:
  [[nodiscard]] bool depends_alone(NodeId node) const;
  [[nodiscard]] bool changes(const Local& local) const;
  [[nodiscard]] bool is_varying(const Local* local) const;

  const KernelBody& body_;
  AmongThreads among_;
  std::vector<const Local*> varying_;
};

}  // namespace warpmind::agents::builtin
