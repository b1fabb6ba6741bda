#pragma once
/// \file
/// What main() does, with the concrete parts left open: tests run the same program on a scripted
/// engine.

#include "daemon/application.h"

#include <functional>
#include <string>

namespace warpmind::daemon {

struct Program {
  EngineFactory make_engine;
  /// The report of `--doctor`, as text or JSON. Errors: whatever keeps it from being made.
  std::function<Result<std::string>(const config::Settings&, bool json)> doctor;
  /// `--serve-evaluations`: until a signal. Errors: as serve().
  std::function<Result<void>(const config::Settings&, const std::string& version)>
      serve_evaluations = {};
};

/// Returns the exit code.
[[nodiscard]] int run_program(const Program& program, int argc, const char* const* argv);

}  // namespace warpmind::daemon
