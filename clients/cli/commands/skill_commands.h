#pragma once
/// \file
/// `warpmind skill …`. Options in, exit code out.

#include "clients/cli/session.h"
#include "clients/cli/skill_options.h"

namespace warpmind::clients {

[[nodiscard]] ExitCode run_command(Session& session, const SkillOptions& options);

}  // namespace warpmind::clients
