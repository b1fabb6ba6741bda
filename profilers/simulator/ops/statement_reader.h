#pragma once
/// \file
/// Reads one statement for a decoder: modifiers are taken by name, operands in order. What is left
/// over at the end is an error, so that nothing is skipped.

#include "profilers/simulator/ops/rounding.h"
#include "profilers/simulator/program/decode_context.h"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

namespace warpmind::simulator {

class StatementReader {
 public:
  StatementReader(DecodeContext& context, const ptx::Statement& statement, Instruction& out,
                  InstructionInfo& info);

  /// True, once, when the statement has the modifier.
  bool take(std::string_view modifier);
  /// Index of the first of `names` that the statement has; -1 = none.
  int take_one_of(std::initializer_list<std::string_view> names);
  /// The last modifier that is not taken: the type of most instructions. Empty = none is left.
  std::string_view take_type();
  /// .rn .rz .rm .rp
  std::optional<Rounding> take_rounding();

  [[nodiscard]] const ptx::Statement& statement() const { return statement_; }
  [[nodiscard]] DecodeContext& context() { return context_; }
  [[nodiscard]] std::size_t operands_left() const { return statement_.operands.size() - next_; }
  /// The operand that is read next; an empty one after the last.
  [[nodiscard]] const ptx::Operand& peek() const;
  /// Skips an operand that the decoder read itself.
  const ptx::Operand& next();

  Slot source(int bytes, std::string_view type);
  Slot destination(int bytes);
  /// A predicate to read; `negated` says whether "!" stood before it.
  Slot predicate_source(bool& negated);
  /// A number written in the text; an error when it is none.
  std::uint64_t literal();

  /// d and as many sources of the same size as `sources` says.
  void read_operands(int sources, int bytes, std::string_view type);

  /// Null: the type is named as unknown.
  void use(Handler handler, std::string_view type);
  void set_cost(Pipe pipe, float cost);
  void set_flops(FlopKind kind, int flops);
  void fail(std::string message) { context_.fail(std::move(message)); }

  /// Names a modifier or an operand that was not read.
  void finish();

  Instruction& out;

 private:
  DecodeContext& context_;
  const ptx::Statement& statement_;
  InstructionInfo& info_;
  std::vector<bool> taken_;
  std::size_t next_ = 0;
};

/// Makes a table's decoder of a function that reads.
template <void (*Read)(StatementReader&)>
void decode_with(DecodeContext& context, const ptx::Statement& in, Instruction& out,
                 InstructionInfo& info) {
  StatementReader reader(context, in, out, info);
  Read(reader);
  reader.finish();
}

}  // namespace warpmind::simulator
