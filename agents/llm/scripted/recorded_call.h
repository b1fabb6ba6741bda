#pragma once
/// \file
/// One line of a recording: a request to a language model and what came of it (docs/writing.md).

#include "agents/llm/language_model.h"
#include "base/result.h"

#include <string>
#include <string_view>
#include <variant>

namespace warpmind::agents::llm {

struct RecordedCall {
  ModelRequest request;
  std::variant<ModelReply, Error> outcome;
  bool operator==(const RecordedCall&) const = default;
};

/// Of a whole recording; a longer one is refused.
inline constexpr std::size_t kRecordingBytesLimit = std::size_t{512} << 20U;

/// One line without its end. Numbers are written so that they are read as the same bits.
[[nodiscard]] std::string encode_call(const RecordedCall& call);

/// Errors: corrupt_data for a line that is none, also when its hash is not that of its request.
[[nodiscard]] Result<RecordedCall> decode_call(std::string_view line);

}  // namespace warpmind::agents::llm
