#pragma once
/// \file
/// The flags of `optimize`, and the check of those that it shares with `queue add`.

#include "base/result.h"
#include "clients/cli/command_line.h"

namespace CLI {
class App;
}

namespace warpmind::clients {

/// What CLI11 cannot check of a job's options. Errors: invalid_argument with one sentence.
[[nodiscard]] Result<void> check_job_options(const daemon::protocol::JobOptions& options);

/// `into` must outlive `app`.
void add_optimize_flags(CLI::App& app, OptimizeOptions& into);

/// What CLI11 cannot check. Errors: invalid_argument with one sentence.
[[nodiscard]] Result<void> check_optimize(const OptimizeOptions& options);

}  // namespace warpmind::clients
