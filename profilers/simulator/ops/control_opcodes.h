#pragma once
/// \file
/// bra brx call ret exit bar barrier trap: their Flow is run by exec/.

#include "profilers/simulator/program/decode_context.h"

#include <span>

namespace warpmind::simulator {

[[nodiscard]] std::span<const OpcodeEntry> control_opcodes();

}  // namespace warpmind::simulator
