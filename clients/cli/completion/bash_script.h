#pragma once
/// \file
/// Completion for bash, made from the grammar.

#include "clients/cli/grammar_description.h"

#include <string>

namespace warpmind::clients {

/// A script that bash can load; it knows every command, flag and choice.
[[nodiscard]] std::string bash_script(const CommandDescription& program);

}  // namespace warpmind::clients
