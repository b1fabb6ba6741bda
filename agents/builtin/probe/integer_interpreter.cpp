#include "agents/builtin/probe/integer_interpreter.h"

#include "syntax/lexer.h"

#include <algorithm>
#include <cctype>
#include <utility>

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
  const Value change = Value::exactly(amount, {ValueType::Kind::integer, true, 8});
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

Flow IntegerInterpreter::execute(NodeId statement) {
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
      if (tree().is(part, "declaration")) return execute(part);
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
    flow = execute(child);
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
  if (initializer != kNoNode) execute(initializer);
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
    flow = execute(taken);
  } else if (condition.is_false()) {
    const auto parts = tree().children(other);
    if (!parts.empty()) flow = execute(parts.front());
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
    execute(initializer);
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
    const Flow flow = execute(body);
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

namespace {

bool is_conditional(const SyntaxTree& tree, NodeId node) {
  return tree.ancestor(node, "preproc_if") != kNoNode ||
         tree.ancestor(node, "preproc_elif") != kNoNode ||
         tree.ancestor(node, "preproc_else") != kNoNode ||
         tree.ancestor(node, "preproc_ifdef") != kNoNode;
}

/// `#ifndef NAME` around `#define NAME 16`: what the plan gives holds.
bool is_default(const SyntaxTree& tree, NodeId define, std::string_view name) {
  const NodeId around = tree.node(define).parent;
  if (!tree.is(around, "preproc_ifdef") || tree.text(tree.field(around, "name")) != name) {
    return false;
  }
  return tree.text(around).starts_with("#ifndef");
}

/// `16  // threads`: the grammar takes the comment for a part of the macro.
std::string without_comments(std::string_view text) {
  std::string code;
  for (const auto& lexeme : syntax::code_lexemes(text)) {
    code += (code.empty() ? "" : " ") + std::string(lexeme.text);
  }
  return code;
}

/// A macro is text: `N + 1` inside of a product means something else than its value does.
bool is_closed(const SyntaxTree& tree, NodeId expression) {
  return tree.is(expression, "number_literal") || tree.is(expression, "identifier") ||
         tree.is(expression, "parenthesized_expression") ||
         tree.is(expression, "sizeof_expression");
}

void add_arguments_written(const ProbeProgram& program, NodeId call,
                           std::set<std::string_view>& names) {
  const SyntaxTree& tree = program.tree();
  const auto callee = tree.text(tree.field(call, "function"));
  const Function* function = program.callee(callee);
  const bool writes_all = program.is_macro(callee) || callee == "swap" || callee == "std::swap";
  const auto arguments = tree.children(tree.field(call, "arguments"));
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bool by_reference =
        function != nullptr && (i >= function->parameters.size() ||
                                function->parameters[i].type.find('&') != std::string::npos);
    if (!writes_all && !by_reference) continue;
    for (const NodeId use : tree.descendants(arguments[i], "identifier")) {
      names.insert(tree.text(use));
    }
  }
}

}  // namespace

ProbeProgram::ProbeProgram(const CudaSource& source, const PlanConstants& constants)
    : source_(&source) {
  const SyntaxTree& all = tree();
  for (const NodeId alias : all.descendants(all.root(), "alias_declaration")) {
    aliases_.emplace(all.text(all.field(alias, "name")), all.plain_text(all.field(alias, "type")));
  }
  for (const NodeId alias : all.descendants(all.root(), "type_definition")) {
    const NodeId name = all.field(alias, "declarator");
    if (!all.is(name, "type_identifier")) continue;
    aliases_.emplace(all.text(name), all.plain_text(all.field(alias, "type")));
  }
  for (const NodeId macro : all.descendants(all.root(), "preproc_function_def")) {
    macros_.emplace(all.text(all.field(macro, "name")));
  }
  read_macros(constants);
  read_constants();
}

