#include "profilers/simulator/ptx/literal.h"
#include "profilers/simulator/ptx/module_parser.h"

#include <utility>

namespace warpmind::simulator::ptx {
namespace {

constexpr std::size_t kMostText = 200;
/// wgmma with n = 256 has 128 registers; nothing has more.
constexpr std::size_t kMostOperands = 512;

/// `source` without comments, blanks made one, cut at kMostText characters.
std::string shorten(std::string_view source) {
  std::string text;
  for (std::size_t i = 0; i < source.size() && text.size() < kMostText;) {
    if (source.substr(i, 2) == "//") {
      i = source.find('\n', i);
    } else if (source.substr(i, 2) == "/*") {
      i = source.find("*/", i) + 2;
    } else {
      const bool is_blank = source[i] == ' ' || source[i] == '\t' || source[i] == '\n' ||
                            source[i] == '\r' || source[i] == '\f' || source[i] == '\v';
      if (!is_blank) {
        text += source[i];
      } else if (!text.empty() && text.back() != ' ') {
        text += ' ';
      }
      ++i;
    }
  }
  if (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

void split_opcode(std::string_view word, Statement& statement) {
  std::size_t dot = word.find('.');
  statement.opcode = std::string(word.substr(0, dot));
  while (dot != std::string_view::npos) {
    const std::size_t begin = dot + 1;
    dot = word.find('.', begin);
    statement.modifiers.emplace_back(word.substr(begin, dot - begin));
  }
}

}  // namespace

void ModuleParser::parse_statement(Function& function, const Token& first) {
  Statement statement;
  statement.ptx_line = first.line;
  Token opcode = first;
  if (first.is("@")) {
    statement.guard_negated = reader_.accept("!");
    statement.guard = resolve(reader_.expect_word("a predicate"));
    statement.ptx_line = reader_.line();
    opcode = reader_.take();
  }
  if (opcode.kind != TokenKind::word) {
    reader_.fail_at(opcode.line, "expected an instruction, found \"" +
                                     std::string(opcode.text.substr(0, 60)) + "\"");
    return;
  }
  if (reader_.peek().is(":") && !first.is("@")) {
    reader_.take();
    parse_label(function, opcode.text);
    return;
  }
  split_opcode(opcode.text, statement);
  if (statement.opcode == "call") {
    parse_call(statement);
  } else {
    parse_operands(statement);
  }
  const char* const end = reader_.peek().text.data();
  if (!reader_.expect(";")) return;
  const char* const begin = first.text.data();
  statement.text = shorten({begin, static_cast<std::size_t>(end - begin)});
  function.body.push_back(std::move(statement));
  places_.back().push_back(place_);
}

void ModuleParser::parse_operands(Statement& statement) {
  if (reader_.peek().is(";")) return;
  do {
    statement.operands.push_back(parse_operand());
    while (reader_.accept("|")) {
      statement.operands.push_back(parse_operand());
      statement.operands.back().paired = true;
    }
    if (statement.operands.size() > kMostOperands) reader_.fail("too many operands");
  } while (reader_.accept(","));
}

/// "(ret), name, (a, b), prototype": parenthesised lists become vectors.
void ModuleParser::parse_call(Statement& statement) {
  do {
    statement.operands.push_back(reader_.accept("(") ? parse_list(")") : parse_operand());
    if (statement.operands.size() > 4) reader_.fail("too many operands of a call");
  } while (reader_.accept(","));
}

Operand ModuleParser::parse_operand() {
  if (reader_.accept("{")) return parse_list("}");
  if (reader_.accept("[")) return parse_address();
  return parse_simple_operand();
}

Operand ModuleParser::parse_simple_operand() {
  Operand operand;
  const bool is_negative = reader_.accept("-");
  operand.negated = !is_negative && reader_.accept("!");
  const Token& token = reader_.peek();
  if (token.kind == TokenKind::number && !operand.negated) {
    auto literal = parse_literal(token.text);
    if (!literal) {
      reader_.fail("\"" + std::string(token.text.substr(0, 60)) + "\" is no number");
      return operand;
    }
    if (is_negative) literal = negated(*literal);
    operand.bits = literal->bits;
    operand.kind = literal->kind == LiteralKind::integer  ? OperandKind::integer
                   : literal->kind == LiteralKind::real32 ? OperandKind::real32
                                                          : OperandKind::real64;
    reader_.take();
    return operand;
  }
  if (is_negative || token.kind != TokenKind::word) {
    reader_.fail_unexpected(is_negative ? "a number" : "an operand");
    return operand;
  }
  if (token.text == "_") {
    operand.kind = OperandKind::ignored;
  } else {
    operand.name = resolve(token.text);
  }
  reader_.take();
  // "mov.u64 %rd1, table+16"
  while (reader_.peek().is("+") || reader_.peek().is("-")) parse_address_offset(operand);
  return operand;
}

Operand ModuleParser::parse_list(std::string_view close) {
  Operand list;
  list.kind = OperandKind::vector;
  if (reader_.accept(close)) return list;
  do {
    list.elements.push_back(parse_simple_operand());
    if (list.elements.size() > kMostOperands) reader_.fail("too many operands");
  } while (reader_.accept(","));
  reader_.expect(close);
  return list;
}

Operand ModuleParser::parse_address() {
  Operand address;
  if (reader_.peek().kind == TokenKind::word) {
    address.name = resolve(reader_.take().text);
  } else {
    const Operand number = parse_simple_operand();
    if (number.kind != OperandKind::integer) reader_.fail("an address is no integer");
    address.bits = number.bits;
  }
  address.kind = OperandKind::address;
  while (reader_.peek().is("+") || reader_.peek().is("-")) parse_address_offset(address);
  if (reader_.accept(",")) {
    // [tensor, {x, y}]
    if (reader_.accept("{")) {
      address.elements = parse_list("}").elements;
    } else {
      address.elements.push_back(parse_simple_operand());
    }
  }
  reader_.expect("]");
  return address;
}

void ModuleParser::parse_address_offset(Operand& operand) {
  bool subtracts = reader_.take().is("-");
  if (reader_.accept("-")) subtracts = !subtracts;
  const auto offset = parse_literal(reader_.peek().text);
  if (reader_.peek().kind != TokenKind::number || !offset || offset->kind != LiteralKind::integer) {
    reader_.fail("the offset of an address is no integer");
    return;
  }
  reader_.take();
  operand.bits += subtracts ? ~offset->bits + 1U : offset->bits;
}

}  // namespace warpmind::simulator::ptx
