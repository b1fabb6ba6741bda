#pragma once
/// \file
/// What the decoders of single opcodes share: operands to slots, errors, lists.

#include "profilers/simulator/program/program.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace warpmind::simulator {

/// Bytes of a type by its PTX name: 0 for pred, 1, 2, 4, 8 or 16; -1 for a name that is no type.
[[nodiscard]] int type_bytes(std::string_view type);
[[nodiscard]] bool is_float_type(std::string_view type);  ///< f16 bf16 tf32 f32 f64, not the packed
[[nodiscard]] bool is_signed_type(std::string_view type);  ///< s8 … s64

/// Decodes one function. Operand errors are sticky: the first stays, later calls return slot 0, so
/// that decoders read straight on and are checked once at the end.
class DecodeContext {
 public:
  virtual ~DecodeContext() = default;

  /// A source of `bytes` (0 = predicate): a register of that size, an immediate, a special
  /// register, or a symbol's address. `type` says how an immediate is read ("f32": a number given
  /// as integer or double is converted). A register of another size is an error: decoders that take
  /// wider ones (ld, st, cvt) ask register_bytes() first. 8-bit registers count as 2 bytes.
  virtual Slot source(const ptx::Operand& operand, int bytes, std::string_view type) = 0;
  /// A register to write; "_" gets a scratch slot.
  virtual Slot destination(const ptx::Operand& operand, int bytes) = 0;
  /// Size of the operand's register in bytes; 0 = predicate; -1 = not a register.
  [[nodiscard]] virtual int register_bytes(const ptx::Operand& operand) const = 0;
  /// A slot that no register has.
  virtual Slot scratch(int bytes) = 0;
  /// The same value in all lanes, set before the program starts.
  virtual Slot constant(std::uint64_t value, int bytes) = 0;
  /// Whether `operand` is a literal, and its value.
  [[nodiscard]] virtual bool literal(const ptx::Operand& operand, std::uint64_t& value) const = 0;

  /// Sets a, address_bytes, immediate and space (kernel parameters: param; a function's own
  /// parameters and .param variables: local) from "[base+offset]" in `space`.
  virtual void address(const ptx::Operand& operand, Space space, Instruction& out) = 0;
  /// Appends slots; returns the index of the first. Vector operands of `bytes` each.
  virtual std::uint32_t list(const ptx::Operand& operand, int bytes, std::string_view type,
                             bool is_destination) = 0;
  virtual std::uint32_t add_slot(Slot slot) = 0;
  /// Number of the next memory instruction, for Instruction::access.
  virtual std::uint32_t new_access() = 0;

  /// The pc of a label.
  virtual std::int32_t label(const ptx::Operand& operand) = 0;
  /// Index into Program::tables of a .branchtargets list.
  virtual std::int32_t branch_table(const ptx::Operand& operand) = 0;
  /// Index into Program::calls of the call that `in` makes.
  virtual std::int32_t call(const ptx::Statement& in) = 0;

  /// Keeps the first message: "the modifier .foo", "operand 3".
  virtual void fail(std::string message) = 0;
  [[nodiscard]] virtual bool failed() const = 0;
};

/// Fills `out` (handler, slots, options) and `info` (pipe, flops, cost) from `in`. Whatever it does
/// not know it reports by context.fail(): an instruction is never skipped.
using Decoder = void (*)(DecodeContext& context, const ptx::Statement& in, Instruction& out,
                         InstructionInfo& info);

/// Which types an entry is for, by the statement's last modifier.
enum class TypeClass : std::uint8_t {
  any,
  integer,    ///< b8 … b128, u8 … s64
  real,       ///< f32, f64
  half,       ///< f16, bf16, f16x2, bf16x2
  predicate,  ///< pred
};

/// The first entry with the opcode whose class fits decodes the statement. Entries for the opcode
/// with its first modifier come before those for the opcode alone.
struct OpcodeEntry {
  std::string_view opcode;  ///< "add", or "bar.sync"
  TypeClass types = TypeClass::any;
  Decoder decode = nullptr;
};

}  // namespace warpmind::simulator
