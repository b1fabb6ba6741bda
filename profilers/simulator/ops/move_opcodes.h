#pragma once
/// \file
/// mov cvta isspacep.

#include "profilers/simulator/program/decode_context.h"

#include <span>

namespace warpmind::simulator {

[[nodiscard]] std::span<const OpcodeEntry> move_opcodes();

}  // namespace warpmind::simulator
