#pragma once
/// \file
/// The end of `optimize` and `result`: a job on the console, its kernel in a file, its exit code.

#include "base/model/job.h"
#include "clients/cli/report/plain_words.h"
#include "clients/cli/session.h"

#include <string>

namespace warpmind::clients {

/// Errors: not_found when the folder that `output_file` names is not there. Asked before the work,
/// so that a slip is not found out after ten minutes. An empty path is fine.
[[nodiscard]] Result<void> check_output_file(const std::string& output_file);

struct Delivery {
  std::string output_file;  ///< for the best kernel; empty = none is written
  std::string path;         ///< of the task, as typed; empty = as the job has it
  bool verbose = false;     ///< all that is known, not the short report
};

/// `path` as it is named from the working folder, when it lies in it.
[[nodiscard]] std::string near_path(const std::string& path);

/// The .cu file of `folder` that is `kernel`, named below `shown`; else empty.
[[nodiscard]] SourceFile source_of(const std::string& folder, const std::string& shown,
                                   const Kernel& kernel);

/// Writes the best kernel to the file (when asked for and when there is a better one) and prints
/// the report, or the JSON document.
ExitCode deliver_job(Session& session, const Job& job, const Delivery& delivery);

}  // namespace warpmind::clients
