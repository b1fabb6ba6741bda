#include "agents/builtin/contraction/uniform_expressions.h"

#include <algorithm>

namespace warpmind::agents::builtin {
namespace {

constexpr std::size_t kMostCandidates = 48;

bool is_plain_operator(std::string_view op) {
  return op == "+" || op == "-" || op == "*" || op == "/" || op == "%";
}

}  // namespace

UniformExpressions::UniformExpressions(const Scene& scene, const Function& function,
                                       const std::vector<SceneLaunch>& launches)
    : scene_(&scene),
      function_(&function),
      launches_(&launches),
      program_(scene.source(), scene.plan().constants) {
  const SyntaxTree& tree = scene.tree();
  for (const NodeId node : tree.descendants(function.body, "binary_expression")) {
    const auto op = tree.operator_of(node);
    const bool side = op == "<" || op == ">=" || op == "<=" || op == ">" || op == "/" || op == "%";
    if (!side) continue;
    for (const auto field : {"right", "left"}) {
      if (const auto text = closed_text(tree.field(node, field))) add_candidate(*text);
    }
  }
  for (const auto& parameter : function.parameters) {
    if (!parameter.is_pointer) add_candidate(parameter.name);
  }
}

void UniformExpressions::add_candidate(const std::string& text) {
  if (candidates_.size() >= kMostCandidates) return;
  auto numbers = values(text);
  if (!numbers) return;
  for (const auto& known : candidates_) {
    if (known.text == text) return;
  }
  candidates_.push_back({text, std::move(*numbers)});
}

std::optional<std::string> UniformExpressions::closed_text(NodeId expression) const {
  return closed(expression, 0);
}

NodeId UniformExpressions::value_of_local(std::string_view name) const {
  const SyntaxTree& tree = scene_->tree();
  NodeId found = kNoNode;
  for (const NodeId part : tree.descendants(function_->body, "init_declarator")) {
    if (tree.text(tree.declared(part)) != name) continue;
    if (found != kNoNode || !tree.is(tree.field(part, "declarator"), "identifier")) return kNoNode;
    found = tree.field(part, "value");
  }
  if (found == kNoNode || program_.written(function_->body).contains(name)) return kNoNode;
  return found;
}

std::optional<std::string> UniformExpressions::closed(NodeId expression, int depth) const {
  const SyntaxTree& tree = scene_->tree();
  if (expression == kNoNode || depth > 24) return std::nullopt;
  const auto kind = tree.node(expression).kind;
  if (kind == "number_literal") {
    const Value number = literal_value(tree.text(expression));
    if (!number.known) return std::nullopt;
    return std::to_string(number.number);
  }
  if (kind == "identifier") {
    const auto name = tree.text(expression);
    if (program_.written(function_->body).contains(name)) return std::nullopt;
    if (const Parameter* parameter = function_->parameter(name)) {
      if (parameter->is_pointer) return std::nullopt;
      return std::string(name);
    }
    if (const NodeId local = value_of_local(name); local != kNoNode)
      return closed(local, depth + 1);
    if (program_.constant(name).known) return std::string(name);
    return std::nullopt;
  }
  if (kind == "parenthesized_expression") return closed(tree.bare(expression), depth + 1);
  if (kind == "cast_expression") return closed(tree.field(expression, "value"), depth + 1);
  if (kind == "binary_expression" && is_plain_operator(tree.operator_of(expression))) {
    const auto left = closed(tree.field(expression, "left"), depth + 1);
    const auto right = closed(tree.field(expression, "right"), depth + 1);
    if (!left || !right) return std::nullopt;
    return "(" + *left + " " + std::string(tree.operator_of(expression)) + " " + *right + ")";
  }
  return std::nullopt;
}

std::optional<std::vector<std::int64_t>> UniformExpressions::values(const std::string& text) const {
  const auto parsed = CudaSource::read("auto wm_value = " + text + ";");
  if (!parsed) return std::nullopt;
  const auto found = parsed->tree.descendants(parsed->tree.root(), "init_declarator");
  if (found.size() != 1) return std::nullopt;
  const NodeId expression = parsed->tree.field(found.front(), "value");
  const ProbeProgram program(*parsed);
  std::vector<std::int64_t> numbers;
  for (const auto& launch : *launches_) {
    IntegerInterpreter interpreter(program);
    for (const NodeId use : parsed->tree.descendants(expression, "identifier")) {
      const auto name = parsed->tree.text(use);
      const auto scalar = launch.scalars.find(name);
      // Sizes are held to 64 bits here: what the kernel computes with them is checked by probes.
      const ValueType wide{ValueType::Kind::integer, true, 8};
      interpreter.declare(name, scalar != launch.scalars.end()
                                    ? Value::exactly(scalar->second, wide)
                                    : converted(program_.constant(name), wide));
    }
    const Value number = interpreter.evaluate(expression);
    if (!number.known) return std::nullopt;
    numbers.push_back(number.number);
  }
  return numbers;
}

std::vector<std::string> UniformExpressions::bounds_of(std::string_view variable) const {
  const SyntaxTree& tree = scene_->tree();
  std::vector<std::string> bounds;
  const auto add = [&](NodeId expression) {
    if (auto text = closed_text(expression)) bounds.push_back(std::move(*text));
  };
  for (const NodeId node : tree.descendants(function_->body, "binary_expression")) {
    const auto op = tree.operator_of(node);
    if (op != "<" && op != ">=" && op != "<=" && op != ">") continue;
    const NodeId left = tree.bare(tree.field(node, "left"));
    const NodeId right = tree.bare(tree.field(node, "right"));
    if (tree.text(left) == variable) add(right);
    if (tree.text(right) == variable) add(left);
  }
  for (const NodeId part : tree.descendants(function_->body, "init_declarator")) {
    if (tree.text(tree.declared(part)) != variable) continue;
    const NodeId value = tree.bare(tree.field(part, "value"));
    if (tree.operator_of(value) == "%") add(tree.field(value, "right"));
  }
  return bounds;
}

std::optional<std::string> UniformExpressions::matching(const std::vector<std::int64_t>& wanted,
                                                        std::string_view variable) const {
  for (const auto& text : bounds_of(variable)) {
    if (values(text) == wanted) return text;
  }
  for (const auto& one : candidates_) {
    if (one.values == wanted) return one.text;
  }
  if (std::all_of(wanted.begin(), wanted.end(), [&](auto n) { return n == wanted.front(); })) {
    return std::to_string(wanted.front());
  }
  const auto pair = [&](char op) -> std::optional<std::string> {
    for (const auto& a : candidates_) {
      for (const auto& b : candidates_) {
        bool fits = true;
        for (std::size_t i = 0; fits && i < wanted.size(); ++i) {
          std::int64_t product = 0;
          if (op == '*') {
            fits =
                !__builtin_mul_overflow(a.values[i], b.values[i], &product) && product == wanted[i];
          }
          if (op == '/') fits = b.values[i] != 0 && a.values[i] / b.values[i] == wanted[i];
        }
        if (fits) return "(" + a.text + " " + op + " " + b.text + ")";
      }
    }
    return std::nullopt;
  };
  // One launch proves little: a lucky ratio is no law.
  if (auto product = pair('*')) return product;
  return launches_->size() > 1 ? pair('/') : std::nullopt;
}

std::optional<std::string> UniformExpressions::plan_name(std::string_view name) const {
  const auto& launch = scene_->plan().launches[launches_->front().index];
  for (std::size_t i = 0; i < function_->parameters.size(); ++i) {
    if (function_->parameters[i].name != name || i >= launch.arguments.size()) continue;
    const std::string& argument = launch.arguments[i];
    if (is_scalar_argument(argument)) return "(" + argument.substr(argument.find(':') + 1) + ")";
    for (const auto& known : scene_->context().task.arguments) {
      if (known.name == argument && known.kind == ArgumentKind::scalar) {
        return "(" + known.value + ")";
      }
    }
    return std::nullopt;
  }
  const Value constant = program_.constant(name);
  if (!constant.known || constant.number < 0) return std::nullopt;
  return std::to_string(constant.number);
}

std::optional<std::string> UniformExpressions::plan_text_of(const SyntaxTree& tree,
                                                            NodeId node) const {
  const NodeId at = tree.bare(node);
  if (tree.is(at, "number_literal")) {
    const Value number = literal_value(tree.text(at));
    if (!number.known || number.number < 0) return std::nullopt;
    return std::to_string(number.number);
  }
  if (tree.is(at, "identifier")) return plan_name(tree.text(at));
  if (!tree.is(at, "binary_expression") || !is_plain_operator(tree.operator_of(at))) {
    return std::nullopt;
  }
  const auto left = plan_text_of(tree, tree.field(at, "left"));
  const auto right = plan_text_of(tree, tree.field(at, "right"));
  if (!left || !right) return std::nullopt;
  return "(" + *left + " " + std::string(tree.operator_of(at)) + " " + *right + ")";
}

std::optional<std::string> UniformExpressions::plan_text(const std::string& text) const {
  const auto parsed = CudaSource::read("auto wm_value = " + text + ";");
  if (!parsed) return std::nullopt;
  const auto found = parsed->tree.descendants(parsed->tree.root(), "init_declarator");
  if (found.size() != 1) return std::nullopt;
  return plan_text_of(parsed->tree, parsed->tree.field(found.front(), "value"));
}

}  // namespace warpmind::agents::builtin
