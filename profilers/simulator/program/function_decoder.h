#pragma once
/// \file
/// Decodes the body of one function: the DecodeContext of its opcodes.

#include "profilers/simulator/program/decode_context.h"
#include "profilers/simulator/program/frame_layout.h"
#include "profilers/simulator/program/register_file.h"
#include "profilers/simulator/program/shared_layout.h"

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

namespace warpmind::simulator {

/// What functions of a module know of each other. All views are of the syntax.
struct ModuleSymbols {
  CompiledModule& module;  ///< with variables placed and programs numbered; counts accesses
  /// By name: the one with a body if there is one.
  std::unordered_map<std::string_view, const ptx::Function*> functions;
};

/// Use once: decode() fills the program. What it cannot decode is in Program::unsupported.
class FunctionDecoder final : public DecodeContext {
 public:
  /// `packing` may be null: every register then has a slot of its own.
  FunctionDecoder(const ModuleSymbols& symbols, const ptx::Function& function,
                  const SharedView& shared, const RegisterPacking* packing, Program& program);

  void decode();
  /// What the decoded instructions read and write.
  [[nodiscard]] const RegisterUses& uses() const { return uses_; }

  Slot source(const ptx::Operand& operand, int bytes, std::string_view type) override;
  Slot destination(const ptx::Operand& operand, int bytes) override;
  [[nodiscard]] int register_bytes(const ptx::Operand& operand) const override;
  Slot scratch(int bytes) override { return registers_.scratch(bytes); }
  Slot constant(std::uint64_t value, int bytes) override {
    return registers_.constant(value, bytes);
  }
  [[nodiscard]] bool literal(const ptx::Operand& operand, std::uint64_t& value) const override;
  void address(const ptx::Operand& operand, Space space, Instruction& out) override;
  std::uint32_t list(const ptx::Operand& operand, int bytes, std::string_view type,
                     bool is_destination) override;
  std::uint32_t add_slot(Slot slot) override;
  std::uint32_t new_access() override { return symbols_.module.accesses++; }
  std::int32_t label(const ptx::Operand& operand) override;
  std::int32_t branch_table(const ptx::Operand& operand) override;
  std::int32_t call(const ptx::Statement& in) override;
  void fail(std::string message) override;
  [[nodiscard]] bool failed() const override { return !failure_.empty(); }

 private:
  /// Where a name that is no register stands for.
  struct Symbol {
    bool is_known = false;
    Space space = Space::generic;  ///< generic: a function
    std::uint64_t value = 0;       ///< address, or offset in `space`
  };

  void decode_statement(const ptx::Statement& in);
  void decode_guard(const ptx::Statement& in, Instruction& out);
  void end_with_return();
  void set_unsupported(const std::string& where, const std::string& message);
  [[nodiscard]] std::string place_of(const ptx::Statement& in) const;

  /// Checks the size, and the slot, of a register.
  Slot register_slot(const ptx::Operand& operand, int bytes);
  Slot register_source(const ptx::Operand& operand, int bytes);
  Slot symbol_source(const ptx::Operand& operand, int bytes);
  [[nodiscard]] Symbol find_symbol(std::string_view name) const;
  [[nodiscard]] Symbol find_function(std::string_view name) const;
  void symbol_address(const Symbol& symbol, Space space, Instruction& out);

  void fill_copies(const ptx::Statement& in, const ptx::Function* callee, CallSite& site);
  void fill_callee(const ptx::Operand& operand, const ptx::Function* callee, CallSite& site);
  [[nodiscard]] bool add_argument(const ptx::Operand& operand,
                                  std::vector<ptx::Parameter>& arguments);

  const ModuleSymbols& symbols_;
  const ptx::Function& function_;
  const SharedView& shared_;
  Program& program_;
  RegisterFile registers_;
  FrameLayout frame_;
  std::unordered_map<std::string_view, const ptx::Parameter*> entry_parameters_;
  std::map<std::string, std::int32_t, std::less<>> tables_;
  RegisterUses uses_;
  std::string failure_;  ///< of the statement at hand
};

}  // namespace warpmind::simulator
