#pragma once
/// \file
/// Products of matrices: mma wmma.mma wgmma.

#include "profilers/simulator/program/decode_context.h"

#include <span>

namespace warpmind::simulator {

[[nodiscard]] std::span<const OpcodeEntry> tensor_opcodes();

}  // namespace warpmind::simulator
