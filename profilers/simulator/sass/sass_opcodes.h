#pragma once
/// \file
/// Operations of machine instructions, by the lowest nine bits.

#include "profilers/simulator/sass/sass_instruction.h"

#include <cstdint>
#include <string_view>

namespace warpmind::simulator {

struct SassOperation {
  std::string_view name;
  SassClass kind = SassClass::unknown;
};

/// `operation` = the lowest 9 bits of an opcode; an empty name when the table lacks it.
[[nodiscard]] SassOperation sass_operation(std::uint16_t operation, int architecture);

}  // namespace warpmind::simulator
