#include "profilers/simulator/ops/memory_opcodes.h"

#include "profilers/simulator/memory/global_access.h"
#include "profilers/simulator/memory/local_access.h"
#include "profilers/simulator/ops/memory_modifiers.h"
#include "profilers/simulator/ops/statement_reader.h"

#include <array>
#include <cstddef>
#include <cstring>

namespace warpmind::simulator {
namespace {

// Between memory and the registers of a load or store: Instruction::list names them, one for each
// element of a lane.

/// 32 lanes of up to kMostLaneBytes, lane after lane without gaps.
struct alignas(64) LaneValues {
  std::array<std::byte, std::size_t{kMostLaneBytes} * kLanes> bytes;
};

/// Fills the registers of `active` from memory, extended by zeros or the sign.
void load_registers(Warp& warp, const Instruction& instruction, Mask active, const Pointers& from);
/// Zeros, for lanes whose load failed.
void clear_registers(Warp& warp, const Instruction& instruction, Mask lanes);

/// The values to store, lane after lane: in `storage`, or where the registers are.
[[nodiscard]] const std::byte* store_values(Warp& warp, const Instruction& instruction, Mask active,
                                            LaneValues& storage);

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

// ld, ldu, st and the hints to caches. Source: PTX ISA 9.0, 9.7.9.8 to 9.7.9.17.

/// Registers hold at least so many bytes.
constexpr int kLeastRegister = 2;

Access access_of(Warp& warp, const Instruction& instruction, Mask active) {
  Access access{warp, instruction, active,
                std::uint32_t{instruction.element_bytes} * instruction.elements,
                instruction.is_store};
  gather_addresses(warp, instruction, access.addresses);
  return access;
}

/// Symbols of local memory count from the frame's begin.
void add_frame(Warp& warp, const Instruction& instruction, Addresses& addresses) {
  if (instruction.space != Space::local || instruction.address_bytes != 0) return;
  addresses.fill(static_cast<std::uint64_t>(instruction.immediate) + warp.frames.back().local_base);
}

void load(Warp& warp, const Instruction& instruction, Mask active) {
  Access access = access_of(warp, instruction, active);
  add_frame(warp, instruction, access.addresses);
  Pointers from;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled for active lanes
  read_memory(access, from);
  if (access.active != active) clear_registers(warp, instruction, active & ~access.active);
  if (access.active != 0) load_registers(warp, instruction, access.active, from);
}

/// A kernel parameter at a fixed place: the same for all lanes.
void load_parameter(Warp& warp, const Instruction& instruction, Mask active) {
  auto& parameters = warp.launch->parameters;
  const auto offset = static_cast<std::uint64_t>(instruction.immediate);
  const std::uint64_t bytes = std::uint64_t{instruction.element_bytes} * instruction.elements;
  if (instruction.address_bytes != 0 || offset + bytes > parameters.size()) {
    load(warp, instruction, active);
    return;
  }
  Pointers from;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  from.fill(parameters.data() + offset);
  load_registers(warp, instruction, active, from);
}

void store(Warp& warp, const Instruction& instruction, Mask active) {
  Access access = access_of(warp, instruction, active);
  add_frame(warp, instruction, access.addresses);
  LaneValues storage;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled for active lanes
  write_memory(access, store_values(warp, instruction, active, storage));
}

void nothing(Warp& /*warp*/, const Instruction& /*instruction*/, Mask /*active*/) {}

/// Bytes of the registers behind an operand of `element` bytes; -1 for registers that do not fit.
int register_bytes_of(StatementReader& read, const ptx::Operand& operand, int element) {
  const int least = std::max(element, kLeastRegister);
  const auto declared = [&](const ptx::Operand& one) { return read.context().register_bytes(one); };
  if (operand.kind != ptx::OperandKind::vector) {
    const int bytes = declared(operand);
    return bytes <= 0 ? least : bytes;
  }
  for (const ptx::Operand& one : operand.elements) {
    if (const int bytes = declared(one); bytes > 0) return bytes;
  }
  return least;
}

bool is_signed_integer(std::string_view type) { return !type.empty() && type[0] == 's'; }

void read_elements(StatementReader& read, const ptx::Operand& operand, std::string_view type,
                   bool is_destination) {
  Instruction& out = read.out;
  const int bytes = type_bytes(type);
  if (bytes <= 0) {
    read.fail("the type ." + std::string(type));
    return;
  }
  const std::size_t given = operand.kind == ptx::OperandKind::vector ? operand.elements.size() : 1;
  if (given != out.elements) {
    read.fail("an operand of " + std::to_string(given) + " elements, not " +
              std::to_string(out.elements));
    return;
  }
  const int in_register = register_bytes_of(read, operand, bytes);
  if (in_register < bytes || bytes * out.elements > static_cast<int>(kMostLaneBytes)) {
    read.fail("the size of an operand");
    return;
  }
  out.element_bytes = static_cast<std::uint8_t>(bytes);
  out.register_bytes = static_cast<std::uint8_t>(in_register);
  out.is_signed = is_signed_integer(type);
  // Immediates are of the element's type; a wider register has no other use.
  out.list = read.context().list(operand, in_register, type, is_destination);
}

/// Parameters are constants or registers in machine code: no memory instruction is counted.
void set_memory_cost(StatementReader& read, bool is_parameter) {
  if (is_parameter) {
    read.set_cost(Pipe::free, 0);
    return;
  }
  read.set_cost(Pipe::memory, 1);
  read.out.access = read.context().new_access();
}

void decode_load(StatementReader& read) {
  Instruction& out = read.out;
  const Space space = take_space(read);
  out.option = take_ordering(read);
  out.non_coherent = read.take("nc");
  const bool has_policy = take_cache_hints(read);
  out.elements = take_vector(read);
  const std::string_view type = read.take_type();
  const ptx::Operand& to = read.next();
  const ptx::Operand& from = read.next();
  skip_policy(read, has_policy);
  if (read.context().failed()) return;
  read.context().address(from, space, out);
  read_elements(read, to, type, true);
  set_memory_cost(read, space == Space::param);
  out.handler = out.space == Space::param ? load_parameter : load;
}

void decode_store(StatementReader& read) {
  Instruction& out = read.out;
  const Space space = take_space(read);
  out.option = take_ordering(read);
  const bool has_policy = take_cache_hints(read);
  out.elements = take_vector(read);
  out.is_store = true;
  const std::string_view type = read.take_type();
  const ptx::Operand& to = read.next();
  const ptx::Operand& from = read.next();
  skip_policy(read, has_policy);
  if (read.context().failed()) return;
  read.context().address(to, space, out);
  read_elements(read, from, type, false);
  set_memory_cost(read, space == Space::param);
  if (out.space == Space::param || out.space == Space::constant) {
    read.fail("a store to memory that cannot be written");
  }
  out.handler = store;
}

/// prefetch, applypriority, discard, createpolicy-free hints: they change no value.
void decode_hint(StatementReader& read) {
  const Space space = take_space(read);
  static constexpr std::array<std::string_view, 8> kLevels = {
      "L1", "L2", "tensormap", "L2::evict_last", "L2::evict_normal", "L2::128B", "uniform", "keep"};
  for (const std::string_view level : kLevels) (void)read.take(level);
  read.context().address(read.next(), space, read.out);
  while (read.operands_left() > 0) (void)read.next();
  read.set_cost(Pipe::memory, 1);
  read.out.handler = nothing;
}

/// A cache policy is only handed to loads, which ignore it.
void decode_createpolicy(StatementReader& read) {
  while (!read.take_type().empty()) {
  }
  read.out.d = read.destination(8);
  while (read.operands_left() > 0) (void)read.next();
  read.set_cost(Pipe::alu, 1);
  read.out.handler = nothing;
}

}  // namespace

std::span<const OpcodeEntry> memory_opcodes() {
  static constexpr std::array table = {
      OpcodeEntry{"ld", TypeClass::any, decode_with<decode_load>},
      OpcodeEntry{"ldu", TypeClass::any, decode_with<decode_load>},
      OpcodeEntry{"st", TypeClass::any, decode_with<decode_store>},
      OpcodeEntry{"prefetch", TypeClass::any, decode_with<decode_hint>},
      OpcodeEntry{"prefetchu", TypeClass::any, decode_with<decode_hint>},
      OpcodeEntry{"applypriority", TypeClass::any, decode_with<decode_hint>},
      OpcodeEntry{"discard", TypeClass::any, decode_with<decode_hint>},
      OpcodeEntry{"createpolicy", TypeClass::any, decode_with<decode_createpolicy>},
  };
  return table;
}

}  // namespace warpmind::simulator
