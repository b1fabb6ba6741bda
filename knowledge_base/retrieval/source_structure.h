#pragma once
/// \file
/// What the statements of CUDA source do: loops, memory spaces, indices, conditions. A light
/// reading without types or macros; names are followed within one function. Private to code
/// features.

#include "knowledge_base/retrieval/source_tokens.h"

#include <map>
#include <string>

namespace warpmind::knowledge_base {

struct SourceStructure {
  int deepest_loop = 0;                  ///< nested loops
  std::map<std::string, double> counts;  ///< "loads.global", "barriers_in_loops", …
};

[[nodiscard]] SourceStructure structure_of(const SourceTokens& source);

}  // namespace warpmind::knowledge_base
