#pragma once
/// \file
/// Writes a contraction as a tile template around the kernel's own index code and its own tail.

#include "agents/builtin/contraction/contraction.h"
#include "agents/builtin/contraction/separable_terms.h"

namespace warpmind::agents::builtin {

struct ContractionTile {
  int rows = 64;
  int columns = 64;
  int depth = 32;
  int threads = 128;
  int blocks_per_multiprocessor = 2;        ///< what registers must leave room for
  std::string call;                         ///< of the template, with its arguments: "wm_f<64, 64>"
  std::vector<std::string_view> templates;  ///< that define it, in this order
  int shared_bytes = 0;                     ///< dynamic
  std::string build_flag;                   ///< that it needs, or empty
  /// Columns in boxes of `wide` of the fastest axis by `tall` of the next, `repeat` to a block;
  /// `tall` 0: of neighbouring numbers. `wide` 0: no boxes.
  int wide = 0, tall = 0, repeat = 1;
  bool by_taps = false;  ///< the template takes taps and channels apart
};

/// Why the text of the kernel cannot be used so, or empty.
[[nodiscard]] std::string reason_not_to_lift(const Scene& scene, const Contraction& contraction);

/// Source and plan rewritten. Precondition: reason_not_to_lift() is empty.
[[nodiscard]] Kernel lifted_kernel(const Scene& scene, const Contraction& contraction,
                                   const ContractionTile& tile);
/// The same around gathered_contraction.cuh.
[[nodiscard]] Kernel gathered_kernel(const Scene& scene, const SeparableTerms& terms,
                                     const ContractionTile& tile);
/// As lifted_kernel(), in two launches: the first sums `splits` parts of the terms into scratch
/// memory, the second is the kernel as it was with the sum of the parts in place of its loops.
[[nodiscard]] Kernel split_kernel(const Scene& scene, const Contraction& contraction,
                                  const ContractionTile& tile, int splits);

}  // namespace warpmind::agents::builtin
