#include "profilers/simulator/ops/register_transfer.h"

#include <cstring>

namespace warpmind::simulator {
namespace {

std::byte* register_of(Warp& warp, const Instruction& instruction, std::uint32_t element) {
  return warp.registers + warp.program().slots[instruction.list + element];
}

struct Wide {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

/// Element of type Memory from each lane's pointer plus `offset` into a register of type Register.
template <class Memory, class Register>
void gather(std::byte* to, const Pointers& from, std::size_t offset, Mask active) {
  auto* const lanes = reinterpret_cast<Register*>(to);
  const auto move = [&](std::size_t i) {
    Memory value;
    std::memcpy(&value, from[i] + offset, sizeof value);
    // A signed byte is a number here: its sign is extended.
    lanes[i] = static_cast<Register>(value);  // NOLINT(bugprone-signed-char-misuse)
  };
  if (active == kAllLanes) {
    for (std::size_t i = 0; i < kLanes; ++i) move(i);
    return;
  }
  for_lanes(active, [&](int lane) { move(static_cast<std::size_t>(lane)); });
}

using Gather = void (*)(std::byte*, const Pointers&, std::size_t, Mask);

/// By bytes in memory and in the register; registers of bytes have two.
template <class Memory>
Gather gather_into(std::uint32_t register_bytes) {
  constexpr bool kIsSigned = std::is_signed_v<Memory>;
  using R2 = std::conditional_t<kIsSigned, std::int16_t, std::uint16_t>;
  using R4 = std::conditional_t<kIsSigned, std::int32_t, std::uint32_t>;
  using R8 = std::conditional_t<kIsSigned, std::int64_t, std::uint64_t>;
  switch (register_bytes) {
    case 2: return gather<Memory, R2>;
    case 4: return gather<Memory, R4>;
    default: return gather<Memory, R8>;
  }
}

Gather gather_for(const Instruction& instruction) {
  const std::uint32_t to = instruction.register_bytes;
  const bool is_signed = instruction.is_signed;
  switch (instruction.element_bytes) {
    case 1: return is_signed ? gather_into<std::int8_t>(to) : gather_into<std::uint8_t>(to);
    case 2: return is_signed ? gather_into<std::int16_t>(to) : gather_into<std::uint16_t>(to);
    case 4: return is_signed ? gather_into<std::int32_t>(to) : gather_into<std::uint32_t>(to);
    case 8: return gather<std::uint64_t, std::uint64_t>;
    default: return gather<Wide, Wide>;
  }
}

bool is_run(const Pointers& from, std::size_t bytes) {
  // Pointers that are not neighbours mostly show it at once.
  if (from[1] != from[0] + bytes || from[kLanes - 1] != from[0] + bytes * (kLanes - 1))
    return false;
  std::size_t differences = 0;
  const std::byte* expected = from[0];
  for (std::size_t i = 0; i < kLanes; ++i, expected += bytes) {
    differences |= reinterpret_cast<std::size_t>(from[i]) ^ reinterpret_cast<std::size_t>(expected);
  }
  return differences == 0;
}

template <class T>
void scatter(std::byte* to, const std::byte* from, std::size_t step, std::size_t register_bytes,
             Mask active) {
  for_lanes(active, [&](int lane) {
    const auto i = static_cast<std::size_t>(lane);
    std::memcpy(to + i * step, from + i * register_bytes, sizeof(T));
  });
}

}  // namespace

void load_registers(Warp& warp, const Instruction& instruction, Mask active, const Pointers& from) {
  const std::size_t bytes = instruction.element_bytes;
  if (active == kAllLanes && instruction.elements == 1 && bytes == instruction.register_bytes &&
      is_run(from, bytes)) {
    std::memcpy(register_of(warp, instruction, 0), from[0], bytes * kLanes);
    return;
  }
  const Gather move = gather_for(instruction);
  for (std::uint32_t k = 0; k < instruction.elements; ++k) {
    move(register_of(warp, instruction, k), from, k * bytes, active);
  }
}

void clear_registers(Warp& warp, const Instruction& instruction, Mask lanes) {
  const std::size_t bytes = instruction.register_bytes;
  for (std::uint32_t k = 0; k < instruction.elements; ++k) {
    std::byte* const to = register_of(warp, instruction, k);
    for_lanes(lanes, [&](int lane) {
      std::memset(to + static_cast<std::size_t>(lane) * bytes, 0, bytes);
    });
  }
}

const std::byte* store_values(Warp& warp, const Instruction& instruction, Mask active,
                              LaneValues& storage) {
  const std::size_t bytes = instruction.element_bytes;
  const std::size_t from_bytes = instruction.register_bytes;
  if (instruction.elements == 1 && bytes == from_bytes) return register_of(warp, instruction, 0);
  const std::size_t step = bytes * instruction.elements;
  for (std::uint32_t k = 0; k < instruction.elements; ++k) {
    const std::byte* const from = register_of(warp, instruction, k);
    std::byte* const to = storage.bytes.data() + k * bytes;
    switch (bytes) {
      case 1: scatter<std::uint8_t>(to, from, step, from_bytes, active); break;
      case 2: scatter<std::uint16_t>(to, from, step, from_bytes, active); break;
      case 4: scatter<std::uint32_t>(to, from, step, from_bytes, active); break;
      case 8: scatter<std::uint64_t>(to, from, step, from_bytes, active); break;
      default: scatter<Wide>(to, from, step, from_bytes, active); break;
    }
  }
  return storage.bytes.data();
}

}  // namespace warpmind::simulator
