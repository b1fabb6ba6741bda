#pragma once
/// \file
/// cvt.

#include "profilers/simulator/program/decode_context.h"

#include <span>

namespace warpmind::simulator {

[[nodiscard]] std::span<const OpcodeEntry> convert_opcodes();

}  // namespace warpmind::simulator
