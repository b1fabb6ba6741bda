#pragma once
/// \file
/// Where lanes meet: shfl vote match redux activemask elect bar.warp.

#include "profilers/simulator/program/decode_context.h"

#include <span>

namespace warpmind::simulator {

[[nodiscard]] std::span<const OpcodeEntry> warp_opcodes();

}  // namespace warpmind::simulator
