#include "agents/builtin/probe/integer_interpreter.h"

#include <algorithm>
#include <utility>

namespace warpmind::agents::builtin {
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
  if (kind == "true") return Value::of(1, {ValueType::Kind::boolean, false, 1});
  if (kind == "false") return Value::of(0, {ValueType::Kind::boolean, false, 1});
  if (kind == "null") return Value::of(0, {ValueType::Kind::pointer, false, 0});
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
  if (left.known && (left.number != 0) == decides) return Value::of(decides ? 1 : 0, kBoolean);
  const Value right = evaluate(right_node);
  if (!left.known) {
    forget(program_->written(right_node));
    // `unknown && false` is false whatever stands to the left.
    if (right.known && (right.number != 0) == decides) return Value::of(decides ? 1 : 0, kBoolean);
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
  return bytes == 0 ? Value::unknown(kSizeType) : Value::of(bytes, kSizeType);
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
  const Flow flow = run(function.body);
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
