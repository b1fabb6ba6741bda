#pragma once
/// \file
/// `--help` of every command, at most 80 columns wide.

#include "clients/cli/grammar_description.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpmind::clients {

inline constexpr const char* kExitCodes =
    "Exit codes: 0 ok (improved, or nothing better found but measured); 1 negative\n"
    "result; 2 bad input or usage; 3 no daemon or connection lost; 4 this machine\n"
    "lacks something; 5 cancelled.";

/// For the command at `path`, "" for the program. Empty when there is no such command.
[[nodiscard]] std::string render_help(const CommandDescription& program, std::string_view path);

/// The command at `path`, or null.
[[nodiscard]] const CommandDescription* find_command(const CommandDescription& program,
                                                     std::string_view path);

/// "--provider auto|gpu|sim", "--libtorch, --torch FOLDER", "--detach".
[[nodiscard]] std::string flag_text(const OptionDescription& option);

/// "optimize DIR [FLAGS]", "queue COMMAND".
[[nodiscard]] std::string usage_of(const CommandDescription& command);

/// The sentence with its default: "Candidates to judge [24]".
[[nodiscard]] std::string text_with_default(const OptionDescription& option);

/// What to show as examples: a command's own; of a group the first one of each of its commands.
[[nodiscard]] std::vector<std::string> examples_of(const CommandDescription& command);

/// Options or commands in order of their headings, each heading once.
template <class Item>
[[nodiscard]] std::vector<std::pair<std::string, std::vector<const Item*>>> by_heading(
    const std::vector<Item>& items) {
  std::vector<std::pair<std::string, std::vector<const Item*>>> groups;
  for (const auto& item : items) {
    auto at = groups.begin();
    while (at != groups.end() && at->first != item.heading) ++at;
    if (at == groups.end()) at = groups.insert(groups.end(), {item.heading, {}});
    at->second.push_back(&item);
  }
  return groups;
}

}  // namespace warpmind::clients
