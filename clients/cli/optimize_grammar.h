#pragma once
/// \file
/// The flags of `optimize`.

#include "base/result.h"
#include "clients/cli/command_line.h"

namespace CLI {
class App;
}

namespace warpmind::clients {

/// `into` must outlive `app`.
void add_optimize_flags(CLI::App& app, OptimizeOptions& into);

/// What CLI11 cannot check. Errors: invalid_argument with one sentence.
[[nodiscard]] Result<void> check_optimize(const OptimizeOptions& options);

}  // namespace warpmind::clients
