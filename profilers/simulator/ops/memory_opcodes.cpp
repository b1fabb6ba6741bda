/// \file
/// ld, ldu, st and the hints to caches. Source: PTX ISA 9.0, 9.7.9.8 to 9.7.9.17.

#include "profilers/simulator/memory/local_access.h"
#include "profilers/simulator/ops/memory_modifiers.h"
#include "profilers/simulator/ops/opcodes.h"
#include "profilers/simulator/ops/register_transfer.h"

#include <array>

namespace warpmind::simulator {
namespace {

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
