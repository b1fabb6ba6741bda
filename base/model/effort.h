#pragma once
/// \file
/// How much the lab spends on one kernel before it says `improved`.

#include "base/enum_names.h"

namespace warpmind {

/// docs/lab.md has the table of what each level runs.
enum class Effort {
  quick,   ///< fewer seeds, no hidden cases, no sanitizer; for sketches, marked on the verdict
  normal,  ///< every stage of DESIGN 7; sanitizer memcheck on finalists
  strict,  ///< more seeds, all four sanitizer tools, metamorphic relations at every workload
};
WARPMIND_ENUM_NAMES(Effort, {Effort::quick, "quick"}, {Effort::normal, "normal"},
                    {Effort::strict, "strict"});

}  // namespace warpmind
