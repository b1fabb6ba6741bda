#pragma once
/// \file
/// Reads the file of a RulesModel.

#include "agents/llm/scripted/rules_model.h"
#include "base/result.h"

#include <filesystem>
#include <vector>

namespace warpmind::agents::llm {

/// Errors: as RulesModel::open().
[[nodiscard]] Result<std::vector<ModelRule>> read_rules(const std::filesystem::path& file);

}  // namespace warpmind::agents::llm
