#pragma once
/// \file
/// Language models that are files, chosen by a name such as "rules:FILE".

#include "agents/llm/language_model.h"

#include <memory>
#include <string_view>

namespace warpmind::agents::llm {

/// Whether `spec` names a scripted model.
[[nodiscard]] bool is_scripted(std::string_view spec);

/// `rules:FILE` or `replay:FILE`. Errors: invalid_argument for another spec; what the files say.
[[nodiscard]] Result<std::unique_ptr<LanguageModel>> make_scripted_model(std::string_view spec);

}  // namespace warpmind::agents::llm
