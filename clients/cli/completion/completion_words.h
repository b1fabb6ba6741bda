#pragma once
/// \file
/// What the completion scripts of all shells are made from.

#include "clients/cli/grammar_description.h"

#include <string>
#include <string_view>
#include <vector>

namespace warpmind::clients {

/// Shell commands that list what only a daemon knows: they never start one.
inline constexpr std::string_view kListJobs =
    "warpmind status --no-start 2>/dev/null | grep -oE 'j-[0-9]{10}' | sort -ru";
inline constexpr std::string_view kListTechniques =
    "warpmind kb techniques --no-start 2>/dev/null | awk 'NR > 1 && $1 ~ /^[a-z]/ { print $1 }'";

/// The program and every command below it, in the order of the help.
[[nodiscard]] std::vector<const CommandDescription*> every_command(
    const CommandDescription& program);

/// The words that are known for a value beforehand: its choices, or the keys of the device table.
[[nodiscard]] std::vector<std::string> value_words(const OptionDescription& option);

}  // namespace warpmind::clients
