#pragma once
/// \file
/// The end of `optimize` and `result`: a job on the console, its kernel in a file, its exit code.

#include "base/model/job.h"
#include "clients/cli/session.h"

#include <string>

namespace warpmind::clients {

/// Errors: not_found when the folder that `output_file` names is not there. Asked before the work,
/// so that a slip is not found out after ten minutes. An empty path is fine.
[[nodiscard]] Result<void> check_output_file(const std::string& output_file);

/// Writes the best kernel to `output_file` (when given and when there is a better one) and prints
/// the report, or the JSON document.
ExitCode deliver_job(Session& session, const Job& job, const std::string& output_file);

}  // namespace warpmind::clients
