#pragma once
/// \file
/// The skills of this daemon: shipped ones, those of the person's folder, and those that came to
/// the base with packs.

#include "agents/builtin/skills/skill_library.h"
#include "config/settings.h"
#include "knowledge_base/knowledge_base.h"

#include <filesystem>
#include <vector>

namespace warpmind::daemon {

/// Read anew: what was added, imported or trusted counts at once. A base that cannot be read has
/// no skills; the log says so.
[[nodiscard]] agents::builtin::SkillLibrary known_skills(const config::Settings& settings,
                                                         knowledge_base::KnowledgeBase& base);

/// Those of the folder that a library uses, as they leave in a pack.
[[nodiscard]] std::vector<PackedSkill> own_skills(const std::filesystem::path& folder);

/// The gate for skills of others: that one is a skill, and that what it says to people and models
/// keeps the rules for texts (docs/knowledge.md). Errors: invalid_argument with file and line.
[[nodiscard]] Result<void> check_foreign_skill(const PackedSkill& packed);

}  // namespace warpmind::daemon
