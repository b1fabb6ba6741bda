#include "profilers/simulator/ptx/module_parser.h"

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

}  // namespace warpmind::simulator::ptx
