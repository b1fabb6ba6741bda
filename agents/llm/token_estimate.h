#pragma once
/// \file
/// Token counts where no server reported any. English and CUDA take 3 to 4 bytes a token.

#include "agents/llm/language_model.h"

#include <cstddef>
#include <cstdint>

namespace warpmind::agents::llm {

/// Likely tokens of a text of so many bytes.
[[nodiscard]] std::int64_t estimated_tokens(std::size_t bytes);

/// What an attempt took when its server does not say, from the texts; not priced.
[[nodiscard]] Usage estimated_usage(const ModelRequest& request, std::size_t text_bytes,
                                    std::size_t reasoning_bytes);

/// An upper bound of the input of `request`, for reservations.
[[nodiscard]] std::int64_t most_input_tokens(const ModelRequest& request);

/// Sum of two attempts; reported and priced only if both are. An empty `into` takes over the flags.
void add_usage(Usage& into, const Usage& more);

}  // namespace warpmind::agents::llm
