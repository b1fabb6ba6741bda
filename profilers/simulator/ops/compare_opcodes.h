#pragma once
/// \file
/// setp set selp slct, of every type.

#include "profilers/simulator/program/decode_context.h"

#include <span>

namespace warpmind::simulator {

[[nodiscard]] std::span<const OpcodeEntry> compare_opcodes();

}  // namespace warpmind::simulator
