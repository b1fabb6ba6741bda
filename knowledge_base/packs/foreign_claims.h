#pragma once
/// \file
/// What was read from the memory of another program, as claims of ours.

#include "base/model/insight.h"
#include "base/model/technique.h"
#include "base/result.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::knowledge_base {

class OpenBase;

struct ForeignClaims {
  std::string source;  ///< "kernelblaster:<hash of the file>"
  std::string reason;  ///< for the history: one sentence
  std::vector<Insight> insights;
  std::vector<std::string> names;  ///< of the insights in the file, for messages
};

/// Names and aliases of technique cards, in lower case, to the name.
using TechniqueNames = std::map<std::string, std::string, std::less<>>;

[[nodiscard]] TechniqueNames names_of(const std::vector<Technique>& cards);
[[nodiscard]] Result<TechniqueNames> known_techniques(const OpenBase& base);

/// The card's name for `foreign`, or `foreign` made a name ("Loop Tiling!" → "loop_tiling").
[[nodiscard]] std::string technique_named(const TechniqueNames& names, std::string_view foreign);

/// At most `most` characters, on a word's end, one line, no control characters or markup.
[[nodiscard]] std::string plain_text(std::string_view text, std::size_t most);

}  // namespace warpmind::knowledge_base
