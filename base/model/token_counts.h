#pragma once
/// \file
/// Tokens that a language model took and gave.

#include <cstdint>

namespace warpmind {

/// Each token is counted once, whatever the server's dialect (docs/llm.md): input that was cached
/// is not part of `input_tokens`.
struct TokenCounts {
  std::int64_t input_tokens = 0;    ///< read anew: neither from nor into the cache
  std::int64_t cached_tokens = 0;   ///< read from the server's cache
  std::int64_t written_tokens = 0;  ///< written to the server's cache
  std::int64_t output_tokens = 0;   ///< reasoning included

  void add(const TokenCounts& more) {
    input_tokens += more.input_tokens;
    cached_tokens += more.cached_tokens;
    written_tokens += more.written_tokens;
    output_tokens += more.output_tokens;
  }
  /// Input of every kind and output.
  [[nodiscard]] std::int64_t tokens() const {
    return input_tokens + cached_tokens + written_tokens + output_tokens;
  }
  bool operator==(const TokenCounts&) const = default;
};

}  // namespace warpmind
