#pragma once
/// \file
/// What is wrong with a command line, in words for whoever typed it.

#include <string>
#include <string_view>

namespace warpmind::config {

/// "--evaluations must be a number, not 'abc'" of CLI11's "Could not convert: --evaluations = abc";
/// a text of another kind stays.
[[nodiscard]] std::string command_line_text(std::string_view library_text);

}  // namespace warpmind::config
