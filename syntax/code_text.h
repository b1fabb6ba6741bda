#pragma once
/// \file
/// CUDA C++ text with what is no code taken out.

#include <string>
#include <string_view>

namespace warpmind::syntax {

/// `source` with every comment replaced by a space (line ends stay).
[[nodiscard]] std::string without_comments(std::string_view source);

/// What the compiler reads: `source` without comments and with continued lines joined. A comment in
/// the middle of a line becomes a space.
[[nodiscard]] std::string joined_lines(std::string_view source);

/// `source` with comments and literals blanked, byte for byte (line ends stay).
[[nodiscard]] std::string code_only(std::string_view source);

/// Whether `word` occurs as a whole: neither as a part of a longer name nor, when it is no name
/// itself (".incbin"), followed by more of one.
[[nodiscard]] bool contains_word(std::string_view code, std::string_view word);

/// Whether a name that begins with `beginning` occurs.
[[nodiscard]] bool contains_name_from(std::string_view code, std::string_view beginning);

}  // namespace warpmind::syntax
