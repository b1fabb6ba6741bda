#include "agents/builtin/loops/taken_in.h"

namespace warpmind::agents::builtin {
namespace {

std::optional<Combining> combining_of(std::string_view op) {
  if (op == "+" || op == "-" || op == "+=" || op == "-=") return Combining::sum;
  if (op == "*" || op == "*=") return Combining::product;
  if (op == "&=" || op == "&") return Combining::bit_and;
  if (op == "|=" || op == "|") return Combining::bit_or;
  if (op == "^=" || op == "^") return Combining::bit_xor;
  return std::nullopt;
}

std::optional<TakenIn> call_taken_in(const KernelBody& body, NodeId call, const Local& variable) {
  const SyntaxTree& tree = body.tree();
  std::string name = tree.plain_text(tree.field(call, "function"));
  if (name.starts_with("std::")) name.erase(0, 5);
  const auto arguments = tree.children(tree.field(call, "arguments"));
  if ((name == "fmaf" || name == "fma" || name == "__fmaf_rn") && arguments.size() == 3 &&
      names_variable(body, arguments[2], variable)) {
    return TakenIn{Combining::sum, call, kNoNode};
  }
  if (arguments.size() != 2) return std::nullopt;
  const bool maximum = name == "fmaxf" || name == "fmax" || name == "max";
  const bool minimum = name == "fminf" || name == "fmin" || name == "min";
  if (!maximum && !minimum) return std::nullopt;
  const auto how = maximum ? Combining::maximum : Combining::minimum;
  if (names_variable(body, arguments[0], variable)) return TakenIn{how, arguments[1], kNoNode};
  if (names_variable(body, arguments[1], variable)) return TakenIn{how, arguments[0], kNoNode};
  return std::nullopt;
}

/// `condition` compares the variable with the text `value`: which extreme is kept when the value
/// replaces the variable where it holds.
std::optional<Combining> extreme_of(const KernelBody& body, NodeId condition, const Local& variable,
                                    const std::string& value) {
  const SyntaxTree& tree = body.tree();
  const NodeId at = tree.bare(condition);
  if (!tree.is(at, "binary_expression")) return std::nullopt;
  auto op = tree.operator_of(at);
  NodeId other = tree.field(at, "left");
  if (names_variable(body, other, variable)) {
    op = op == "<" ? ">" : op == "<=" ? ">=" : op == ">" ? "<" : op == ">=" ? "<=" : "";
    other = tree.field(at, "right");
  } else if (!names_variable(body, tree.field(at, "right"), variable)) {
    return std::nullopt;
  }
  if (tree.plain_text(tree.bare(other)) != value) return std::nullopt;
  if (op == ">" || op == ">=") return Combining::maximum;
  if (op == "<" || op == "<=") return Combining::minimum;
  return std::nullopt;
}

std::optional<TakenIn> choice_taken_in(const KernelBody& body, NodeId choice,
                                       const Local& variable) {
  const SyntaxTree& tree = body.tree();
  const NodeId yes = tree.field(choice, "consequence");
  const NodeId no = tree.field(choice, "alternative");
  const bool kept_if_no = names_variable(body, no, variable);
  if (!kept_if_no && !names_variable(body, yes, variable)) return std::nullopt;
  const NodeId value = kept_if_no ? yes : no;
  auto how = extreme_of(body, tree.field(choice, "condition"), variable,
                        tree.plain_text(tree.bare(value)));
  if (!how) return std::nullopt;
  if (!kept_if_no) {
    how = *how == Combining::maximum ? Combining::minimum : Combining::maximum;
  }
  return TakenIn{*how, value, kNoNode};
}

/// `if (e > v) v = e;` around the assignment.
std::optional<TakenIn> guarded_taken_in(const KernelBody& body, NodeId assignment,
                                        const Local& variable) {
  const SyntaxTree& tree = body.tree();
  NodeId up = tree.node(tree.node(assignment).parent).parent;
  if (tree.is(up, "compound_statement") && tree.children(up).size() == 1) up = tree.node(up).parent;
  if (!tree.is(up, "if_statement") || tree.field(up, "alternative") != kNoNode) return std::nullopt;
  const NodeId value = tree.field(assignment, "right");
  const auto how =
      extreme_of(body, tree.field(up, "condition"), variable, tree.plain_text(tree.bare(value)));
  if (!how) return std::nullopt;
  return TakenIn{*how, value, up};
}

}  // namespace

bool names_variable(const KernelBody& body, NodeId expression, const Local& variable) {
  const NodeId at = body.tree().bare(expression);
  return body.tree().is(at, "identifier") && body.local_of(at) == &variable;
}

NodeId other_side(const KernelBody& body, NodeId binary, const Local& variable) {
  const SyntaxTree& tree = body.tree();
  const NodeId left = tree.field(binary, "left");
  const NodeId right = tree.field(binary, "right");
  if (names_variable(body, left, variable)) return right;
  if (names_variable(body, right, variable)) return left;
  return kNoNode;
}

std::optional<TakenIn> taken_in(const KernelBody& body, const Write& write) {
  const SyntaxTree& tree = body.tree();
  if (write.is_address || write.local == nullptr) return std::nullopt;
  const Local& variable = *write.local;
  if (!tree.is(tree.node(write.node).parent, "expression_statement")) return std::nullopt;
  if (tree.is(write.node, "update_expression")) return TakenIn{Combining::sum, kNoNode, write.node};
  const auto op = tree.operator_of(write.node);
  const NodeId right = tree.field(write.node, "right");
  std::optional<TakenIn> found;
  if (op != "=") {
    if (const auto how = combining_of(op)) found = TakenIn{*how, right, kNoNode};
    if (!tree.uses(right, variable.name).empty()) return std::nullopt;
  } else {
    const NodeId value = tree.bare(right);
    if (tree.is(value, "binary_expression")) {
      const NodeId other = other_side(body, value, variable);
      const bool minus = tree.operator_of(value) == "-";
      const auto how = combining_of(tree.operator_of(value));
      if (other != kNoNode && how && (!minus || other == tree.field(value, "right"))) {
        found = TakenIn{*how, other, kNoNode};
      }
    } else if (tree.is(value, "call_expression")) {
      found = call_taken_in(body, value, variable);
    } else if (tree.is(value, "conditional_expression")) {
      found = choice_taken_in(body, value, variable);
    }
    if (!found) found = guarded_taken_in(body, write.node, variable);
  }
  if (found && found->whole == kNoNode) found->whole = write.node;
  return found;
}

std::size_t expected_uses(const KernelBody& body, const TakenIn& taken) {
  const SyntaxTree& tree = body.tree();
  if (tree.is(taken.whole, "update_expression")) return 1;
  if (tree.is(taken.whole, "if_statement")) return 2;
  if (tree.operator_of(taken.whole) != "=") return 1;
  return tree.is(tree.bare(tree.field(taken.whole, "right")), "conditional_expression") ? 3 : 2;
}

}  // namespace warpmind::agents::builtin
