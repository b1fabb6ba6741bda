#pragma once
/// \file
/// The one line of a build's text that says what is wrong.

#include <string>
#include <string_view>

namespace warpmind {

/// The first line of a compiler or a linker that names a fault ("main.cu(3): error: …", "undefined
/// reference to `f'"), before those of the programs around them, which only say that there was one
/// (collect2, make, ninja). At most 300 bytes. "it says nothing" for an empty text.
[[nodiscard]] std::string first_complaint(std::string_view text);

/// The first line of a compiler that holds "error", else the first line. At most 300 bytes.
[[nodiscard]] std::string first_error_line(std::string_view diagnostics);

}  // namespace warpmind
