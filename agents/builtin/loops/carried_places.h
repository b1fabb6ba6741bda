#pragma once
/// \file
/// Values that a loop hands on through memory: `y[i] = y[i - 1] + x[i]`.

#include "agents/builtin/loops/parallel_loop.h"

#include <vector>

namespace warpmind::agents::builtin {

/// Hands the first such value on in a variable, where the loop meets the buffer in these two places
/// only. Bit for bit the kernel computes the same. Empty: there is none.
[[nodiscard]] std::vector<TextEdit> carried_place_in_variable(const KernelBody& body,
                                                              const BufferNames& buffer);

}  // namespace warpmind::agents::builtin
