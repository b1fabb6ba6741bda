#pragma once
/// \file
/// ld st ldu prefetch.

#include "profilers/simulator/program/decode_context.h"

#include <span>

namespace warpmind::simulator {

[[nodiscard]] std::span<const OpcodeEntry> memory_opcodes();

}  // namespace warpmind::simulator