void ProbeProgram::read_macros(const PlanConstants& given) {
  const SyntaxTree& all = tree();
  std::set<std::string_view> doubtful;
  for (const NodeId undefined : all.descendants(all.root(), "preproc_call")) {
    if (all.text(all.field(undefined, "directive")) != "#undef") continue;
    doubtful.insert(all.text(all.field(undefined, "argument")));
  }
  for (const auto& [name, value] : given) {
    if (!doubtful.contains(name)) constants_.emplace(name, literal_value(std::to_string(value)));
  }
  for (const NodeId define : all.descendants(all.root(), "preproc_def")) {
    const auto name = all.text(all.field(define, "name"));
    const std::string value = without_comments(all.text(all.field(define, "value")));
    if (given.contains(name) && !is_default(all, define, name)) {
      constants_[std::string(name)] = Value::unknown();
      continue;
    }
    if (is_conditional(all, define) || doubtful.contains(name) || value.empty()) continue;
    const auto parsed = CudaSource::read("auto wm_value = " + value + ";");
    if (!parsed || parsed->tree.node(parsed->tree.root()).has_error) continue;
    const auto found = parsed->tree.descendants(parsed->tree.root(), "init_declarator");
    if (found.size() != 1) continue;
    const NodeId expression = parsed->tree.field(found.front(), "value");
    if (!is_closed(parsed->tree, expression)) continue;
    ProbeProgram inner(*parsed);
    inner.constants_ = constants_;
    inner.aliases_ = aliases_;
    const Value number = IntegerInterpreter(inner).evaluate(expression);
    if (!number.known) continue;
    // Defined twice: which one holds depends on the place.
    if (!constants_.emplace(name, number).second) constants_[std::string(name)] = Value::unknown();
  }
}

void ProbeProgram::read_constants() {
  const SyntaxTree& all = tree();
  for (const NodeId declaration : all.descendants(all.root(), "declaration")) {
    if (all.ancestor(declaration, "function_definition") != kNoNode) continue;
    if (is_conditional(all, declaration)) continue;
    bool is_constant = false;
    for (const NodeId part : all.all_children(declaration)) {
      const auto text = all.text(part);
      if (text == "__constant__") {
        is_constant = false;
        break;
      }
      if (all.is(part, "type_qualifier")) is_constant |= text == "constexpr" || text == "const";
    }
    if (!is_constant) continue;
    IntegerInterpreter interpreter(*this);
    for (const NodeId part : all.all_children(declaration)) {
      if (!all.is(part, "init_declarator")) continue;
      interpreter.declare_from(part, declaration);
      const NodeId name = all.declared(all.field(part, "declarator"));
      if (name == kNoNode) continue;
      const Value number = interpreter.evaluate(name);
      if (number.known && !number.type.is_pointer()) constants_.emplace(all.text(name), number);
    }
  }
}

Value ProbeProgram::constant(std::string_view name) const {
  const auto found = constants_.find(name);
  return found == constants_.end() ? Value::unknown() : found->second;
}

const Function* ProbeProgram::callee(std::string_view name) const {
  const Function* found = nullptr;
  for (const auto& function : source_->functions) {
    if (function.kind == FunctionKind::kernel || function.name != name) continue;
    if (found != nullptr) return nullptr;
    found = &function;
  }
  return found;
}

const ProbeProgram::Effects& ProbeProgram::effects(NodeId node) const {
  const auto known = effects_.find(node);
  if (known != effects_.end()) return known->second;
  const SyntaxTree& all = tree();
  Effects effects;
  for (const NodeId below : all.descendants(node)) {
    const auto kind = all.node(below).kind;
    NodeId target = kNoNode;
    if (kind == "assignment_expression") target = all.bare(all.field(below, "left"));
    if (kind == "update_expression") target = all.bare(all.field(below, "argument"));
    if (kind == "pointer_expression" && all.operator_of(below) == "&") {
      target = all.bare(all.field(below, "argument"));
    }
    if (kind == "call_expression") add_arguments_written(*this, below, effects.written);
    if (all.is(target, "identifier")) effects.written.insert(all.text(target));
    effects.returns |= kind == "return_statement";
    effects.breaks |= kind == "break_statement";
    effects.jumps |= kind == "break_statement" || kind == "continue_statement";
  }
  return effects_.emplace(node, std::move(effects)).first->second;
}

namespace {

constexpr int kMostCalls = 12;
constexpr ValueType kSizeType{ValueType::Kind::integer, false, 8};

/// `x`, `y`, `z` of the built-in index variables, as (which, axis); -1 when it is none.
std::pair<int, int> builtin_index(std::string_view variable, std::string_view field) {
  static constexpr std::array<std::string_view, 4> kNames{"threadIdx", "blockIdx", "blockDim",
                                                          "gridDim"};
  const auto* const found = std::find(kNames.begin(), kNames.end(), variable);
  if (found == kNames.end() || field.size() != 1) return {-1, -1};
  const int axis = field.front() - 'x';
  if (axis < 0 || axis > 2) return {-1, -1};
  return {static_cast<int>(found - kNames.begin()), axis};
}

}  // namespace

