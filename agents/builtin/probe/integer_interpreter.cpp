#include "agents/builtin/probe/integer_interpreter.h"

#include <algorithm>

namespace warpmind::agents::builtin {
void IntegerInterpreter::set_position(const std::array<std::array<std::int64_t, 3>, 4>& position) {
  position_ = position;
}

void IntegerInterpreter::declare(std::string_view name, Value value) {
  variables_.push_back({name, value});
}

void IntegerInterpreter::open_scope() { scopes_.push_back(variables_.size()); }

void IntegerInterpreter::close_scope() {
  variables_.resize(scopes_.back());
  scopes_.pop_back();
}

IntegerInterpreter::Variable* IntegerInterpreter::find(std::string_view name) {
  for (std::size_t i = variables_.size(); i > frame_; --i) {
    if (variables_[i - 1].name == name) return &variables_[i - 1];
  }
  return nullptr;
}

void IntegerInterpreter::poison(std::string_view name) { poisoned_.insert(name); }

Value IntegerInterpreter::variable(std::string_view name) {
  if (poisoned_.contains(name)) return Value::unknown();
  const Variable* found = find(name);
  return found != nullptr ? found->value : program_->constant(name);
}

void IntegerInterpreter::assign(std::string_view name, Value value) {
  if (Variable* found = find(name)) found->value = converted(value, found->value.type);
}

void IntegerInterpreter::add_to(std::string_view name, std::int64_t amount) {
  const Value change = Value::of(amount, {ValueType::Kind::integer, true, 8});
  assign(name, combined("+", variable(name), change));
}

void IntegerInterpreter::forget(const std::set<std::string_view>& names) {
  for (std::size_t i = frame_; i < variables_.size(); ++i) {
    if (names.contains(variables_[i].name)) variables_[i].value.known = false;
  }
}

bool IntegerInterpreter::any_known(const std::set<std::string_view>& names) const {
  return std::any_of(
      variables_.begin() + static_cast<std::ptrdiff_t>(frame_), variables_.end(),
      [&](const Variable& one) { return one.value.known && names.contains(one.name); });
}

std::map<std::string, std::int64_t, std::less<>> IntegerInterpreter::known_integers() const {
  std::map<std::string, std::int64_t, std::less<>> known;
  for (std::size_t i = frame_; i < variables_.size(); ++i) {
    const auto& [name, value] = variables_[i];
    const bool number =
        value.type.kind == ValueType::Kind::integer || value.type.kind == ValueType::Kind::boolean;
    if (value.known && number && !poisoned_.contains(name)) {
      known.insert_or_assign(std::string(name), value.number);
    } else {
      known.erase(std::string(name));
    }
  }
  return known;
}

Flow IntegerInterpreter::run(NodeId statement) {
  if (--steps <= 0) return run_unsure(statement);
  const auto kind = tree().node(statement).kind;
  if (kind == "compound_statement") return run_block(statement);
  if (kind == "declaration") {
    for (const NodeId part : tree().all_children(statement)) {
      if (tree().node(part).field == "declarator") declare_from(part, statement);
    }
    return Flow::next;
  }
  if (kind == "expression_statement" || kind == "init_statement") {
    for (const NodeId part : tree().children(statement)) {
      if (tree().is(part, "declaration")) return run(part);
      evaluate(part);
    }
    return Flow::next;
  }
  if (kind == "if_statement") return run_if(statement);
  if (kind == "for_statement" || kind == "while_statement" || kind == "do_statement") {
    return run_loop(statement);
  }
  if (kind == "return_statement") {
    const auto value = tree().children(statement);
    returned_ = value.empty() ? Value::unknown() : evaluate(value.front());
    return Flow::returns;
  }
  if (kind == "break_statement") return Flow::breaks;
  if (kind == "continue_statement") return Flow::continues;
  if (kind == "comment" || kind == "preproc_call" || kind == "using_declaration" ||
      kind == "alias_declaration" || kind == "static_assert_declaration" || kind == ";") {
    return Flow::next;
  }
  return run_unsure(statement);
}

Flow IntegerInterpreter::run_block(NodeId statement) {
  open_scope();
  Flow flow = Flow::next;
  for (const NodeId child : tree().children(statement)) {
    flow = run(child);
    if (flow != Flow::next) break;
  }
  close_scope();
  return flow;
}

Flow IntegerInterpreter::run_unsure(NodeId statement) {
  forget(program_->written(statement));
  const bool jumps = program_->jumps(statement);
  if (jumps || program_->returns(statement)) certain = false;
  return jumps ? Flow::unsure : Flow::next;
}

Value IntegerInterpreter::condition_of(NodeId statement) {
  const NodeId condition = tree().field(statement, "condition");
  const NodeId initializer = tree().field(condition, "initializer");
  if (initializer != kNoNode) run(initializer);
  if (condition == kNoNode) return Value::of_int(1);
  return evaluate(condition);
}

Flow IntegerInterpreter::run_if(NodeId statement) {
  open_scope();
  const Value condition = condition_of(statement);
  const NodeId taken = tree().field(statement, "consequence");
  const NodeId other = tree().field(statement, "alternative");
  Flow flow = Flow::next;
  if (condition.is_true()) {
    flow = run(taken);
  } else if (condition.is_false()) {
    const auto parts = tree().children(other);
    if (!parts.empty()) flow = run(parts.front());
  } else {
    flow = run_unsure(taken);
    if (other != kNoNode && run_unsure(other) == Flow::unsure) flow = Flow::unsure;
  }
  close_scope();
  return flow;
}

Flow IntegerInterpreter::run_loop(NodeId statement) {
  const auto& written = program_->written(statement);
  if (!any_known(written) && !program_->returns(statement)) {
    forget(written);
    return Flow::next;
  }
  open_scope();
  const NodeId initializer = tree().field(statement, "initializer");
  if (tree().is(initializer, "declaration")) {
    run(initializer);
  } else if (initializer != kNoNode) {
    evaluate(initializer);
  }
  const Flow flow = run_iterations(statement);
  if (flow == Flow::unsure) {
    forget(written);
    if (program_->returns(statement)) certain = false;
  }
  close_scope();
  return flow == Flow::returns ? flow : Flow::next;
}

Flow IntegerInterpreter::run_iterations(NodeId statement) {
  const NodeId body = tree().field(statement, "body");
  const NodeId condition = tree().field(statement, "condition");
  const NodeId update = tree().field(statement, "update");
  bool tested = tree().is(statement, "do_statement");
  while (true) {
    if (!tested && condition != kNoNode) {
      const Value holds = evaluate(condition);
      if (holds.is_false()) return Flow::next;
      if (!holds.known) return Flow::unsure;
    }
    const Flow flow = run(body);
    if (flow == Flow::returns || flow == Flow::unsure) return flow;
    if (flow == Flow::breaks) return Flow::next;
    if (update != kNoNode) evaluate(update);
    if (steps <= 0) return Flow::unsure;
    tested = false;
  }
}

void IntegerInterpreter::declare_from(NodeId node, NodeId declaration) {
  const SyntaxTree& t = tree();
  const NodeId declarator = t.is(node, "init_declarator") ? t.field(node, "declarator") : node;
  const NodeId identifier = t.declared(declarator);
  if (identifier == kNoNode) return;
  const auto name = t.text(identifier);
  poisoned_.erase(name);
  std::string type = t.plain_text(t.field(declaration, "type"));
  bool shared = false;
  bool constant = false;
  for (const NodeId part : t.all_children(declaration)) {
    const auto text = t.text(part);
    shared |= text == "__shared__" || text == "static" || text == "volatile";
    constant |= text == "const" || text == "constexpr";
  }
  std::vector<NodeId> extents;
  bool reference = false;
  for (NodeId at = declarator; at != identifier && at != kNoNode;) {
    if (t.is(at, "pointer_declarator")) type += '*';
    if (t.is(at, "array_declarator")) extents.push_back(t.field(at, "size"));
    if (t.is(at, "reference_declarator")) reference = true;
    const NodeId below = t.field(at, "declarator");
    at = below == kNoNode && !t.children(at).empty() ? t.children(at).back() : below;
  }
  if (!extents.empty()) {
    // The outermost declarator holds the last extent; rows of `a[R][C]` are what `a` points to.
    std::int64_t bytes = bytes_of_type(type, program_->aliases());
    for (std::size_t i = 0; i + 1 < extents.size(); ++i) {
      const Value extent = extents[i] == kNoNode ? Value::unknown() : evaluate(extents[i]);
      bytes = extent.known && extent.number > 0 && extent.number < 65536 && bytes < 65536
                  ? bytes * extent.number
                  : 0;
    }
    declare(name, Value::buffer(256 + static_cast<std::int64_t>(identifier % 200000U),
                                static_cast<std::uint32_t>(bytes)));
    return;
  }
  NodeId initial = t.is(node, "init_declarator") ? t.field(node, "value") : kNoNode;
  if (t.is(initial, "initializer_list") || t.is(initial, "argument_list")) {
    const auto parts = t.children(initial);
    initial = parts.size() == 1 ? parts.front() : kNoNode;
  }
  const Value value = initial == kNoNode ? Value::unknown() : evaluate(initial);
  const bool deduced = type == "auto" || type == "auto*";
  const ValueType declared = deduced ? value.type : value_type(type, program_->aliases());
  declare(name, converted(value, declared));
  if (shared || (reference && !constant)) poison(name);
  if (reference && !constant && t.is(t.bare(initial), "identifier")) {
    poison(t.text(t.bare(initial)));
  }
}

}  // namespace warpmind::agents::builtin
