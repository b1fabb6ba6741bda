#pragma once
/// \file
/// The manual page warpmind(1), made from the grammar.

#include "clients/cli/grammar_description.h"

#include <string>
#include <string_view>

namespace warpmind::clients {

/// Roff for man(7). Has no date, so that two builds of one version write the same.
[[nodiscard]] std::string manual_page(const CommandDescription& program, std::string_view version);

}  // namespace warpmind::clients
