#include "agents/builtin/contraction/named_axes.h"

namespace warpmind::agents::builtin {
namespace {

/// Adds the names that decide whether `node` runs, when the loops at `top` do.
void add_conditions(const SyntaxTree& tree, NodeId top, NodeId node,
                    std::vector<std::string_view>& names) {
  for (NodeId at = node; at != kNoNode && !tree.contains(at, top); at = tree.node(at).parent) {
    if (!tree.is(at, "if_statement") && !tree.is(at, "conditional_expression")) continue;
    for (const NodeId use : tree.descendants(tree.field(at, "condition"), "identifier")) {
      names.push_back(tree.text(use));
    }
  }
}

/// Names that the value of the variable `name` is made of.
std::vector<std::string_view> made_of(const SyntaxTree& tree, NodeId body, NodeId top,
                                      std::string_view name) {
  std::vector<std::string_view> names;
  const auto add = [&](NodeId value) {
    for (const NodeId use : tree.descendants(value, "identifier")) names.push_back(tree.text(use));
  };
  for (const NodeId part : tree.descendants(body, "init_declarator")) {
    if (tree.text(tree.declared(part)) == name) add(tree.field(part, "value"));
  }
  for (const NodeId node : tree.descendants(body, "assignment_expression")) {
    if (tree.text(tree.bare(tree.field(node, "left"))) != name) continue;
    add(tree.field(node, "right"));
    add_conditions(tree, top, node, names);
  }
  for (const NodeId node : tree.descendants(body, "update_expression")) {
    if (tree.text(tree.bare(tree.field(node, "argument"))) == name) {
      add_conditions(tree, top, node, names);
    }
  }
  return names;
}

}  // namespace

std::set<std::size_t> named_axes(const SyntaxTree& tree, const Function& function,
                                 const OutputAxes& outputs, NodeId top, NodeId expression) {
  std::set<std::size_t> found;
  std::set<std::string_view> seen;
  std::vector<std::string_view> open;
  for (const NodeId use : tree.descendants(expression, "identifier"))
    open.push_back(tree.text(use));
  while (!open.empty()) {
    const auto name = open.back();
    open.pop_back();
    if (!seen.insert(name).second) continue;
    if (name == "threadIdx" || name == "blockIdx") {
      for (std::size_t i = 0; i < outputs.axes.size(); ++i) found.insert(i);
      break;
    }
    bool is_axis = false;
    for (std::size_t i = 0; i < outputs.axes.size(); ++i) {
      if (outputs.axes[i].variable != name) continue;
      found.insert(i);
      is_axis = true;
    }
    if (is_axis) continue;
    for (const auto inner : made_of(tree, function.body, top, name)) open.push_back(inner);
  }
  return found;
}

}  // namespace warpmind::agents::builtin
