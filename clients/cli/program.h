#pragma once
/// \file
/// The whole program but for main(): arguments in, exit code out.

#include "clients/cli/console.h"

namespace warpmind::clients {

[[nodiscard]] ExitCode run_program(int argc, const char* const* argv, Console& console);

}  // namespace warpmind::clients
