#pragma once
/// \file
/// What the time model reads from a machine instruction: its class, its schedule, where it jumps.

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace warpmind::simulator {

/// By the pipe that runs it, finer where latencies differ.
enum class SassClass : std::uint8_t {
  fma,   ///< FFMA, FADD, FMUL
  imad,  ///< integer multiply-add, and the moves and shifts that ptxas makes of it
  alu,
  half,     ///< packed 16-bit arithmetic
  special,  ///< MUFU, conversions, POPC, FLO
  fp64,
  tensor,
  load_global,
  store_global,
  load_shared,
  store_shared,
  load_local,
  store_local,
  load_constant,  ///< LDC: indexed reads of a constant bank
  async_copy,     ///< LDGSTS, bulk copies
  atomic_global,
  atomic_shared,
  shuffle,
  texture,
  uniform,  ///< the datapath that a warp has once
  branch,
  call,
  barrier,  ///< BAR
  fence,
  control,  ///< convergence, scoreboard waits, register file moves to special registers
  exit,
  nop,
  unknown,  ///< not in the table: counted, not guessed
};
inline constexpr std::size_t kSassClasses = 28;

inline constexpr std::uint8_t kNoScoreboard = 7;
inline constexpr int kScoreboards = 6;
inline constexpr std::int32_t kNoTarget = -1;

struct SassInstruction {
  std::string_view name;     ///< "FFMA"; empty = unknown
  std::uint16_t opcode = 0;  ///< the lowest 12 bits: 9 of the operation, 3 of the operands' form
  SassClass kind = SassClass::unknown;
  std::uint8_t stall = 0;                      ///< cycles before the warp's next instruction
  bool yield_bit = false;                      ///< as encoded
  std::uint8_t write_barrier = kNoScoreboard;  ///< released when the result is written
  std::uint8_t read_barrier = kNoScoreboard;   ///< released when the operands are read
  std::uint8_t wait_mask = 0;                  ///< scoreboards that must be free before issue
  std::uint8_t reuse = 0;
  std::uint8_t guard = 7;           ///< predicate register; 7 = always
  std::int32_t target = kNoTarget;  ///< branch or call: index of an instruction of this code
};

/// Whether the encoding of sm_<architecture> was checked: 75 80 86 87 88 89 90 100 103 110 120 121.
[[nodiscard]] bool knows_encoding(int architecture);

/// Instructions in order, without the padding behind the last (a jump to itself, then NOPs).
/// Errors: invalid_argument for an architecture whose encoding is not known; corrupt_data when the
/// size is no multiple of 16 or a branch leaves the code.
[[nodiscard]] Result<std::vector<SassInstruction>> decode_sass(std::span<const std::byte> code,
                                                               int architecture);

/// Share of instructions that the table lacks, 0 … 1.
[[nodiscard]] double unknown_share(std::span<const SassInstruction> code);

}  // namespace warpmind::simulator
