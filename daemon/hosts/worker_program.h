#pragma once
/// \file
/// `warpmindd --serve-evaluations`, which `warpmind worker` becomes: judges kernels for daemons on
/// other hosts. Opens no base.

#include "base/result.h"
#include "config/settings.h"

#include <string>

namespace warpmind::daemon::hosts {

/// Until SIGTERM, SIGINT or SIGHUP: the order at hand is given back. Errors: invalid_argument for
/// settings; unavailable for what this machine or build lacks.
[[nodiscard]] Result<void> run_worker(const config::Settings& settings, const std::string& version);

}  // namespace warpmind::daemon::hosts
