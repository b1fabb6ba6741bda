#include "profilers/simulator/ptx/literal.h"
#include "profilers/simulator/ptx/module_parser.h"

#include <algorithm>
#include <bit>

namespace warpmind::simulator::ptx {
namespace {

/// More is no variable of a device that exists; keeps sums of sizes from overflowing.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 40U;
/// Initial values are written one by one, so a text that has them is at least as long.
constexpr std::uint64_t kMostInitialBytes = std::uint64_t{1} << 30U;
constexpr std::size_t kMostDimensions = 8;

bool is_real(std::string_view type) { return type.starts_with('f') || type.starts_with("bf"); }

}  // namespace

ModuleParser::Declarator ModuleParser::parse_type() {
  Declarator declarator;
  std::uint64_t vector = 1;
  while (reader_.peek().kind == TokenKind::word && reader_.peek().text.starts_with('.')) {
    const std::string_view word = reader_.take().text;
    Space pointee = Space::generic;
    const int bytes = declared_bytes(word.substr(1));
    if (bytes >= 0) {
      declarator.element_bytes = static_cast<std::uint64_t>(bytes);
      declarator.type = word.substr(1);
    } else if (word == ".align") {
      const std::uint64_t alignment = reader_.expect_count("an alignment");
      if (!std::has_single_bit(alignment) || alignment > 4096) {
        reader_.fail("an alignment is a power of two up to 4096");
      }
      declarator.alignment = static_cast<std::uint32_t>(alignment);
    } else if (word == ".v2" || word == ".v4") {
      vector = word == ".v2" ? 2 : 4;
    } else if (word == ".attribute") {
      // ".attribute(.managed)": managed memory is device memory here.
      reader_.expect("(");
      while (!reader_.at_end() && !reader_.accept(")")) reader_.take();
    } else if (word == ".ptr") {
      // ".param .u64 .ptr .global .align 16 name": a promise about the pointee.
      if (find_space(reader_.peek().text, pointee)) reader_.take();
      if (reader_.accept(".align")) (void)reader_.expect_count("an alignment");
    } else {
      reader_.fail("\"" + std::string(word.substr(0, 60)) + "\" is no type that is read");
    }
  }
  if (declarator.type.empty()) reader_.fail_unexpected("a type");
  declarator.element_bytes *= vector;
  return declarator;
}

void ModuleParser::parse_name(Declarator& declarator) {
  declarator.name = reader_.expect_word("a name");
  while (reader_.accept("[")) {
    declarator.dimensions.push_back(parse_dimension());
    if (declarator.dimensions.size() > kMostDimensions) reader_.fail("too many dimensions");
  }
}

std::uint64_t ModuleParser::parse_dimension() {
  if (reader_.accept("]")) return 0;
  const std::uint64_t count = reader_.expect_count("the size of an array");
  reader_.expect("]");
  return count;
}

std::uint64_t ModuleParser::total_bytes(const Declarator& declarator) {
  std::uint64_t bytes = declarator.element_bytes;
  for (const std::uint64_t count : declarator.dimensions) {
    if (count != 0 && bytes > kMostBytes / count) {
      reader_.fail("a variable is larger than 2^40 bytes");
      return 0;
    }
    bytes *= count;
  }
  return bytes;
}

std::vector<Variable> ModuleParser::parse_variables(Space space, const Linkage& linkage) {
  std::vector<Variable> variables;
  const Declarator type = parse_type();
  do {
    variables.push_back(parse_variable(type, space, linkage));
  } while (reader_.accept(","));
  reader_.expect(";");
  return variables;
}

Variable ModuleParser::parse_variable(Declarator declarator, Space space, const Linkage& linkage) {
  parse_name(declarator);
  Variable variable;
  variable.name = std::string(declarator.name);
  variable.space = space;
  variable.alignment = static_cast<std::uint32_t>(declarator.natural_alignment());
  variable.is_extern = linkage.is_extern;
  variable.bytes = total_bytes(declarator);
  if (reader_.accept("=")) parse_initialiser(declarator, variable);
  return variable;
}

void ModuleParser::parse_initialiser(const Declarator& declarator, Variable& variable) {
  if (!reader_.peek().is("{")) {
    parse_initial_element(declarator, 0, variable);
    return;
  }
  // rows[d]: elements of one entry of dimension d. A row that ends early is filled with zeros.
  std::vector<std::uint64_t> rows(std::max<std::size_t>(declarator.dimensions.size(), 1), 1);
  for (std::size_t d = rows.size() - 1; d > 0; --d) {
    rows[d - 1] = rows[d] * declarator.dimensions[d];
  }
  std::uint64_t index = 0;
  std::size_t depth = 0;
  while (!reader_.failed()) {
    if (reader_.accept("{")) {
      if (++depth > rows.size()) reader_.fail("an initialiser has too many braces");
    } else if (reader_.accept("}")) {
      if (--depth == 0) break;
      const std::uint64_t row = rows[depth - 1];
      if (row > 1) index = (index + row - 1) / row * row;
    } else if (!reader_.accept(",")) {
      parse_initial_element(declarator, index++, variable);
    }
    if (reader_.at_end()) reader_.fail("an initialiser does not end");
  }
  // "x[] = {1, 2}" takes its size from its values.
  if (variable.bytes == 0 && !variable.is_extern) variable.bytes = variable.initial.size();
}

void ModuleParser::parse_initial_element(const Declarator& declarator, std::uint64_t index,
                                         Variable& variable) {
  const bool is_negative = reader_.accept("-");
  if (reader_.peek().kind == TokenKind::number) {
    const Token token = reader_.take();
    auto literal = parse_literal(token.text);
    if (reader_.peek().is("(")) literal.reset();  // 0xff(symbol): one byte of an address
    if (!literal) {
      reader_.fail_at(token.line, "\"" + std::string(token.text.substr(0, 60)) +
                                      "\" is no initial value that is read");
      return;
    }
    const LiteralType type{static_cast<int>(declared_bytes(declarator.type)),
                           is_real(declarator.type), declarator.type.starts_with("bf")};
    put_element(declarator, index, literal_bits(is_negative ? negated(*literal) : *literal, type),
                variable);
    return;
  }
  const bool is_generic = !is_negative && reader_.accept("generic") && reader_.expect("(");
  Variable::Reference reference;
  reference.symbol = std::string(reader_.expect_word("an initial value"));
  if (is_generic) reader_.expect(")");
  while (reader_.peek().is("+") || reader_.peek().is("-")) {
    bool subtracts = reader_.take().is("-");
    if (reader_.accept("-")) subtracts = !subtracts;
    const auto count = static_cast<std::int64_t>(reader_.expect_count("an offset"));
    reference.addend += subtracts ? -count : count;
  }
  if (is_negative || declared_bytes(declarator.type) != 8) {
    reader_.fail("the address of " + reference.symbol.substr(0, 60) +
                 " can only be the value of 8 bytes");
  }
  put_element(declarator, index, 0, variable);
  reference.offset = index * 8;
  variable.references.push_back(std::move(reference));
}

void ModuleParser::put_element(const Declarator& declarator, std::uint64_t index,
                               std::uint64_t bits, Variable& variable) {
  const auto bytes = static_cast<std::uint64_t>(declared_bytes(declarator.type));
  const std::uint64_t begin = index * bytes;
  const bool is_open = !declarator.dimensions.empty() && declarator.dimensions.front() == 0;
  if (bytes == 0 || bytes > 8 || begin + bytes > kMostInitialBytes ||
      (!is_open && begin + bytes > variable.bytes)) {
    reader_.fail("an initial value lies outside of " + variable.name.substr(0, 60));
    return;
  }
  if (variable.initial.size() < begin + bytes) variable.initial.resize(begin + bytes);
  for (std::uint64_t i = 0; i < bytes; ++i) {
    variable.initial[begin + i] = static_cast<std::uint8_t>(bits >> (8 * i));
  }
}

}  // namespace warpmind::simulator::ptx
