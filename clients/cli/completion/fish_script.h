#pragma once
/// \file
/// Completion for fish, made from the grammar.

#include "clients/cli/grammar_description.h"

#include <string>

namespace warpmind::clients {

/// A script that fish can load; it knows every command, flag and choice.
[[nodiscard]] std::string fish_script(const CommandDescription& program);

}  // namespace warpmind::clients