Value IntegerInterpreter::evaluate(NodeId expression) {
  if (expression == kNoNode || --steps <= 0) return Value::unknown();
  const SyntaxTree& t = tree();
  const auto kind = t.node(expression).kind;
  if (kind == "identifier") {
    const auto name = t.text(expression);
    if (name == "warpSize") return Value::of_int(32);
    return variable(name);
  }
  if (kind == "number_literal" || kind == "char_literal") return literal_value(t.text(expression));
  if (kind == "true") return Value::exactly(1, {ValueType::Kind::boolean, false, 1});
  if (kind == "false") return Value::exactly(0, {ValueType::Kind::boolean, false, 1});
  if (kind == "null") return Value::exactly(0, {ValueType::Kind::pointer, false, 0});
  if (kind == "parenthesized_expression") return evaluate(t.bare(expression));
  if (kind == "condition_clause") return evaluate(t.field(expression, "value"));
  if (kind == "field_expression") return of_field(expression);
  if (kind == "binary_expression") return of_binary(expression);
  if (kind == "unary_expression") {
    return applied(t.operator_of(expression), evaluate(t.field(expression, "argument")));
  }
  if (kind == "conditional_expression") return of_conditional(expression);
  if (kind == "assignment_expression") return of_assignment(expression);
  if (kind == "update_expression") return of_update(expression);
  if (kind == "pointer_expression") return of_pointer(expression);
  if (kind == "cast_expression") return of_cast(expression);
  if (kind == "sizeof_expression") return of_sizeof(expression);
  if (kind == "call_expression") return of_call(expression);
  if (kind == "comma_expression") {
    evaluate(t.field(expression, "left"));
    return evaluate(t.field(expression, "right"));
  }
  return of_others(expression);
}

/// Data and what is not understood: only the effects of the parts count.
Value IntegerInterpreter::of_others(NodeId expression) {
  if (tree().is(expression, "lambda_expression")) {
    for (const auto name : program_->written(expression)) poison(name);
    return Value::unknown();
  }
  for (const NodeId part : tree().children(expression)) {
    if (tree().is(part, "subscript_argument_list") || tree().is(part, "initializer_list") ||
        tree().is(part, "argument_list")) {
      of_others(part);
    } else {
      evaluate(part);
    }
  }
  return Value::unknown();
}

Value IntegerInterpreter::of_field(NodeId expression) {
  const SyntaxTree& t = tree();
  const NodeId argument = t.field(expression, "argument");
  const auto [which, axis] = builtin_index(t.text(argument), t.text(t.field(expression, "field")));
  if (which < 0 || find(t.text(argument)) != nullptr) {
    evaluate(argument);
    return Value::unknown();
  }
  return Value::of_unsigned(
      position_.at(static_cast<std::size_t>(which)).at(static_cast<std::size_t>(axis)));
}

Value IntegerInterpreter::of_binary(NodeId expression) {
  const SyntaxTree& t = tree();
  const auto op = t.operator_of(expression);
  const Value left = evaluate(t.field(expression, "left"));
  const NodeId right_node = t.field(expression, "right");
  if (op != "&&" && op != "||") return combined(op, left, evaluate(right_node));
  constexpr ValueType kBoolean{ValueType::Kind::boolean, false, 1};
  const bool decides = op == "||";
  if (left.known && (left.number != 0) == decides) return Value::exactly(decides ? 1 : 0, kBoolean);
  const Value right = evaluate(right_node);
  if (!left.known) {
    forget(program_->written(right_node));
    // `unknown && false` is false whatever stands to the left.
    if (right.known && (right.number != 0) == decides)
      return Value::exactly(decides ? 1 : 0, kBoolean);
    return Value::unknown(kBoolean);
  }
  return converted(right, kBoolean);
}

