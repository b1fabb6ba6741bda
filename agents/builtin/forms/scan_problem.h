#pragma once
/// \file
/// A scan as a device struct: the kernel's own code for terms, stores and what stands around them.

#include "agents/builtin/forms/scan_site.h"
#include "agents/builtin/forms/scan_text.h"

namespace warpmind::agents::builtin {

[[nodiscard]] ScanProblem scan_problem(const Scene& scene, const KernelBody& body,
                                       const ScanSite& site);

}  // namespace warpmind::agents::builtin
