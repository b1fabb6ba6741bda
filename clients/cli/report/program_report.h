#pragma once
/// \file
/// What became of a whole program, for a person.

#include "base/model/job.h"
#include "clients/cli/report/job_report.h"
#include "daemon/protocol/program_messages.h"

#include <string>
#include <vector>

namespace warpmind::clients {

/// Each kernel in a few rows, then what was left out and why, then the files and what to do next.
/// `jobs` are those of the parts, in any order: a part without its job says less.
[[nodiscard]] std::string render_program(const daemon::protocol::ProgramReport& report,
                                         const std::vector<Job>& jobs,
                                         const ReportOptions& options);

/// One table of the parts, and the short report below it.
[[nodiscard]] std::string render_program_in_full(const daemon::protocol::ProgramReport& report,
                                                 const std::vector<Job>& jobs,
                                                 const ReportOptions& options);

}  // namespace warpmind::clients
