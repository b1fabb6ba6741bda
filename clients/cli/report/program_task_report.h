#pragma once
/// \file
/// Program tasks for a person: what was made, what a check said, and the table of an import.

#include "base/model/program_task.h"
#include "clients/cli/report/style.h"
#include "daemon/protocol/program_task_messages.h"

#include <string>

namespace warpmind::clients {

/// The verdict, then the times per kernel, labelled as measured or predicted.
[[nodiscard]] std::string render_program_check(const ProgramCheck& check, const Style& style);

/// What was written into program.toml, then render_program_check().
[[nodiscard]] std::string render_program_task(const ProgramTask& task,
                                              const daemon::protocol::ProgramTaskNewReport& report,
                                              const Style& style);

/// One row a program: imported, refused by which control, or admitted.
[[nodiscard]] std::string render_program_import(const daemon::protocol::ProgramImportReport& report,
                                                const Style& style);

/// The same as a document: totals, a table, and a sentence for each that was refused.
[[nodiscard]] std::string program_import_markdown(
    const daemon::protocol::ProgramImportReport& report);

}  // namespace warpmind::clients
