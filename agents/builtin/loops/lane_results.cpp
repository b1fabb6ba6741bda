#include "agents/builtin/loops/lane_results.h"

#include <algorithm>

namespace warpmind::agents::builtin {
namespace {

/// A function of the file that lets lanes meet.
bool combines_lanes(const KernelBody& body, std::string_view callee) {
  if (callee.starts_with("wm_combine_lanes")) return true;
  const Function* function = body.source().device_function(callee);
  if (function == nullptr) return false;
  const auto text = body.tree().text(function->body);
  return text.find("__shfl") != std::string_view::npos ||
         text.find("__syncthreads") != std::string_view::npos;
}

/// Some loop or statement behind `after` adds elements of the shared array up.
bool is_summed_up(const KernelBody& body, const std::string& array, NodeId after) {
  const SyntaxTree& tree = body.tree();
  for (const auto& access : body.accesses()) {
    if (access.node < after || !access.is_load || !access.is_shared || access.root != array) {
      continue;
    }
    if (tree.ancestor(access.node, "for_statement", body.function().body) != kNoNode) return true;
  }
  return false;
}

bool is_combined_in(const KernelBody& body, NodeId use) {
  const SyntaxTree& tree = body.tree();
  const NodeId statement = tree.ancestor(use, "expression_statement", body.function().body);
  const NodeId scope =
      statement != kNoNode ? statement : tree.ancestor(use, "declaration", body.function().body);
  if (scope == kNoNode) return false;
  for (const auto& call : body.calls()) {
    if (!tree.contains(scope, call.node)) continue;
    if (call.name.starts_with("__shfl") || combines_lanes(body, call.name)) return true;
  }
  for (const auto& access : body.accesses()) {
    if (!access.is_store || !access.is_shared || !tree.contains(scope, access.node)) continue;
    return is_summed_up(body, access.root, scope);
  }
  return false;
}

}  // namespace

std::string kept_by_lanes(const KernelBody& body, const StridedLoop& loop, const LoopFacts& facts) {
  if (loop.is_serial()) return {};
  const NodeId node = loop.header.node;
  for (const auto& reduction : facts.reductions) {
    auto uses = body.uses_of(*reduction.variable, body.function().body);
    // What comes after the first meeting of the lanes is theirs together.
    std::erase_if(uses, [&](NodeId use) { return use < node || body.tree().contains(node, use); });
    if (uses.empty() || !is_combined_in(body, uses.front())) return reduction.variable->name;
  }
  return {};
}

}  // namespace warpmind::agents::builtin
