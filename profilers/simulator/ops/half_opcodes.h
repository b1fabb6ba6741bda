#pragma once
/// \file
/// f16, bf16 and their pairs: add fma min max abs ex2 tanh.

#include "profilers/simulator/program/decode_context.h"

#include <span>

namespace warpmind::simulator {

[[nodiscard]] std::span<const OpcodeEntry> half_opcodes();

}  // namespace warpmind::simulator
