#pragma once
/// \file
/// The queue: `queue …` and `report`. Options in, exit code out.

#include "clients/cli/session.h"

namespace warpmind::clients {

[[nodiscard]] ExitCode run_command(Session& session, const QueueOptions& options);

}  // namespace warpmind::clients
