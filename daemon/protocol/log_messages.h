#pragma once
/// \file
/// What the daemon writes into its log (`log.*`), as values. Names on the wire are the field names.

#include "daemon/protocol/messages.h"

#include <map>
#include <string>

namespace warpmind::daemon::protocol {

struct LogLevelParams {
  std::string level;
  std::string component;

  static void describe(auto& self, auto& field) {
    field.optional("level", self.level,
                   "`debug`, `info`, `warn` or `error`; left out: only returns the current level");
    field.optional(
        "component", self.component,
        "`daemon`, `agents`, `knowledge_base` or `profilers`; left out: all, which takes the "
        "levels of components away");
  }
};
struct LogLevelResult {
  std::string level;
  std::map<std::string, std::string> components;

  static void describe(auto& self, auto& field) {
    field.required("level", self.level, "least severe lines that are kept");
    field.required("components", self.components, "the level of each component that has its own");
  }
};

// --- Methods

inline constexpr Method<LogLevelParams, LogLevelResult> kLogSetLevel{
    "log.set_level",
    "Changes what goes into the log, until the daemon ends (setting `log.level`)."};

[[nodiscard]] std::vector<MethodSpec> log_methods();

}  // namespace warpmind::daemon::protocol
