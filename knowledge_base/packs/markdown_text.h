#pragma once
/// \file
/// One record as Markdown with a front matter of `name: value` lines.

#include "base/model/insight.h"
#include "base/model/technique.h"

#include <string>

namespace warpmind::knowledge_base {

[[nodiscard]] std::string markdown_of(const Technique& technique);
[[nodiscard]] std::string markdown_of(const Insight& insight);

/// Path below the export: "techniques/unroll.md", "insights/unroll/i-….md".
[[nodiscard]] std::string markdown_path(const Technique& technique);
[[nodiscard]] std::string markdown_path(const Insight& insight);

}  // namespace warpmind::knowledge_base
