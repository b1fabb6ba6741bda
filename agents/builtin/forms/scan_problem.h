#pragma once
/// \file
/// A scan as a device struct: the kernel's own code for terms, stores and what stands around them.

#include "agents/builtin/forms/scan_site.h"

#include <string>

namespace warpmind::agents::builtin {

/// Name of the member that holds the number of rows, where the problem needs it from the launch.
inline constexpr const char* kScanRows = "wm_row_count";

struct ScanProblem {
  std::string text;
  std::string value_type;  ///< "int", or "wm_value" for several running values
  int value_bytes = 4;
  bool needs_rows = false;  ///< a last member kScanRows
};

[[nodiscard]] ScanProblem scan_problem(const Scene& scene, const KernelBody& body,
                                       const ScanSite& site);

}  // namespace warpmind::agents::builtin
