#pragma once
/// \file
/// Reads what a language model answers to a request for a candidate. Strict: what does not fit the
/// contract of config/prompts/answer_*.md is refused with one sentence, which the model is shown.

#include "base/model/episode.h"
#include "base/model/task.h"
#include "base/result.h"

#include <string>
#include <string_view>

namespace warpmind::agents::writing {

inline constexpr std::size_t kCandidateSourceLimit = std::size_t{256} << 10U;
inline constexpr double kLeastGain = 0.2;
inline constexpr double kMostGain = 50;

/// What the answer says of a candidate: kernel, technique as the model named it (an identifier),
/// parameters and rationale (one line each), predicted gain (within kLeastGain … kMostGain; its
/// interval is not wider). `edited` is the kernel whose parts stay where the answer says null.
/// Errors: invalid_argument with one sentence.
[[nodiscard]] Result<Candidate> parse_answer(std::string_view answer, const Kernel& edited,
                                             const Task& task);

/// JSON Schema of the structured form, for endpoints that can hold a model to it.
[[nodiscard]] std::string_view candidate_schema();

}  // namespace warpmind::agents::writing
