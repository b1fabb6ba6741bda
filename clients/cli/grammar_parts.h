#pragma once
/// \file
/// What the grammars of all commands are built with, and the way from CLI11's tree to a
/// description.

#include "clients/cli/grammar_description.h"

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace warpmind::clients {

/// A subcommand that takes the global flags after its name, too. Owned by `parent`.
CLI::App* add_group(CLI::App& parent, const char* name, const char* what);
/// As add_group(), with examples, `warpmind` left out, at the end of its help.
CLI::App* add_command(CLI::App& parent, const char* name, const char* what,
                      std::initializer_list<std::string_view> lines);

/// Takes nothing but `words`, and says so in help and completion.
CLI::Option* one_of(CLI::Option* option, const std::vector<std::string>& words);
/// Completes `words` and takes anything.
CLI::Option* suggest(CLI::Option* option, const std::vector<std::string>& words);
/// The setting that holds when the flag is not given: its default is shown, and its name.
CLI::Option* from_setting(CLI::Option* option, std::string_view setting);

/// `app` and all below it.
[[nodiscard]] CommandDescription describe(const CLI::App& app);

}  // namespace warpmind::clients
