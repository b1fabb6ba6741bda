#pragma once
/// \file
/// A kernel cut at its one reduction loop: what leads to the loop, and what is made of the result.
/// Both parts are texts of the whole body, so that each computes its own indices.

#include "agents/builtin/loops/parallel_loop.h"
#include "agents/builtin/scene.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace warpmind::agents::builtin {

struct LoopSplit {
  LoopFacts facts;
  std::string refusal;  ///< one clause; empty: the loop's work may be split
};

/// The outermost loops of the body that read memory and reduce it; `refusal`, when it is empty,
/// gets the clause of the first loop that cannot be rewritten.
[[nodiscard]] std::vector<LoopFacts> outer_reductions(const Scene& scene, const KernelBody& body,
                                                      std::string& refusal);

/// The only loop of the body that reduces memory, if everything in front of it may be run again.
[[nodiscard]] LoopSplit find_loop_split(const Scene& scene, const KernelBody& body);

/// Why a split cannot be used, as a clause; nothing: it can.
using SplitRefusal = std::string (*)(const Scene& scene, const KernelBody& body,
                                     const LoopSplit& split);
using SplitUse =
    std::function<void(const KernelBody& body, const LoopSplit& split, std::size_t launch)>;
/// Calls `use` for each kernel of the plan with a split that is not refused. Returns as
/// for_each_kernel().
std::string for_each_loop_split(const Scene& scene, SplitRefusal refused, const SplitUse& use);

/// The body up to the end of the loop, in which lane `lane` of `lanes` takes every lanes-th
/// iteration; `after` stands behind it. Sums start at zero.
[[nodiscard]] std::string part_body(const KernelBody& body, const LoopSplit& split,
                                    const std::string& lane, std::int64_t lanes,
                                    const std::string& after, std::vector<TextEdit> inner);
/// The body with `instead` in place of the loop.
[[nodiscard]] std::string rest_body(const KernelBody& body, const LoopSplit& split,
                                    const std::string& instead, const std::vector<TextEdit>& inner);

/// Names of the parameters, as arguments: "x, sums, rows, columns".
[[nodiscard]] std::string argument_names(const Function& function);
/// The declarations of the parameters, as they are written.
[[nodiscard]] std::string parameter_text_of(const KernelBody& body);

}  // namespace warpmind::agents::builtin
