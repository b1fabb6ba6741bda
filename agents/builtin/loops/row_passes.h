#pragma once
/// \file
/// A kernel whose blocks pass over a long row several times: sums first, what is made of them last.
/// The passes may run as launches of their own, in which several blocks share a row.

#include "agents/builtin/loops/parallel_loop.h"
#include "agents/builtin/scene.h"

#include <string>
#include <vector>

namespace warpmind::agents::builtin {

/// Loops that stand side by side and do not use each other's results.
struct SumPass {
  std::vector<LoopFacts> loops;
  std::vector<Reduction> sums;
};

struct RowPasses {
  std::vector<SumPass> sums;            ///< in order
  std::vector<LoopFacts> last;          ///< loops that only store
  std::vector<NodeId> first_part_only;  ///< other statements that store
  std::string refusal;                  ///< one clause; empty: the passes may be launched apart
};

[[nodiscard]] RowPasses find_row_passes(const Scene& scene, const KernelBody& body);

/// What surrounds the text of a pass.
struct PassText {
  std::int64_t parts = 8;
  std::string part;       ///< number of the part: "blockIdx.y"
  std::string row_index;  ///< number of the block among those of one part
  std::string thread;     ///< number of the thread in its block
  std::int64_t threads = 1;
};

/// The body of the launch that computes sums[pass], or of the last one when there is no such pass.
/// Parameters of the sums are called wm_parts_1, wm_parts_2 … over all passes.
[[nodiscard]] std::string pass_body(const KernelBody& body, const RowPasses& passes,
                                    std::size_t pass, const PassText& text);

}  // namespace warpmind::agents::builtin
