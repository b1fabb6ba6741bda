#pragma once
/// \file
/// What a kernel does with a pointer parameter.

#include "agents/builtin/syntax.h"

namespace warpmind::agents::builtin {

struct PointerUse {
  bool reads = false;
  bool writes = false;
};

/// From the places where the name stands: `p[i] = x` and `*p = x` write, other subscripts read. A
/// pointer that is passed on, copied or moved may do both, unless what it points to is const.
[[nodiscard]] PointerUse use_of(const CudaSource& source, const Function& kernel,
                                const Parameter& parameter);

}  // namespace warpmind::agents::builtin
