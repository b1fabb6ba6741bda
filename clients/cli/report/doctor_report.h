#pragma once
/// \file
/// What `warpmindd --doctor --json` found, as values and as text.
///
/// Format: `{"findings":[{"name":"nvcc","state":"ok|warning|missing","needed":true,
/// "detail":"…","remedy":"…"}]}`; further members are kept for `--json` and not shown.

#include "base/enum_names.h"
#include "base/result.h"
#include "clients/cli/report/text.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::clients {

enum class FindingState {
  ok,
  warning,  ///< works, with less
  missing,
};

struct Finding {
  std::string name;
  FindingState state = FindingState::missing;
  bool needed = false;  ///< without it no kernel can be judged
  std::string detail;
  std::string remedy;  ///< what to do; empty when there is nothing to do
};

struct Findings {
  std::vector<Finding> findings;
  std::string document;  ///< the JSON as it came, on one line

  /// Everything that is needed is there.
  [[nodiscard]] bool usable() const;
};

/// Errors: corrupt_data when the text is not of the format above.
[[nodiscard]] Result<Findings> parse_findings(std::string_view json_text);

[[nodiscard]] std::string render_findings(const Findings& findings, const Paint& paint,
                                          std::size_t columns);

}  // namespace warpmind::clients

namespace warpmind {
WARPMIND_ENUM_NAMES(clients::FindingState, {clients::FindingState::ok, "ok"},
                    {clients::FindingState::warning, "warning"},
                    {clients::FindingState::missing, "missing"});
}  // namespace warpmind
