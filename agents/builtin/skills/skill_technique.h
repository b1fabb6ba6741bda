#pragma once
/// \file
/// A skill in the one list of techniques that the proposer offers.

#include "agents/builtin/skills/skill.h"
#include "agents/builtin/technique.h"

#include <memory>

namespace warpmind::agents::builtin {

/// "threads=128, 256 or 512;items=4, 8 or 16"; empty when it has none.
[[nodiscard]] std::string parameter_ranges(const Skill& skill);

[[nodiscard]] Technique technique_of(const std::shared_ptr<const Skill>& skill);

}  // namespace warpmind::agents::builtin