Value IntegerInterpreter::of_conditional(NodeId expression) {
  const SyntaxTree& t = tree();
  const Value condition = evaluate(t.field(expression, "condition"));
  const NodeId taken = t.field(expression, "consequence");
  const NodeId other = t.field(expression, "alternative");
  if (condition.known) return evaluate(condition.number != 0 ? taken : other);
  forget(program_->written(taken));
  forget(program_->written(other));
  return Value::unknown();
}

Value IntegerInterpreter::of_assignment(NodeId expression) {
  const SyntaxTree& t = tree();
  const NodeId left = t.bare(t.field(expression, "left"));
  const auto op = t.operator_of(expression);
  const NodeId right_node = t.field(expression, "right");
  if (!t.is(left, "identifier")) {
    evaluate(left);
    evaluate(right_node);
    return Value::unknown();
  }
  Value right = t.is(right_node, "initializer_list") ? of_others(right_node) : evaluate(right_node);
  const auto name = t.text(left);
  if (op != "=") right = combined(op.substr(0, op.size() - 1), variable(name), right);
  assign(name, right);
  return variable(name);
}

Value IntegerInterpreter::of_update(NodeId expression) {
  const SyntaxTree& t = tree();
  const NodeId argument = t.bare(t.field(expression, "argument"));
  if (!t.is(argument, "identifier")) {
    evaluate(argument);
    return Value::unknown();
  }
  const auto name = t.text(argument);
  const Value before = variable(name);
  const auto op = t.operator_of(expression);
  assign(name, combined(op == "++" ? "+" : "-", before, Value::of_int(1)));
  return t.text(expression).starts_with(op) ? variable(name) : before;
}

Value IntegerInterpreter::address(NodeId access) {
  const SyntaxTree& t = tree();
  const NodeId at = t.bare(access);
  if (t.is(at, "subscript_expression")) {
    const Value base = evaluate(t.field(at, "argument"));
    const auto indices = t.children(t.field(at, "indices"));
    if (indices.size() != 1) return Value::unknown();
    const Value index = evaluate(indices.front());
    return base.type.is_pointer() ? combined("+", base, index) : Value::unknown();
  }
  if (t.is(at, "pointer_expression") && t.operator_of(at) == "*") {
    const Value pointer = evaluate(t.field(at, "argument"));
    return pointer.type.is_pointer() ? pointer : Value::unknown();
  }
  const Value pointer = evaluate(at);
  return pointer.type.is_pointer() ? pointer : Value::unknown();
}

Value IntegerInterpreter::of_pointer(NodeId expression) {
  const SyntaxTree& t = tree();
  const NodeId argument = t.bare(t.field(expression, "argument"));
  if (t.operator_of(expression) != "&") {
    evaluate(argument);
    return Value::unknown();
  }
  if (t.is(argument, "identifier")) {
    poison(t.text(argument));
    return Value::unknown();
  }
  const Value found = address(argument);
  if (!found.known) evaluate(argument);
  return found;
}

Value IntegerInterpreter::of_cast(NodeId expression) {
  const SyntaxTree& t = tree();
  const auto type = t.plain_text(t.field(expression, "type"));
  return converted(evaluate(t.field(expression, "value")), value_type(type, program_->aliases()));
}

Value IntegerInterpreter::of_sizeof(NodeId expression) {
  const SyntaxTree& t = tree();
  const NodeId type = t.field(expression, "type");
  const NodeId operand = type != kNoNode ? type : t.bare(t.field(expression, "value"));
  const auto text = t.plain_text(operand);
  if (find(text) != nullptr) return Value::unknown(kSizeType);
  const auto bytes = bytes_of_type(text, program_->aliases());
  return bytes == 0 ? Value::unknown(kSizeType) : Value::exactly(bytes, kSizeType);
}

