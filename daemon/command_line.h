#pragma once
/// \file
/// Flags of warpmindd.

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace warpmind::daemon {

enum class Action { serve, print_version, print_protocol, print_types, doctor, serve_evaluations };

struct Arguments {
  Action action = Action::serve;
  std::optional<std::string> config;   ///< --config
  std::vector<std::string> overrides;  ///< --set, with --socket and --allow-root turned into it
  bool json = false;                   ///< --json, for --doctor
  std::vector<std::string> types;      ///< --print-types: a language and names of methods
};

/// A text to print, and the exit code: 0 for --help, 2 for what cannot be understood.
struct UsageExit {
  int code = 0;
  std::string text;
};

[[nodiscard]] std::variant<Arguments, UsageExit> parse_command_line(int argc,
                                                                    const char* const* argv);

}  // namespace warpmind::daemon
