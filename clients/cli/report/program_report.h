#pragma once
/// \file
/// What became of a whole program, for a person.

#include "clients/cli/report/style.h"
#include "daemon/protocol/program_messages.h"

#include <string>

namespace warpmind::clients {

/// One table of the parts, then what was left out and why, then the files.
[[nodiscard]] std::string render_program(const daemon::protocol::ProgramReport& report,
                                         const Style& style);

}  // namespace warpmind::clients
