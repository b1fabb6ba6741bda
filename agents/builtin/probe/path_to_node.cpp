#include "agents/builtin/probe/path_to_node.h"

#include <algorithm>

namespace warpmind::agents::builtin {
namespace {

constexpr std::int64_t kMostHeaderRuns = 200'000;

bool leaves(const ProbeProgram& program, NodeId node) {
  return program.breaks(node) || program.returns(node);
}

bool mentions(const SyntaxTree& tree, NodeId node, const std::set<std::string_view>& names) {
  for (const NodeId use : tree.descendants(node, "identifier")) {
    if (names.contains(tree.text(use))) return true;
  }
  return false;
}

bool is_loop(const SyntaxTree& tree, NodeId node) {
  return tree.is(node, "for_statement") || tree.is(node, "while_statement") ||
         tree.is(node, "do_statement");
}

}  // namespace

std::optional<LoopStep> step_of(const SyntaxTree& tree, NodeId loop) {
  const NodeId update = tree.bare(tree.field(loop, "update"));
  const auto op = tree.operator_of(update);
  LoopStep step;
  if (tree.is(update, "update_expression")) {
    const NodeId argument = tree.bare(tree.field(update, "argument"));
    if (!tree.is(argument, "identifier")) return std::nullopt;
    step.variable = tree.text(argument);
    step.down = op == "--";
    return step;
  }
  if (!tree.is(update, "assignment_expression")) return std::nullopt;
  const NodeId left = tree.bare(tree.field(update, "left"));
  const NodeId right = tree.bare(tree.field(update, "right"));
  if (!tree.is(left, "identifier")) return std::nullopt;
  step.variable = tree.text(left);
  step.amount = right;
  if (op == "=" && tree.is(right, "binary_expression") && tree.operator_of(right) == "+" &&
      tree.text(tree.bare(tree.field(right, "left"))) == step.variable) {
    step.amount = tree.field(right, "right");
  } else if (op == "-=") {
    step.down = true;
  } else if (op != "+=") {
    return std::nullopt;
  }
  if (mentions(tree, step.amount, {step.variable})) return std::nullopt;
  return step;
}

std::optional<std::int64_t> count_trips(IntegerInterpreter& interpreter, NodeId loop) {
  const SyntaxTree& tree = interpreter.program().tree();
  const NodeId body = tree.field(loop, "body");
  const NodeId condition = tree.field(loop, "condition");
  const NodeId update = tree.field(loop, "update");
  if (!tree.is(loop, "for_statement") || condition == kNoNode || update == kNoNode) {
    return std::nullopt;
  }
  const auto& written = interpreter.program().written(body);
  if (leaves(interpreter.program(), body) || mentions(tree, condition, written) ||
      mentions(tree, update, written)) {
    return std::nullopt;
  }
  const auto step = step_of(tree, loop);
  const NodeId test = tree.bare(condition);
  const auto op = tree.operator_of(test);
  const bool ordered = op == "<" || op == "<=" || op == ">" || op == ">=";
  if (step && tree.is(test, "binary_expression") && ordered &&
      tree.text(tree.bare(tree.field(test, "left"))) == step->variable &&
      !mentions(tree, tree.field(test, "right"), {step->variable})) {
    const Value first = interpreter.evaluate(tree.field(test, "left"));
    const Value bound = interpreter.evaluate(tree.field(test, "right"));
    const Value amount =
        step->amount == kNoNode ? Value::of_int(1) : interpreter.evaluate(step->amount);
    const Value enters = interpreter.evaluate(test);
    if (!first.known || !bound.known || !amount.known || !enters.known) return std::nullopt;
    if (enters.is_false()) return 0;
    const bool up = op == "<" || op == "<=";
    const std::int64_t stride = step->down ? -amount.number : amount.number;
    if (up ? stride <= 0 : stride >= 0) return std::nullopt;
    const std::int64_t distance = up ? bound.number - first.number : first.number - bound.number;
    const std::int64_t size = up ? stride : -stride;
    const bool inclusive = op == "<=" || op == ">=";
    return inclusive ? distance / size + 1 : (distance + size - 1) / size;
  }
  for (std::int64_t trips = 0; trips < kMostHeaderRuns; ++trips) {
    const Value enters = interpreter.evaluate(condition);
    if (!enters.known) return std::nullopt;
    if (enters.is_false()) return trips;
    interpreter.evaluate(update);
  }
  return std::nullopt;
}

std::optional<bool> PathToNode::walk(NodeId body, NodeId target) {
  std::vector<NodeId> path;
  for (NodeId at = target; at != body; at = tree().node(at).parent) {
    if (at == kNoNode) return std::nullopt;
    path.push_back(at);
  }
  NodeId outer = body;
  for (auto inner = path.rbegin(); inner != path.rend(); ++inner) {
    const auto arrives = step(outer, *inner);
    if (!arrives || !*arrives) return arrives;
    outer = *inner;
  }
  return true;
}

std::optional<bool> PathToNode::walk_into(NodeId body, NodeId loop) {
  const auto arrives = walk(body, loop);
  if (arrives && *arrives) initialise(loop);
  return arrives;
}

bool PathToNode::pass(const Value& condition, bool wanted) {
  if (!condition.known) interpreter_->certain = false;
  return !condition.known || (condition.number != 0) == wanted;
}

std::optional<bool> PathToNode::step(NodeId outer, NodeId inner) {
  const SyntaxTree& t = tree();
  const auto kind = t.node(outer).kind;
  const auto field = t.node(inner).field;
  if (kind == "compound_statement") return run_before(outer, inner);
  if (kind == "if_statement") {
    if (field == "condition") return true;
    interpreter_->open_scope();
    return pass(interpreter_->condition_of(outer), field == "consequence");
  }
  if (kind == "condition_clause") {
    const NodeId initializer = t.field(outer, "initializer");
    if (field == "value" && initializer != kNoNode) interpreter_->execute(initializer);
    return true;
  }
  if (is_loop(t, outer)) return enter_loop(outer, inner);
  if (kind == "declaration") {
    for (const NodeId part : t.all_children(outer)) {
      if (part == inner) break;
      if (t.node(part).field == "declarator") interpreter_->declare_from(part, outer);
    }
    return true;
  }
  if (kind == "conditional_expression") {
    if (field == "condition") return true;
    return pass(interpreter_->evaluate(t.field(outer, "condition")), field == "consequence");
  }
  const auto op = t.operator_of(outer);
  if (field == "right" && (op == "&&" || op == "||")) {
    return pass(interpreter_->evaluate(t.field(outer, "left")), op == "&&");
  }
  if (kind == "comma_expression" && field == "right") {
    interpreter_->evaluate(t.field(outer, "left"));
    return true;
  }
  if (kind == "switch_statement" && field == "body") {
    interpreter_->forget(interpreter_->program().written(outer));
    interpreter_->certain = false;
    return true;
  }
  const bool is_opaque = kind == "lambda_expression" || kind == "for_range_loop" ||
                         kind == "try_statement" || kind == "ERROR";
  if (is_opaque || kind == "function_definition") return std::nullopt;
  return true;
}

bool PathToNode::run_before(NodeId block, NodeId child) {
  interpreter_->open_scope();
  for (const NodeId statement : tree().children(block)) {
    if (statement == child) break;
    const Flow flow = interpreter_->execute(statement);
    if (flow == Flow::unsure) {
      interpreter_->certain = false;
    } else if (flow != Flow::next) {
      return false;
    }
  }
  return true;
}

void PathToNode::initialise(NodeId loop) {
  const NodeId initializer = tree().field(loop, "initializer");
  interpreter_->open_scope();
  if (tree().is(initializer, "declaration")) {
    interpreter_->execute(initializer);
  } else if (initializer != kNoNode) {
    interpreter_->evaluate(initializer);
  }
}

bool PathToNode::enter_loop(NodeId loop, NodeId child) {
  const auto field = tree().node(child).field;
  if (field == "initializer") {
    interpreter_->open_scope();
    return true;
  }
  initialise(loop);
  const auto wanted = iterations_->find(loop);
  const std::int64_t count = wanted == iterations_->end() ? 0 : wanted->second;
  if (count > 0 && !iterate(loop, count)) return false;
  const bool tested = !tree().is(loop, "do_statement") || count > 0;
  if (field == "condition") return true;
  if (tested && !pass(interpreter_->condition_of(loop), true)) return false;
  // What stands in the update comes after the body.
  if (field == "update") interpreter_->execute(tree().field(loop, "body"));
  return true;
}

bool PathToNode::jump(NodeId loop, std::int64_t count) {
  const auto step = step_of(tree(), loop);
  if (!step) return false;
  const NodeId update = tree().bare(tree().field(loop, "update"));
  const Value amount =
      step->amount == kNoNode ? Value::of_int(1) : interpreter_->evaluate(step->amount);
  if (!amount.known) {
    interpreter_->evaluate(update);
    return true;
  }
  interpreter_->add_to(step->variable, amount.number * (step->down ? -count : count));
  return true;
}

bool PathToNode::iterate(NodeId loop, std::int64_t count) {
  const NodeId body = tree().field(loop, "body");
  const NodeId update = tree().field(loop, "update");
  const auto& written = interpreter_->program().written(body);
  const bool runs_body = leaves(interpreter_->program(), body) || interpreter_->any_known(written);
  if (!runs_body && update != kNoNode && jump(loop, count)) return true;
  for (std::int64_t i = 0; i < count; ++i) {
    const bool tested = i > 0 || !tree().is(loop, "do_statement");
    if (tested && !pass(interpreter_->condition_of(loop), true)) return false;
    if (runs_body) {
      const Flow flow = interpreter_->execute(body);
      if (flow == Flow::breaks || flow == Flow::returns) return false;
      if (flow == Flow::unsure) {
        interpreter_->certain = false;
        interpreter_->forget(written);
      }
    }
    if (update != kNoNode) interpreter_->evaluate(update);
    if (interpreter_->steps <= 0) {
      interpreter_->forget(interpreter_->program().written(loop));
      interpreter_->certain = false;
      return true;
    }
  }
  return true;
}

}  // namespace warpmind::agents::builtin
