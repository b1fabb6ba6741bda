#pragma once
/// \file
/// Checks a file of trajectories or traces, line by line, without a GPU.

#include "agents/export/held_out.h"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::agents {

struct ExportCheck {
  std::int64_t lines = 0;
  std::int64_t problems = 0;
  std::vector<std::string> notes;  ///< the first twenty problems, each with its line
  std::set<std::string> schemas;   ///< that were met
};

/// Every line: schema, hash, id of its kernel, scores and lengths computed again, no held-out task
/// or kernel of `held_out`. Every trajectory: all turns, returns to 1e-12. Every group: size, mean
/// and deviation.
[[nodiscard]] ExportCheck verify_export(std::string_view text, const HeldOut& held_out);

}  // namespace warpmind::agents
