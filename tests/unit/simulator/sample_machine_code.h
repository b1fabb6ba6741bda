#pragma once
/// \file
/// Machine code for tests: written by hand, or by ptxas where there is one.

#include "profilers/simulator/sass/sass_instruction.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace warpmind::simulator {

/// Fields of an instruction as the machine has them.
struct Encoding {
  std::uint16_t opcode = 0x918;  // NOP
  std::uint8_t stall = 1;
  std::uint8_t write_barrier = kNoScoreboard;
  std::uint8_t read_barrier = kNoScoreboard;
  std::uint8_t wait_mask = 0;
  std::int64_t offset = 0;  ///< branches: instructions from the next one
};

inline constexpr std::uint16_t kFfma = 0x223;
inline constexpr std::uint16_t kLdg = 0x981;
inline constexpr std::uint16_t kStg = 0x986;
inline constexpr std::uint16_t kBra = 0x947;
inline constexpr std::uint16_t kExit = 0x94d;

[[nodiscard]] std::vector<std::byte> encode(std::span<const Encoding> code, int architecture);

/// A cubin with one kernel `name`, as far as a reader of kernels needs it.
[[nodiscard]] std::vector<std::byte> make_cubin(const std::string& name,
                                                std::span<const std::byte> code, int architecture);

/// Output of ptxas for the body of a kernel `k(u64 a, u32 n)`; nullopt when this machine has no
/// ptxas. Registers: %r<16>, %f<16>, %l<8>, %p<4>; %l0 = a, %r0 = n.
[[nodiscard]] std::optional<std::vector<std::byte>> assemble(const std::string& body,
                                                             int architecture);

}  // namespace warpmind::simulator
