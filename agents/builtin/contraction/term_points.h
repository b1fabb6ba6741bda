#pragma once
/// \file
/// Outputs and terms of a contraction at which its code is probed.

#include "agents/builtin/contraction/contraction.h"

#include <random>

namespace warpmind::agents::builtin {

/// An output and a term of it.
struct TermPoint {
  std::vector<std::int64_t> digits;
  std::vector<std::int64_t> terms;  ///< iteration of each level
};

/// Draws points from a fixed seed. Reads axes, loops and trip counts of `contraction` as far as
/// they are known; scene and contraction must outlive it.
class TermPoints {
 public:
  TermPoints(const Scene& scene, const Contraction& contraction);

  [[nodiscard]] const std::vector<KernelProber>& probers() const { return probers_; }
  /// In [0, extent); near the ends, half of them are an end, where conditions change.
  [[nodiscard]] std::int64_t draw(std::int64_t extent);
  /// The last output and the last term, or a random one: by turns anywhere and near the ends.
  [[nodiscard]] TermPoint draw_point(std::size_t launch, bool last = false);

  [[nodiscard]] ThreadPosition thread_of(const TermPoint& point, std::size_t launch) const;
  [[nodiscard]] Iterations iterations_of(const TermPoint& point) const;
  [[nodiscard]] Probe probe(NodeId node, const TermPoint& point, std::size_t launch) const;
  [[nodiscard]] std::optional<Access> access(NodeId node, const TermPoint& point,
                                             std::size_t launch) const;

 private:
  const Contraction* contraction_;
  std::vector<KernelProber> probers_;
  std::mt19937_64 generator_;
  bool near_ends_ = false;
};

}  // namespace warpmind::agents::builtin
