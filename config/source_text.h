#pragma once
/// \file
/// What can be told about a CUDA or C++ source without compiling it.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::config {

/// Offset of the first byte that is not UTF-8 (overlong forms and surrogates included), or nullopt.
[[nodiscard]] std::optional<std::size_t> find_invalid_utf8(std::string_view text);

/// A C identifier: letters, digits and underscores, not starting with a digit.
[[nodiscard]] bool is_identifier(std::string_view text);

/// `source` with every comment replaced by a space (line ends stay).
[[nodiscard]] std::string without_comments(std::string_view source);

/// Whether `word` occurs as a whole identifier.
[[nodiscard]] bool contains_word(std::string_view code, std::string_view word);

/// A `__global__` function as written.
struct GlobalFunction {
  std::string name;
  std::size_t parameters = 0;
};

/// Those of `code` (without comments), in order; a function that a macro writes is not found.
[[nodiscard]] std::vector<GlobalFunction> find_global_functions(std::string_view code);

}  // namespace warpmind::config
