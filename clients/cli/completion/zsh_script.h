#pragma once
/// \file
/// Completion for zsh, made from the grammar.

#include "clients/cli/grammar_description.h"

#include <string>

namespace warpmind::clients {

/// A script that zsh can load; it knows every command, flag and choice.
[[nodiscard]] std::string zsh_script(const CommandDescription& program);

}  // namespace warpmind::clients
