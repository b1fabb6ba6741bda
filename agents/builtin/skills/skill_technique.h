#pragma once
/// \file
/// A skill in the one list of techniques that the proposer offers.

#include "agents/builtin/skills/skill.h"
#include "agents/builtin/technique.h"

#include <memory>

namespace warpmind::agents::builtin {

[[nodiscard]] Technique technique_of(std::shared_ptr<const Skill> skill);

}  // namespace warpmind::agents::builtin
