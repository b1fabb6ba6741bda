#pragma once
/// \file
/// `program_task.check`.

#include "config/settings.h"
#include "daemon/rpc/dispatcher.h"

#include <functional>
#include <string>

namespace warpmind::profilers {
class ProgramDesk;
}  // namespace warpmind::profilers

namespace warpmind::daemon {

/// `programs` may be null: then the method answers that this daemon checks no programs. What is
/// given must outlive the dispatcher. `mode` is the daemon's, for provider "auto".
struct ProgramTaskAccess {
  profilers::ProgramDesk* programs = nullptr;
  const config::Settings& settings;
  std::function<std::string()> mode;
};

void add_program_task_methods(Dispatcher& dispatcher, const ProgramTaskAccess& access);

}  // namespace warpmind::daemon
