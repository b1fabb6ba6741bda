#pragma once
/// \file
/// Reads what `ptxas -v` says about each `__global__` function.

#include "base/model/verdict.h"

#include <string_view>
#include <vector>

namespace warpmind::profilers {

/// In the order of the text. C++ names stay mangled. Spills of a device function that was not
/// inlined count for the `__global__` function that ptxas compiled before it. Lines of any other
/// form are skipped: the text is untrusted.
[[nodiscard]] std::vector<KernelResources> parse_ptxas_report(std::string_view text);

}  // namespace warpmind::profilers
