#pragma once
/// \file
/// What every command's help has in common.

#include <initializer_list>
#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace warpmind::clients {

inline constexpr const char* kExitCodes =
    "Exit codes: 0 ok (improved, or nothing better found but measured); 1 negative result;\n"
    "2 bad input or usage; 3 no daemon or connection lost; 4 this machine lacks something;\n"
    "5 cancelled.";

/// "Examples:" and one line each, `warpmind` put before it.
[[nodiscard]] std::string examples(std::initializer_list<std::string_view> lines);

/// A subcommand that takes the global flags after its name, too. Owned by `parent`.
CLI::App* add_group(CLI::App& parent, const char* name, const char* what);
/// As add_group(), with examples and exit codes at the end of its help.
CLI::App* add_command(CLI::App& parent, const char* name, const char* what,
                      std::initializer_list<std::string_view> lines);

}  // namespace warpmind::clients
