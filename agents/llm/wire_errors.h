#pragma once
/// \file
/// Error texts of servers, fit to be shown.

#include <string>
#include <string_view>

namespace warpmind::agents::llm {

/// One line of about 300 bytes at most, whole characters, without control bytes.
[[nodiscard]] std::string one_line(std::string_view text);
/// The message inside the body of an error answer, whatever its form.
[[nodiscard]] std::string error_text(std::string_view body);

}  // namespace warpmind::agents::llm
