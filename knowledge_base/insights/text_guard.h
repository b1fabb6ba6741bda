#pragma once
/// \file
/// What a text must be before it is kept: short, plain, and a statement about kernels rather than
/// words to a language model that may read it later. Stored text is data; this keeps it so.

#include "base/result.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace warpmind::knowledge_base {

inline constexpr std::size_t kMostCharacters = 400;  ///< of a claim or mechanism

/// Checks a text of people or models. `what` names it in the message ("the claim").
/// Errors: invalid_argument, one sentence with the offending words quoted.
[[nodiscard]] Result<void> check_prose(std::string_view what, std::string_view text,
                                       std::size_t most_characters = kMostCharacters);

/// A name of a thing: one line of plain text without markup. May be empty.
[[nodiscard]] Result<void> check_label(std::string_view what, std::string_view text,
                                       std::size_t most_characters = 120);

/// A name that code uses: letters, digits, '_', '-', '.', '+'; 1 … 64 of them.
[[nodiscard]] Result<void> check_name(std::string_view what, std::string_view text);

/// The words of `text` that address a language model, name its tools, or lead elsewhere; "" when
/// there are none.
[[nodiscard]] std::string suspicious_words(std::string_view text);

}  // namespace warpmind::knowledge_base
