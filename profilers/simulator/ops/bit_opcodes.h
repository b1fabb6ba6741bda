#pragma once
/// \file
/// Bits: and or xor not lop3, shifts, bfe bfi clz popc brev, prmt; logic and moves of predicates.

#include "profilers/simulator/program/decode_context.h"

#include <span>

namespace warpmind::simulator {

[[nodiscard]] std::span<const OpcodeEntry> bit_opcodes();

}  // namespace warpmind::simulator
