#pragma once
/// \file
/// From what a client asks to what a job is.

#include "base/model/job.h"
#include "base/result.h"
#include "config/settings.h"
#include "config/task_file.h"
#include "daemon/handlers/job_admission.h"
#include "daemon/protocol/messages.h"

#include <string>

namespace warpmind::daemon {

/// The task of a folder that a client names. Errors: invalid_argument unless the path is absolute;
/// what the task's files refuse.
[[nodiscard]] Result<config::LoadedTask> load_named_task(const std::string& directory);

/// All but the task. Errors: as job_request_of().
[[nodiscard]] Result<JobRequest> request_without_task(const protocol::JobOptions& options,
                                                      const config::Settings& settings,
                                                      const MachineView& machine);

/// With the task of the folder `directory` loaded and the settings' defaults filled in. Errors:
/// invalid_argument naming the parameter; as check_admission(); what the task's files refuse.
[[nodiscard]] Result<JobRequest> job_request_of(const std::string& directory,
                                                const protocol::JobOptions& options,
                                                const config::Settings& settings,
                                                const MachineView& machine);

}  // namespace warpmind::daemon
