#pragma once
/// \file
/// f32 and f64: add fma div rcp sqrt min max abs sin ex2 tanh testp.

#include "profilers/simulator/program/decode_context.h"

#include <span>

namespace warpmind::simulator {

[[nodiscard]] std::span<const OpcodeEntry> float_opcodes();

}  // namespace warpmind::simulator
