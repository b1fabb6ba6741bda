#include "agents/builtin/contraction/wide_tail.h"

#include "agents/builtin/contraction/loop_nest.h"
#include "base/sequence.h"

#include <algorithm>
#include <array>

namespace warpmind::agents::builtin {
namespace {

constexpr std::array<std::string_view, 7> kStoredTypes{
    "__half", "half", "__nv_bfloat16", "nv_bfloat16", "float", "int", "unsigned"};
constexpr std::array<std::string_view, 3> kLoopKinds{"for_statement", "while_statement",
                                                     "do_statement"};

bool is_memory(const SyntaxTree& tree, NodeId target) {
  const NodeId bare = tree.bare(target);
  return tree.is(bare, "subscript_expression") || tree.is(bare, "pointer_expression");
}

/// Assignments and increments of memory below `body`, but for those in `loops`.
std::vector<NodeId> stores_of(const SyntaxTree& tree, NodeId body, NodeId loops) {
  std::vector<NodeId> found;
  for (const NodeId node : tree.descendants(body, "assignment_expression")) {
    if (tree.contains(loops, node)) continue;
    if (is_memory(tree, tree.field(node, "left"))) found.push_back(node);
  }
  for (const NodeId node : tree.descendants(body, "update_expression")) {
    if (tree.contains(loops, node)) continue;
    if (is_memory(tree, tree.field(node, "argument"))) found.push_back(node);
  }
  return found;
}

bool is_in_loop(const SyntaxTree& tree, NodeId node, NodeId body) {
  return std::any_of(kLoopKinds.begin(), kLoopKinds.end(), [&](std::string_view kind) {
    const NodeId loop = tree.ancestor(node, kind, body);
    return loop != kNoNode && tree.contains(body, loop);
  });
}

}  // namespace

std::optional<WideTail> find_wide_tail(const CudaSource& source, const Function& function,
                                       NodeId loops) {
  const SyntaxTree& tree = source.tree;
  const auto stores = stores_of(tree, function.body, loops);
  if (stores.size() != 1) return std::nullopt;
  const NodeId store = stores.front();
  const NodeId statement = tree.node(store).parent;
  const NodeId left = tree.field(store, "left");
  if (left == kNoNode || !tree.is(store, "assignment_expression") ||
      tree.operator_of(store) != "=" || !tree.is(statement, "expression_statement") ||
      is_in_loop(tree, store, function.body)) {
    return std::nullopt;
  }
  WideTail tail;
  tail.place = left;
  tail.element = element_type_of(source, function, left);
  if (!contains(kStoredTypes, tail.element)) {
    return std::nullopt;
  }
  tail.target = left;
  const Range place = tree.node(left).range;
  const std::size_t end = tree.node(statement).range.end;
  tail.edits = {{{place.begin, place.begin}, "{ wm_out.at = &("},
                {{place.end, place.end}, "); wm_out.value"},
                {{end, end}, " }"}};
  return tail;
}

}  // namespace warpmind::agents::builtin
