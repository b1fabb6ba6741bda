#pragma once
/// \file
/// `warpmindd --doctor`: what works on this machine, as text or JSON.

#include "base/result.h"
#include "config/settings.h"

#include <string>

namespace warpmind::daemon {

/// Takes a few seconds. JSON: {"findings": [{"name","state","needed","detail","remedy"}]};
/// without what is `needed` no kernel can be judged at all.
/// Errors: corrupt_data if the built-in device table cannot be read.
[[nodiscard]] Result<std::string> examine_machine(const config::Settings& settings, bool json);

}  // namespace warpmind::daemon