Value IntegerInterpreter::of_call(NodeId expression) {
  const SyntaxTree& t = tree();
  const NodeId callee = t.field(expression, "function");
  const auto arguments = t.children(t.field(expression, "arguments"));
  std::string name = t.plain_text(callee);
  if (t.is(callee, "template_function")) {
    name = t.plain_text(t.field(callee, "name"));
    const auto types = t.children(t.field(callee, "arguments"));
    if (name.ends_with("_cast") && types.size() == 1 && arguments.size() == 1) {
      return converted(evaluate(arguments.front()),
                       value_type(t.plain_text(types.front()), program_->aliases()));
    }
  }
  const ValueType named = value_type(name, program_->aliases());
  if (named.kind != ValueType::Kind::other && arguments.size() == 1) {
    return converted(evaluate(arguments.front()), named);
  }
  if (name.starts_with("std::")) name.erase(0, 5);
  if (name.starts_with("::")) name.erase(0, 2);
  // What fast_divmod writes in place of an operator (templates/fast_divmod.cuh).
  if (arguments.size() == 3 && (name == "wm_quotient" || name == "wm_remainder")) {
    return combined(name == "wm_quotient" ? "/" : "%", evaluate(arguments[0]),
                    evaluate(arguments[1]));
  }
  const Function* function = t.is(callee, "identifier") ? program_->callee(name) : nullptr;
  if (function != nullptr) return of_function(*function, arguments);
  bool is_known = false;
  const Value value = of_known_call(name, arguments, is_known);
  if (is_known) return value;
  for (const NodeId argument : arguments) evaluate(argument);
  forget(program_->written(expression));
  return Value::unknown();
}

Value IntegerInterpreter::of_known_call(std::string_view name, const std::vector<NodeId>& arguments,
                                        bool& is_known) {
  const bool two = arguments.size() == 2;
  const bool minimum = name == "min" || name == "umin" || name == "ullmin" || name == "llmin";
  const bool maximum = name == "max" || name == "umax" || name == "ullmax" || name == "llmax";
  is_known = true;
  if (two && (minimum || maximum)) {
    const Value left = evaluate(arguments[0]);
    const Value right = evaluate(arguments[1]);
    const Value smaller = combined("<", left, right);
    // Adding nothing brings both to the common type.
    const Value zero = Value::of_int(0);
    if (!smaller.known) return Value::unknown();
    const Value chosen = smaller.is_true() == minimum ? left : right;
    const Value sum = combined("+", combined("-", left, left), combined("-", right, right));
    return combined("+", combined("+", sum, zero), chosen);
  }
  if (arguments.size() == 1 && (name == "abs" || name == "labs" || name == "llabs")) {
    const Value value = evaluate(arguments[0]);
    return value.known && value.number < 0 ? applied("-", value) : applied("+", value);
  }
  if (two && name == "__umulhi") {
    const ValueType wide{ValueType::Kind::integer, false, 8};
    const Value product = combined(
        "*",
        converted(converted(evaluate(arguments[0]), {ValueType::Kind::integer, false, 4}), wide),
        converted(converted(evaluate(arguments[1]), {ValueType::Kind::integer, false, 4}), wide));
    return converted(combined(">>", product, Value::of_int(32)),
                     {ValueType::Kind::integer, false, 4});
  }
  is_known = false;
  return Value::unknown();
}

Value IntegerInterpreter::of_function(const Function& function,
                                      const std::vector<NodeId>& arguments) {
  std::vector<Value> values;
  values.reserve(arguments.size());
  for (const NodeId argument : arguments) values.push_back(evaluate(argument));
  bool plain =
      depth_ < kMostCalls && arguments.size() == function.parameters.size() && !function.has_error;
  for (const auto& parameter : function.parameters) {
    plain &= parameter.type.find('&') == std::string::npos;
  }
  if (!plain) {
    if (!arguments.empty()) {
      forget(program_->written(tree().node(tree().node(arguments.front()).parent).parent));
    }
    return Value::unknown();
  }
  const std::size_t outer_frame = frame_;
  const bool outer_certain = certain;
  const auto outer_poisoned = std::exchange(poisoned_, {});
  open_scope();
  frame_ = variables_.size();
  certain = true;
  ++depth_;
  const auto typed = [&](Value value, std::string_view text) {
    const ValueType type = value_type(text, program_->aliases());
    const bool open = function.is_template && type.kind == ValueType::Kind::other;
    return open ? value : converted(value, type);
  };
  for (std::size_t i = 0; i < values.size(); ++i) {
    declare(function.parameters[i].name, typed(values[i], function.parameters[i].type));
  }
  const Flow flow = execute(function.body);
  Value result = flow == Flow::returns && certain ? returned_ : Value::unknown();
  if (function.return_type != "auto") result = typed(result, function.return_type);
  --depth_;
  certain = outer_certain;
  close_scope();
  frame_ = outer_frame;
  poisoned_ = outer_poisoned;
  return result;
}

}  // namespace warpmind::agents::builtin
