#pragma once
/// \file
/// Matrices between memory and the registers of a warp: wmma.load wmma.store ldmatrix stmatrix
/// movmatrix.

#include "profilers/simulator/program/decode_context.h"

#include <span>

namespace warpmind::simulator {

[[nodiscard]] std::span<const OpcodeEntry> matrix_opcodes();

}  // namespace warpmind::simulator
