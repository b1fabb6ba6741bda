#pragma once
/// \file
/// What of this machine works for warpmind, and how to fix what does not (`warpmind doctor`).

#include "base/enum_names.h"
#include "config/device_table.h"
#include "config/settings.h"

#include <string>
#include <vector>

namespace warpmind::profilers {

enum class FindingState {
  ok,
  warning,  ///< works, with less
  missing,  ///< something cannot be done
};

struct Finding {
  std::string name;
  FindingState state = FindingState::ok;
  std::string detail;  ///< what was found
  std::string remedy;  ///< how to fix it; empty when ok
  bool operator==(const Finding&) const = default;
};

/// Tries everything for real, a few seconds in all: compilers, sandbox, worker, judge, device (by a
/// runner), scratch space, cache, disk. Never fails: what fails is a finding.
[[nodiscard]] std::vector<Finding> probe_environment(const config::Settings& settings,
                                                     const config::DeviceTable& devices);

}  // namespace warpmind::profilers

namespace warpmind {
WARPMIND_ENUM_NAMES(profilers::FindingState, {profilers::FindingState::ok, "ok"},
                    {profilers::FindingState::warning, "warning"},
                    {profilers::FindingState::missing, "missing"});
}  // namespace warpmind
