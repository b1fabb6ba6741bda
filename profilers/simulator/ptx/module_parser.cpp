#include "profilers/simulator/ptx/module_parser.h"

#include "base/sequence.h"
#include "profilers/simulator/ptx/literal.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <utility>

namespace warpmind::simulator::ptx {
namespace {

constexpr std::size_t kMostScopes = 256;
constexpr std::size_t kMostRegisters = 1'000'000;

void rename_labels(const Scope& scope, Operand& operand) {
  if (operand.kind == OperandKind::name) {
    const auto found = scope.labels.find(operand.name);
    if (found != scope.labels.end()) operand.name = found->second;
  }
}

}  // namespace

void ModuleParser::parse_body(Function& function) {
  scopes_.clear();
  scopes_opened_ = 0;
  open_scope(function);
  while (!reader_.failed()) {
    const Token& token = reader_.peek();
    if (token.kind == TokenKind::end) {
      reader_.fail("the body of " + function.name.substr(0, 60) + " does not end");
    } else if (reader_.accept("{")) {
      open_scope(function);
    } else if (reader_.accept("}")) {
      close_scope(function);
      if (scopes_.empty()) return;
    } else if (token.kind == TokenKind::word && token.text.starts_with('.')) {
      parse_body_directive(function);
    } else if (!reader_.accept(";")) {
      parse_statement(function, reader_.take());
    }
  }
}

void ModuleParser::open_scope(const Function& function) {
  if (scopes_.size() == kMostScopes) {
    reader_.fail("braces are nested too deeply");
    return;
  }
  ++scopes_opened_;
  Scope& scope = scopes_.emplace_back();
  scope.id = scopes_opened_;
  scope.first_statement = function.body.size();
}

void ModuleParser::close_scope(Function& function) {
  // A label may be used before it stands: only now are all of this scope known.
  const Scope& scope = scopes_.back();
  if (scopes_.size() > 1 && !scope.labels.empty()) {
    for (std::size_t i = scope.first_statement; i < function.body.size(); ++i) {
      for (auto& operand : function.body[i].operands) rename_labels(scope, operand);
    }
    for (const auto& [label, unique] : scope.labels) {
      const auto list = function.target_lists.find(unique);
      if (list == function.target_lists.end()) continue;
      for (auto& target : list->second) {
        const auto found = scope.labels.find(target);
        if (found != scope.labels.end()) target = found->second;
      }
    }
  }
  scopes_.pop_back();
}

/// Makes `name` unique. The function's own names stay, and the compiler sees when one is there
/// twice.
void ModuleParser::declare(std::string& name) {
  if (scopes_.size() < 2) return;
  std::string unique = scopes_.back().unique(name);
  if (!scopes_.back().names.emplace(name, unique).second) {
    reader_.fail("\"" + name.substr(0, 60) + "\" is declared twice");
  }
  name = std::move(unique);
}

std::string ModuleParser::resolve(std::string_view name) const {
  for (std::size_t i = scopes_.size(); i-- > 1;) {
    const auto found = scopes_[i].names.find(name);
    if (found != scopes_[i].names.end()) return found->second;
  }
  return std::string(name);
}

void ModuleParser::parse_body_directive(Function& function) {
  const Token directive = reader_.take();
  Space space = Space::generic;
  if (directive.is(".loc")) {
    parse_location();
  } else if (directive.is(".reg")) {
    parse_registers(function);
  } else if (find_space(directive.text, space)) {
    parse_body_variables(function, space);
  } else if (directive.is(".pragma")) {
    // "nounroll" and the like: they change no result.
    while (!reader_.at_end() && !reader_.accept(";")) reader_.take();
  } else {
    reader_.fail_at(directive.line, "\"" + std::string(directive.text.substr(0, 60)) +
                                        "\" is no directive of a body that is read");
  }
}

void ModuleParser::parse_body_variables(Function& function, Space space) {
  for (Variable& variable : parse_variables(space, {})) {
    if (space == Space::global || space == Space::constant) {
      module_.variables.push_back(std::move(variable));
    } else {
      declare(variable.name);
      function.variables.push_back(std::move(variable));
    }
  }
}

void ModuleParser::parse_registers(Function& function) {
  std::string_view type;
  while (reader_.peek().kind == TokenKind::word && reader_.peek().text.starts_with('.')) {
    type = reader_.take().text.substr(1);
    if (declared_bytes(type) < 0) {
      reader_.fail("\"." + std::string(type.substr(0, 60)) + "\" is no type of registers");
    }
  }
  if (type.empty()) reader_.fail_unexpected("a type of registers");
  do {
    declare_registers(function, reader_.expect_word("the name of a register"), type);
  } while (reader_.accept(","));
  reader_.expect(";");
}

void ModuleParser::declare_register(Function& function, std::string name, std::string_view type) {
  declare(name);
  function.registers.push_back({std::move(name), std::string(type)});
}

void ModuleParser::declare_registers(Function& function, std::string_view name,
                                     std::string_view type) {
  if (!reader_.accept("<")) {
    declare_register(function, std::string(name), type);
    return;
  }
  const std::uint64_t count = reader_.expect_count("a number of registers");
  reader_.expect(">");
  if (function.registers.size() + count > kMostRegisters) {
    reader_.fail("a function has more than a million registers");
    return;
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    declare_register(function, std::string(name) + std::to_string(i), type);
  }
}

void ModuleParser::parse_label(Function& function, std::string_view name) {
  const std::string unique = scopes_.size() > 1 ? scopes_.back().unique(name) : std::string(name);
  if (scopes_.size() > 1) scopes_.back().labels.emplace(name, unique);
  const auto position = static_cast<std::uint32_t>(function.body.size());
  if (!function.labels.emplace(unique, position).second) {
    reader_.fail("the label " + std::string(name.substr(0, 60)) + " stands twice");
    return;
  }
  const bool is_list = reader_.peek().is(".branchtargets") || reader_.peek().is(".calltargets");
  if (is_list) {
    reader_.take();
    auto& targets = function.target_lists[unique];
    do {
      targets.emplace_back(reader_.expect_word("a target"));
    } while (reader_.accept(","));
    reader_.expect(";");
  } else if (reader_.accept(".callprototype")) {
    // A call through a register takes the layout of its arguments from the call itself.
    while (!reader_.at_end() && !reader_.accept(";")) reader_.take();
  }
}

SourceLines::Position ModuleParser::parse_position() {
  int parts[3] = {0, 0, 0};
  for (int& part : parts) {
    const std::uint64_t value = reader_.expect_count("a number of .loc");
    if (value > std::numeric_limits<int>::max()) reader_.fail("a number of .loc is too large");
    part = static_cast<int>(value);
  }
  return {parts[0], parts[1], parts[2]};
}

void ModuleParser::parse_location() {
  const SourceLines::Position position = parse_position();
  SourceLines::Position caller;
  bool is_inlined = false;
  while (reader_.accept(",")) {
    if (reader_.accept("function_name")) {
      (void)reader_.expect_word("a label");
      if (reader_.accept("+")) (void)reader_.expect_count("an offset");
    } else if (reader_.accept("inlined_at")) {
      caller = parse_position();
      is_inlined = true;
    } else {
      reader_.fail_unexpected("function_name or inlined_at");
    }
  }
  place_ = lines_.add(position, is_inlined ? &caller : nullptr);
}

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

namespace {

/// Kernels may have 32764 bytes; functions more than anybody passes.
constexpr std::uint64_t kMostParameterBytes = std::uint64_t{1} << 24U;

}  // namespace

void ModuleParser::parse_function(bool is_entry, const Linkage& linkage) {
  Function function;
  function.is_entry = is_entry;
  function.ptx_line = reader_.line();
  std::uint32_t result_bytes = 0;
  if (!is_entry && reader_.peek().is("(")) function.results = parse_parameters(result_bytes);
  function.name = reader_.expect_word("the name of a function");
  if (reader_.peek().is("(")) function.parameters = parse_parameters(function.parameter_bytes);
  parse_function_directives(function);
  places_.emplace_back();
  if (reader_.accept(";")) {
    function.is_declaration = true;
  } else if (linkage.is_extern) {
    reader_.fail("an .extern function has a body");
  } else if (reader_.expect("{")) {
    lines_.begin_function();
    place_ = -1;
    parse_body(function);
  }
  module_.functions.push_back(std::move(function));
}

std::vector<Parameter> ModuleParser::parse_parameters(std::uint32_t& bytes) {
  std::vector<Parameter> parameters;
  std::uint64_t offset = 0;
  reader_.expect("(");
  while (!reader_.at_end() && !reader_.accept(")")) {
    if (!parameters.empty() && !reader_.expect(",")) break;
    if (!reader_.accept(".param")) {
      reader_.fail_unexpected(".param (parameters in registers are not read)");
      break;
    }
    Declarator declarator = parse_type();
    parse_name(declarator);
    const std::uint64_t size = total_bytes(declarator);
    const std::uint64_t alignment = declarator.natural_alignment();
    offset = (offset + alignment - 1) / alignment * alignment;
    if (size > kMostParameterBytes || offset + size > kMostParameterBytes) {
      reader_.fail("parameters are larger than 16 MiB");
      break;
    }
    parameters.push_back({std::string(declarator.name), static_cast<std::uint32_t>(offset),
                          static_cast<std::uint32_t>(size), static_cast<std::uint32_t>(alignment)});
    offset += size;
  }
  if (reader_.at_end()) reader_.fail("a list of parameters does not end");
  bytes = static_cast<std::uint32_t>(offset);
  return parameters;
}

void ModuleParser::parse_dimensions(std::uint32_t (&dimensions)[3]) {
  std::fill(std::begin(dimensions), std::end(dimensions), 1U);
  for (auto& dimension : dimensions) {
    const std::uint64_t count = reader_.expect_count("a number of threads or blocks");
    if (count > std::numeric_limits<std::int32_t>::max()) reader_.fail("a dimension is too large");
    dimension = static_cast<std::uint32_t>(count);
    if (!reader_.accept(",")) break;
  }
}

void ModuleParser::parse_function_directives(Function& function) {
  // Hints to the register allocation and the scheduler: they change no result.
  static constexpr std::array<std::string_view, 5> kWithNumber = {
      ".minnctapersm", ".maxnctapersm", ".maxnreg", ".maxclusterrank", ".abi_preserve"};
  static constexpr std::array<std::string_view, 3> kAlone = {".noreturn", ".explicitcluster",
                                                             ".blocksareclusters"};
  while (reader_.peek().kind == TokenKind::word) {
    const Token directive = reader_.take();
    std::uint32_t most[3] = {0, 0, 0};
    if (directive.is(".maxntid")) {
      parse_dimensions(most);
      const std::uint64_t product = std::uint64_t{most[0]} * most[1] * most[2];
      function.most_threads = static_cast<std::uint32_t>(
          std::min<std::uint64_t>(product, std::numeric_limits<std::uint32_t>::max()));
    } else if (directive.is(".reqntid")) {
      parse_dimensions(function.required_threads);
    } else if (directive.is(".reqnctapercluster")) {
      parse_dimensions(function.cluster_blocks);
    } else if (directive.is(".pragma")) {
      while (!reader_.at_end() && !reader_.accept(";")) reader_.take();
    } else if (contains(kWithNumber, directive.text)) {
      (void)reader_.expect_count("a number");
    } else if (!contains(kAlone, directive.text)) {
      reader_.fail_at(directive.line, "\"" + std::string(directive.text.substr(0, 60)) +
                                          "\" is no directive of a function that is read");
    }
  }
}

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
