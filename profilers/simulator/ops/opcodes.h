#pragma once
/// \file
/// The tables of decoders, one a family of opcodes. program/compiler.cpp joins them.

#include "profilers/simulator/program/decode_context.h"

#include <span>

namespace warpmind::simulator {

[[nodiscard]] std::span<const OpcodeEntry> integer_opcodes();  ///< add sub mul mad … and or shl bfe
[[nodiscard]] std::span<const OpcodeEntry> float_opcodes();    ///< fma div rcp sqrt ex2 …
[[nodiscard]] std::span<const OpcodeEntry> move_opcodes();     ///< mov cvt cvta selp set setp prmt
[[nodiscard]] std::span<const OpcodeEntry> memory_opcodes();  ///< ld st ldu prefetch isspacep
[[nodiscard]] std::span<const OpcodeEntry> atomic_opcodes();  ///< atom red
[[nodiscard]] std::span<const OpcodeEntry> warp_opcodes();    ///< shfl vote match redux bar.warp
[[nodiscard]] std::span<const OpcodeEntry> async_opcodes();   ///< cp mbarrier fence membar
[[nodiscard]] std::span<const OpcodeEntry> tensor_opcodes();  ///< wmma mma ldmatrix stmatrix wgmma
/// bra brx call ret exit bar barrier trap: their Flow is run by exec/.
[[nodiscard]] std::span<const OpcodeEntry> control_opcodes();

}  // namespace warpmind::simulator
