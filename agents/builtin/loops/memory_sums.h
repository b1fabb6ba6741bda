#pragma once
/// \file
/// Sums that a loop keeps in memory: `out[i] += x[k]`.

#include "agents/builtin/loops/parallel_loop.h"

#include <vector>

namespace warpmind::agents::builtin {

/// Keeps the first such place in a variable from the statement that first touches it to the last
/// one, where nothing in between can meet it in another way. Empty: there is none.
[[nodiscard]] std::vector<TextEdit> memory_sum_in_variable(const KernelBody& body,
                                                           const BufferNames& buffer);

/// A place that a loop of the kernel adds to, as written; empty: none.
[[nodiscard]] std::string place_added_to(const KernelBody& body);

}  // namespace warpmind::agents::builtin
