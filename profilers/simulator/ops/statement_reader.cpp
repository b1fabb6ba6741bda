#include "profilers/simulator/ops/statement_reader.h"

#include <string>

namespace warpmind::simulator {

StatementReader::StatementReader(DecodeContext& context, const ptx::Statement& statement,
                                 Instruction& instruction, InstructionInfo& info)
    : out(instruction),
      context_(context),
      statement_(statement),
      info_(info),
      taken_(statement.modifiers.size(), false) {}

bool StatementReader::take(std::string_view modifier) {
  for (std::size_t i = 0; i < taken_.size(); ++i) {
    if (!taken_[i] && statement_.modifiers[i] == modifier) {
      taken_[i] = true;
      return true;
    }
  }
  return false;
}

int StatementReader::take_one_of(std::initializer_list<std::string_view> names) {
  int index = 0;
  for (const std::string_view name : names) {
    if (take(name)) return index;
    ++index;
  }
  return -1;
}

std::string_view StatementReader::take_type() {
  for (std::size_t i = taken_.size(); i-- > 0;) {
    if (!taken_[i]) {
      taken_[i] = true;
      return statement_.modifiers[i];
    }
  }
  return {};
}

std::optional<Rounding> StatementReader::take_rounding() {
  switch (take_one_of({"rn", "rz", "rm", "rp"})) {
    case 0: return Rounding::nearest_even;
    case 1: return Rounding::zero;
    case 2: return Rounding::down;
    case 3: return Rounding::up;
    default: return std::nullopt;
  }
}

const ptx::Operand& StatementReader::peek() const {
  static const ptx::Operand none;
  return next_ < statement_.operands.size() ? statement_.operands[next_] : none;
}

const ptx::Operand& StatementReader::next() {
  const ptx::Operand& operand = peek();
  if (next_ == statement_.operands.size()) {
    fail("operand " + std::to_string(next_ + 1) + ", which is missing");
  } else {
    ++next_;
  }
  return operand;
}

Slot StatementReader::source(int bytes, std::string_view type) {
  const ptx::Operand& operand = next();
  return context_.failed() ? 0 : context_.source(operand, bytes, type);
}

Slot StatementReader::destination(int bytes) {
  const ptx::Operand& operand = next();
  return context_.failed() ? 0 : context_.destination(operand, bytes);
}

Slot StatementReader::predicate_source(bool& negated) {
  ptx::Operand plain = next();
  negated = plain.negated;
  plain.negated = false;
  return context_.failed() ? 0 : context_.source(plain, 0, "pred");
}

std::uint64_t StatementReader::literal() {
  const std::size_t number = next_ + 1;
  const ptx::Operand& operand = next();
  std::uint64_t value = 0;
  if (!context_.failed() && !context_.literal(operand, value)) {
    fail("operand " + std::to_string(number) + ", which must be a number");
  }
  return value;
}

void StatementReader::read_operands(int sources, int bytes, std::string_view type) {
  out.d = destination(bytes);
  out.a = source(bytes, type);
  if (sources > 1) out.b = source(bytes, type);
  if (sources > 2) out.c = source(bytes, type);
}

void StatementReader::use(Handler handler, std::string_view type) {
  out.handler = handler;
  if (handler == nullptr) fail("the type ." + std::string(type));
}

void StatementReader::set_cost(Pipe pipe, float cost) {
  info_.pipe = pipe;
  info_.cost = cost;
}

void StatementReader::set_flops(FlopKind kind, int flops) {
  info_.flop_kind = kind;
  info_.flops = static_cast<std::uint16_t>(flops);
}

void StatementReader::finish() {
  for (std::size_t i = 0; i < taken_.size(); ++i) {
    if (!taken_[i]) fail("the modifier ." + statement_.modifiers[i]);
  }
  if (next_ < statement_.operands.size()) fail("operand " + std::to_string(next_ + 1));
}

}  // namespace warpmind::simulator
