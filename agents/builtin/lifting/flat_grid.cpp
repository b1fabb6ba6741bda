#include "agents/builtin/lifting/flat_grid.h"

#include "base/sequence.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <vector>

namespace warpmind::agents::builtin {
namespace {

constexpr std::array<std::string_view, 4> kPositions{"blockIdx", "blockDim", "threadIdx",
                                                     "gridDim"};

bool names_position(const SyntaxTree& tree, NodeId node) {
  const auto name = tree.text(node);
  return tree.is(node, "identifier") && contains(kPositions, name);
}

/// Factors and terms as text, without casts and parentheses: "blockIdx.x*blockDim.x+threadIdx.x".
std::string bare_text(const SyntaxTree& tree, NodeId expression) {
  expression = tree.bare(expression);
  if (tree.is(expression, "cast_expression")) {
    return bare_text(tree, tree.field(expression, "value"));
  }
  if (tree.is(expression, "call_expression") &&
      tree.text(tree.field(expression, "function")).starts_with("static_cast<")) {
    const auto arguments = tree.children(tree.field(expression, "arguments"));
    if (arguments.size() == 1) return bare_text(tree, arguments.front());
  }
  if (tree.is(expression, "binary_expression")) {
    std::array<std::string, 2> sides{bare_text(tree, tree.field(expression, "left")),
                                     bare_text(tree, tree.field(expression, "right"))};
    std::sort(sides.begin(), sides.end());
    return sides[0] + std::string(tree.operator_of(expression)) + sides[1];
  }
  return tree.plain_text(expression);
}

/// The variable that `part`, somewhere in its first value, makes the number of the thread.
std::optional<std::string> thread_number(const SyntaxTree& tree, NodeId part, NodeId body,
                                         const std::string& wanted) {
  const NodeId declarator = tree.ancestor(part, "init_declarator", body);
  if (declarator == kNoNode) return std::nullopt;
  if (bare_text(tree, tree.field(declarator, "value")) != wanted) return std::nullopt;
  return std::string(tree.text(tree.declared(tree.field(declarator, "declarator"))));
}

bool is_stride(const SyntaxTree& tree, NodeId part, const std::string& wanted) {
  const NodeId product = tree.ancestor(part, "binary_expression");
  return product != kNoNode && bare_text(tree, product) == wanted;
}

/// What `variable` is compared with, the first time.
std::string bound_of(const SyntaxTree& tree, NodeId body, const std::string& variable) {
  for (const NodeId comparison : tree.descendants(body, "binary_expression")) {
    const auto sign = tree.operator_of(comparison);
    if (sign != "<" && sign != ">=" && sign != ">" && sign != "<=") continue;
    const NodeId left = tree.field(comparison, "left");
    const NodeId right = tree.field(comparison, "right");
    const bool is_left = bare_text(tree, left) == variable;
    if (is_left && (sign == "<" || sign == ">=")) return bare_text(tree, right);
    if (bare_text(tree, right) == variable && (sign == ">" || sign == "<=")) {
      return bare_text(tree, left);
    }
  }
  return {};
}

bool works_together(const SyntaxTree& tree, const Function& kernel) {
  const auto text = tree.text(kernel.node);
  for (const std::string_view sign :
       {"__shared__", "__sync", "__shfl", "__ballot", "__any", "__all", "__match", "__reduce_",
        "__launch_bounds__", "cooperative_groups", "warpSize", "asm"}) {
    if (text.find(sign) != std::string_view::npos) return true;
  }
  return false;
}

/// Whether something that the kernel may call looks at positions, too.
bool helpers_know_positions(const CudaSource& source, const Function& kernel) {
  const SyntaxTree& tree = source.tree;
  for (const auto& function : source.functions) {
    if (function.node == kernel.node || function.kind != FunctionKind::device) continue;
    for (const auto position : kPositions) {
      if (!tree.uses(function.body, position).empty()) return true;
    }
  }
  for (const NodeId macro : tree.descendants(tree.root(), "preproc_function_def")) {
    for (const auto position : kPositions) {
      if (tree.text(macro).find(position) != std::string_view::npos) return true;
    }
  }
  return false;
}

}  // namespace

std::optional<FlatAxis> flat_axis(const CudaSource& source, const Function& kernel, char axis) {
  const SyntaxTree& tree = source.tree;
  if (works_together(tree, kernel) || helpers_know_positions(source, kernel)) return std::nullopt;
  const std::string dot = std::string(".") + axis;
  const std::string number = "blockDim" + dot + "*blockIdx" + dot + "+threadIdx" + dot;
  const std::string stride = "blockDim" + dot + "*gridDim" + dot;
  std::set<std::string> variables;
  for (const NodeId name : tree.descendants(kernel.body, "identifier")) {
    if (!names_position(tree, name)) continue;
    const NodeId part = tree.node(name).parent;
    if (!tree.is(part, "field_expression")) return std::nullopt;  // as a whole
    if (!tree.text(part).ends_with(dot)) continue;
    if (is_stride(tree, part, stride)) continue;
    const auto variable = thread_number(tree, part, kernel.body, number);
    if (!variable) return std::nullopt;
    variables.insert(*variable);
  }
  if (variables.size() != 1) return std::nullopt;
  FlatAxis flat{*variables.begin(), {}};
  flat.bound = bound_of(tree, kernel.body, flat.variable);
  if (flat.bound.empty()) return std::nullopt;
  return flat;
}

}  // namespace warpmind::agents::builtin
