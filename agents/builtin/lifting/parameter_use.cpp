#include "agents/builtin/lifting/parameter_use.h"

namespace warpmind::agents::builtin {
namespace {

constexpr PointerUse kBoth{true, true};

/// `element` is an expression for one element: `p[i]`, `*p`.
PointerUse use_of_element(const SyntaxTree& tree, NodeId element) {
  NodeId inner = element;
  NodeId outer = tree.node(element).parent;
  while (tree.is(outer, "parenthesized_expression") || tree.is(outer, "field_expression")) {
    inner = outer;  // (p[i]).x is part of the element
    outer = tree.node(outer).parent;
  }
  if (tree.is(outer, "update_expression")) return kBoth;
  if (tree.is(outer, "pointer_expression") && tree.operator_of(outer) == "&") return kBoth;
  if (tree.is(outer, "assignment_expression") && tree.field(outer, "left") == inner) {
    return {tree.operator_of(outer) != "=", true};
  }
  // The declarator `T& x = p[i]` and a call `f(p[i])` may take it by reference.
  if (tree.is(outer, "argument_list") || tree.is(outer, "init_declarator")) {
    return {true, tree.is(outer, "init_declarator") &&
                      tree.is(tree.field(outer, "declarator"), "reference_declarator")};
  }
  return {true, false};
}

PointerUse use_at(const SyntaxTree& tree, NodeId name) {
  const NodeId parent = tree.node(name).parent;
  if (tree.is(parent, "subscript_expression") && tree.field(parent, "argument") == name) {
    return use_of_element(tree, parent);
  }
  if (tree.is(parent, "pointer_expression") && tree.operator_of(parent) == "*") {
    return use_of_element(tree, parent);
  }
  if (tree.is(parent, "binary_expression")) {
    const auto sign = tree.operator_of(parent);
    if (sign == "==" || sign == "!=" || sign == "&&" || sign == "||") return {};
  }
  return kBoth;
}

}  // namespace

PointerUse use_of(const CudaSource& source, const Function& kernel, const Parameter& parameter) {
  if (parameter.is_const) return {true, false};
  PointerUse use;
  for (const NodeId name : source.tree.uses(kernel.body, parameter.name)) {
    const auto here = use_at(source.tree, name);
    use.reads = use.reads || here.reads;
    use.writes = use.writes || here.writes;
  }
  return use;
}

}  // namespace warpmind::agents::builtin
