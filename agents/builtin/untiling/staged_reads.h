#pragma once
/// \file
/// A kernel that copies to arrays of shared memory what its threads then read there, written so
/// that they read it where it was copied from. What comes out is a proposal: it has to be compared
/// with the given kernel (untiling/same_blocks.h).

#include "agents/builtin/loops/kernel_body.h"
#include "agents/builtin/scene.h"

#include <string>
#include <utility>
#include <vector>

namespace warpmind::agents::builtin {

struct StagingChoice {
  bool drops_fills = false;   ///< without the conditions behind which a tile holds zeros
  bool in_one_index = false;  ///< of several that number a tile's elements, one takes all
  bool of_threads = false;    ///< the arrays of single threads, not those in shared memory
  /// Of what has to be below a bound, that it has to be 0 or more as well: where each edge of a
  /// tile has a store of its own, one of them stands for all.
  bool at_both_ends = false;
};

struct PlainReads {
  std::string source;
  std::vector<std::string> arrays;  ///< that are gone
  bool by_steps = false;            ///< a loop filled and read them anew each time
  /// Of the conditions that were left out: `left < right`, as text in the plain loop.
  std::vector<std::pair<std::string, std::string>> bounds;
};

/// Errors: not_found with one clause that says what stands in the way.
[[nodiscard]] Result<PlainReads> with_plain_reads(const CudaSource& source,
                                                  const Function& function,
                                                  const SceneLaunch& launch,
                                                  const StagingChoice& choice);

/// The source without statements of `function` that have no effect any more: `gone` ones, and what
/// only served them. `texts` replace expressions.
[[nodiscard]] std::string without_dead_code(const KernelBody& body, const std::vector<NodeId>& gone,
                                            std::vector<TextEdit> texts);

}  // namespace warpmind::agents::builtin
