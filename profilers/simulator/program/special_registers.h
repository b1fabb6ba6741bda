#pragma once
/// \file
/// Names of the registers that the machine fills.

#include "profilers/simulator/program/program.h"

#include <optional>
#include <string_view>

namespace warpmind::simulator {

/// "%tid.x" and the like; nullopt for a name that is none, or one that is not simulated.
[[nodiscard]] std::optional<SpecialRegister> find_special_register(std::string_view name);

}  // namespace warpmind::simulator
