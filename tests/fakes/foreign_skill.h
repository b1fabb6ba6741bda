#pragma once
/// \file
/// A skill as a stranger sends it: the shipped row_reduction with its tests under another name.

#include "base/model/packed_skill.h"

#include <string>

namespace warpmind::fakes {

[[nodiscard]] PackedSkill foreign_skill(const std::string& name);

}  // namespace warpmind::fakes
