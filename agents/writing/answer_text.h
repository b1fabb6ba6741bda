#pragma once
/// \file
/// The parts of a model's answer: fenced blocks and one JSON object.

#include "base/result.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::agents::writing {

inline constexpr std::size_t kAnswerBytesLimit = std::size_t{1} << 20U;

struct FencedBlock {
  std::string info;  ///< the first word behind the fence: "cuda"
  std::string text;
};

struct AnswerText {
  std::vector<FencedBlock> blocks;
  std::string outside;  ///< what stands in no block
};

/// Refuses what is empty, over kAnswerBytesLimit, not UTF-8, or has control characters; then cuts
/// at fences of three or more backticks at the start of a line. CRLF becomes LF. Errors:
/// invalid_argument with one sentence; also for a block that is never closed.
[[nodiscard]] Result<AnswerText> split_answer(std::string_view answer);

/// The one JSON object: a block ```json, or what stands from the first '{' to the last '}' outside
/// of blocks. Errors: invalid_argument when there is none or more than one.
[[nodiscard]] Result<std::string> find_json(const AnswerText& answer);

}  // namespace warpmind::agents::writing
