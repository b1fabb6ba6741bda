#pragma once
/// \file
/// atom red.

#include "profilers/simulator/program/decode_context.h"

#include <span>

namespace warpmind::simulator {

[[nodiscard]] std::span<const OpcodeEntry> atomic_opcodes();

}  // namespace warpmind::simulator
