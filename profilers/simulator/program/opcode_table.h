#pragma once
/// \file
/// The families' tables joined.

#include "profilers/simulator/program/decode_context.h"

namespace warpmind::simulator {

/// The decoder of `statement`; null when none is for its opcode and type. `knows_opcode` says
/// whether another type of the opcode has one.
[[nodiscard]] Decoder find_decoder(const ptx::Statement& statement, bool& knows_opcode);

}  // namespace warpmind::simulator
