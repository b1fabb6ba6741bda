#pragma once
/// \file
/// Whether it matters which lane of a group ran which iteration of a shared loop.

#include "agents/builtin/loops/strided_loop.h"

#include <string>

namespace warpmind::agents::builtin {

/// The reduced variable whose values are not seen to be combined over the lanes behind the loop:
/// iterations must stay with their lanes then. Empty: there is none.
[[nodiscard]] std::string kept_by_lanes(const KernelBody& body, const StridedLoop& loop,
                                        const LoopFacts& facts);

}  // namespace warpmind::agents::builtin
