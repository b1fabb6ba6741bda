#pragma once
/// \file
/// Integer arithmetic: add sub mul mad div rem min max and their like, add.cc addc subc madc, dp4a,
/// vabsdiff.

#include "profilers/simulator/program/decode_context.h"

#include <span>

namespace warpmind::simulator {

[[nodiscard]] std::span<const OpcodeEntry> integer_opcodes();

}  // namespace warpmind::simulator
