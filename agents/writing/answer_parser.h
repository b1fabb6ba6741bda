#pragma once
/// \file
/// Reads what a language model answers to a request for a candidate. Strict: what does not fit the
/// contract of config/prompts/answer_*.md is refused with one sentence, which the model is shown.

#include "base/model/kernel.h"
#include "base/model/task.h"
#include "base/result.h"

#include <string>
#include <string_view>

namespace warpmind::agents::writing {

inline constexpr std::size_t kCandidateSourceLimit = std::size_t{256} << 10U;
inline constexpr double kLeastGain = 0.2;
inline constexpr double kMostGain = 50;

struct ParsedAnswer {
  Kernel kernel;
  std::string technique;      ///< as the model named it; an identifier
  std::string parameters;     ///< one line
  std::string rationale;      ///< one line
  double predicted_gain = 1;  ///< within kLeastGain … kMostGain
  bool operator==(const ParsedAnswer&) const = default;
};

/// `edited` is the kernel whose parts stay where the answer says null.
/// Errors: invalid_argument with one sentence.
[[nodiscard]] Result<ParsedAnswer> parse_answer(std::string_view answer, const Kernel& edited,
                                                const Task& task);

/// JSON Schema of the structured form, for endpoints that can hold a model to it.
[[nodiscard]] std::string_view candidate_schema();

}  // namespace warpmind::agents::writing
