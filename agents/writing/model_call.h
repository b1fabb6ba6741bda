#pragma once
/// \file
/// One question to a language model, asked a second time with the reason when the answer cannot be
/// used.

#include "agents/llm/language_model.h"
#include "base/model/episode.h"
#include "config/prompt_library.h"

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace warpmind::agents::writing {

/// What asking took, as it is stored.
struct CallLog {
  ModelSpending spending;
  std::vector<Exchange> exchanges;
};

struct AskOutcome {
  std::string refused;  ///< why no answer could be used, one sentence; empty = one was
  std::string model;    ///< that gave the last answer, as its server names it
};

/// Takes the text of an answer, or says with one sentence why not.
using AcceptAnswer = std::function<Result<void>(const std::string& text)>;

/// Asks once, and once more when `accept` refuses or the answer was cut. Errors: those of the model
/// for the first question, and cancelled; that of a second one becomes part of `refused`, so that
/// what the first one cost is not lost.
[[nodiscard]] Result<AskOutcome> ask(llm::LanguageModel& model,
                                     const config::PromptLibrary& prompts,
                                     llm::ModelRequest request, const AcceptAnswer& accept,
                                     CallLog& log, std::stop_token stop);

}  // namespace warpmind::agents::writing
