/// \file
/// FunctionDecoder: operands to slots and addresses.

#include "profilers/simulator/program/function_decoder.h"
#include "profilers/simulator/program/special_registers.h"
#include "profilers/simulator/ptx/literal.h"

#include <limits>

namespace warpmind::simulator {
namespace {

using ptx::OperandKind;

constexpr std::uint64_t kWarpSize = kLanes;

bool is_literal(const ptx::Operand& operand) {
  return operand.kind == OperandKind::integer || operand.kind == OperandKind::real32 ||
         operand.kind == OperandKind::real64;
}

ptx::Literal literal_of(const ptx::Operand& operand) {
  const auto kind = operand.kind == OperandKind::integer  ? ptx::LiteralKind::integer
                    : operand.kind == OperandKind::real32 ? ptx::LiteralKind::real32
                                                          : ptx::LiteralKind::real64;
  return {kind, operand.bits};
}

std::string size_name(int bytes) {
  return bytes == 0 ? "a predicate" : std::to_string(bytes) + " bytes";
}

std::string describe(const ptx::Operand& operand) {
  switch (operand.kind) {
    case OperandKind::name: return operand.name;
    case OperandKind::address: return "[" + operand.name + "]";
    case OperandKind::vector: return "{…}";
    case OperandKind::ignored: return "_";
    case OperandKind::integer:
    case OperandKind::real32:
    case OperandKind::real64: break;
  }
  return "a number";
}

}  // namespace

int FunctionDecoder::register_bytes(const ptx::Operand& operand) const {
  return operand.kind == OperandKind::name ? registers_.bytes(operand.name) : -1;
}

bool FunctionDecoder::literal(const ptx::Operand& operand, std::uint64_t& value) const {
  if (operand.kind == OperandKind::name && operand.name == "WARP_SZ") {
    value = kWarpSize;
    return true;
  }
  if (!is_literal(operand)) return false;
  value = operand.bits;
  return true;
}

Slot FunctionDecoder::source(const ptx::Operand& operand, int bytes, std::string_view type) {
  if (is_literal(operand)) {
    const ptx::LiteralType wanted{bytes, is_float_type(type), type == "bf16"};
    return registers_.constant(ptx::literal_bits(literal_of(operand), wanted), bytes);
  }
  if (operand.kind != OperandKind::name) {
    fail("the operand " + describe(operand) + " is no value");
    return 0;
  }
  if (registers_.bytes(operand.name) >= 0) return register_source(operand, bytes);
  if (operand.name == "WARP_SZ") return registers_.constant(kWarpSize, bytes);
  if (const auto special = find_special_register(operand.name); special) {
    if (bytes == 2 || bytes == 4 || bytes == 8) return registers_.special(*special, bytes);
    fail("the register " + operand.name + " is not " + size_name(bytes));
    return 0;
  }
  return symbol_source(operand, bytes);
}

Slot FunctionDecoder::register_source(const ptx::Operand& operand, int bytes) {
  uses_.back().reads.push_back(registers_.number(operand.name));
  return register_slot(operand, bytes);
}

Slot FunctionDecoder::register_slot(const ptx::Operand& operand, int bytes) {
  const int declared = registers_.bytes(operand.name);
  if (declared != (bytes == 1 ? 2 : bytes)) {
    fail("the register " + operand.name + " has " + size_name(declared) + ", not " +
         size_name(bytes));
    return 0;
  }
  if (operand.bits != 0) {
    fail("a number is added to the register " + operand.name);
    return 0;
  }
  return registers_.slot(operand.name);
}

Slot FunctionDecoder::symbol_source(const ptx::Operand& operand, int bytes) {
  const Symbol symbol = find_symbol(operand.name);
  if (!symbol.is_known) {
    fail("\"" + operand.name +
         "\" is no register, no special register and no symbol that is known");
    return 0;
  }
  const std::uint64_t value = symbol.value + operand.bits;
  if (bytes < 8 && (bytes < 4 || value > std::numeric_limits<std::uint32_t>::max())) {
    fail("the address of " + operand.name + " does not fit into " + size_name(bytes));
    return 0;
  }
  return symbol.space == Space::local ? registers_.local_address(value, bytes)
                                      : registers_.constant(value, bytes);
}

Slot FunctionDecoder::destination(const ptx::Operand& operand, int bytes) {
  if (operand.kind == OperandKind::ignored) return registers_.scratch(bytes);
  if (register_bytes(operand) < 0) {
    fail("the destination " + describe(operand) + " is no register");
    return 0;
  }
  uses_.back().writes.push_back(registers_.number(operand.name));
  return register_slot(operand, bytes);
}

FunctionDecoder::Symbol FunctionDecoder::find_symbol(std::string_view name) const {
  if (const auto at = entry_parameters_.find(name); at != entry_parameters_.end()) {
    return {true, Space::param, at->second->offset};
  }
  if (const auto at = frame_.offsets.find(name); at != frame_.offsets.end()) {
    return {true, Space::local, at->second};
  }
  if (const auto at = shared_.offsets.find(name); at != shared_.offsets.end()) {
    return {true, Space::shared, at->second};
  }
  const auto& variables = symbols_.module.variables;
  if (const auto at = variables.find(name); at != variables.end()) {
    return {true, at->second.variable.space, at->second.address};
  }
  return find_function(name);
}

FunctionDecoder::Symbol FunctionDecoder::find_function(std::string_view name) const {
  const auto at = symbols_.module.program_index.find(name);
  if (at == symbols_.module.program_index.end()) return {};
  return {true, Space::generic, kFunctionAddresses + 16ULL * at->second};
}

void FunctionDecoder::address(const ptx::Operand& operand, Space space, Instruction& out) {
  out.space = space;
  out.address_bytes = 0;
  out.a = kNoSlot;
  if (operand.kind != OperandKind::address) {
    fail("the operand " + describe(operand) + " is no address");
    return;
  }
  out.immediate = static_cast<std::int64_t>(operand.bits);
  if (operand.name.empty()) return;
  const int bytes = registers_.bytes(operand.name);
  if (bytes >= 0) {
    if (bytes != 4 && bytes != 8) {
      fail("the register " + operand.name + " has " + size_name(bytes) + ": no address");
      return;
    }
    out.a = registers_.slot(operand.name);
    uses_.back().reads.push_back(registers_.number(operand.name));
    out.address_bytes = static_cast<std::uint8_t>(bytes);
    // A function's own parameters lie in its frame.
    if (space == Space::param && !program_.is_entry) out.space = Space::local;
    return;
  }
  const Symbol symbol = find_symbol(operand.name);
  if (!symbol.is_known) {
    fail("there is no symbol " + operand.name);
    return;
  }
  symbol_address(symbol, space, out);
  if (failed()) return;
  out.immediate = static_cast<std::int64_t>(symbol.value + operand.bits);
}

/// A symbol fixes the space: "ld.param [x]" reads local memory when x is a call's argument, and an
/// access without a space goes where the symbol is.
void FunctionDecoder::symbol_address(const Symbol& symbol, Space space, Instruction& out) {
  const bool is_frame_parameter = space == Space::param && symbol.space == Space::local;
  // Constant variables have device addresses, too.
  const bool is_constant = space == Space::global && symbol.space == Space::constant;
  if (symbol.space == Space::generic ||
      (space != Space::generic && space != symbol.space && !is_frame_parameter && !is_constant)) {
    fail("the symbol lies in another state space");
    return;
  }
  out.space = is_constant ? space : symbol.space;
}

std::uint32_t FunctionDecoder::list(const ptx::Operand& operand, int bytes, std::string_view type,
                                    bool is_destination) {
  const auto first = static_cast<std::uint32_t>(program_.slots.size());
  const auto add = [&](const ptx::Operand& element) {
    program_.slots.push_back(is_destination ? destination(element, bytes)
                                            : source(element, bytes, type));
  };
  if (operand.kind != OperandKind::vector) {
    add(operand);
  } else {
    // Elements of elements are not appended in between: lists are flat.
    for (const auto& element : operand.elements) add(element);
  }
  return first;
}

std::uint32_t FunctionDecoder::add_slot(Slot slot) {
  program_.slots.push_back(slot);
  return static_cast<std::uint32_t>(program_.slots.size() - 1);
}

}  // namespace warpmind::simulator
