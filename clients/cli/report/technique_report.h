#pragma once
/// \file
/// Technique cards as a person reads them. Text that others wrote is made safe to print.

#include "base/model/technique.h"
#include "clients/cli/report/style.h"

#include <string>
#include <vector>

namespace warpmind::clients {

/// One line each.
[[nodiscard]] std::string render_techniques(const std::vector<Technique>& techniques,
                                            const Style& style);
[[nodiscard]] std::string render_technique(const Technique& technique, const Style& style);

}  // namespace warpmind::clients
