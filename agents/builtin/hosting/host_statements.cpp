#include "agents/builtin/hosting/host_statements.h"

#include "base/sequence.h"

#include <algorithm>
#include <array>

namespace warpmind::agents::builtin {
namespace {

constexpr std::array<std::string_view, 5> kHarmlessCalls{
    "cudaGetLastError", "cudaPeekAtLastError", "cudaDeviceSynchronize", "cudaStreamSynchronize",
    "cudaGetErrorString"};

bool is_macro_name(std::string_view name) {
  return std::all_of(name.begin(), name.end(), [](char c) {
    return c == '_' || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  });
}

}  // namespace

NodeId statement_of_call(const SyntaxTree& tree, NodeId call) {
  NodeId at = tree.node(call).parent;
  if (tree.is(at, "argument_list")) {
    const NodeId outer = tree.node(at).parent;
    const bool macro =
        is_macro_name(tree.text(tree.field(outer, "function"))) && tree.children(at).size() == 1;
    if (!macro) return kNoNode;
    at = tree.node(outer).parent;
  }
  return tree.is(at, "expression_statement") && tree.is(tree.node(at).parent, "compound_statement")
             ? at
             : kNoNode;
}

std::vector<NodeId> calls_of(const SyntaxTree& tree, NodeId below, std::string_view callee) {
  std::vector<NodeId> calls;
  for (const NodeId call : tree.descendants(below, "call_expression")) {
    if (tree.text(tree.field(call, "function")) == callee) calls.push_back(call);
  }
  return calls;
}

std::vector<NodeId> arguments_of(const SyntaxTree& tree, NodeId call) {
  return tree.children(tree.field(call, "arguments"));
}

bool only_asks_or_waits(const SyntaxTree& tree, NodeId statement) {
  if (!tree.is(statement, "expression_statement")) return false;
  bool asks = false;
  for (const NodeId below : tree.descendants(statement)) {
    const auto kind = tree.node(below).kind;
    if (kind == "assignment_expression" || kind == "update_expression") return false;
    if (kind != "call_expression") continue;
    const auto callee = tree.text(tree.field(below, "function"));
    const bool known = contains(kHarmlessCalls, callee);
    if (!known && !is_macro_name(callee)) return false;
    asks = asks || known;
  }
  return asks;
}

bool is_declared_at(const SyntaxTree& tree, NodeId identifier) {
  const NodeId declaration = tree.ancestor(identifier, "declaration");
  if (declaration == kNoNode) return false;
  for (const NodeId part : tree.children(declaration)) {
    if (tree.declared(part) == identifier) return true;
    if (tree.is(part, "init_declarator") &&
        tree.declared(tree.field(part, "declarator")) == identifier) {
      return true;
    }
  }
  return false;
}

NodeId call_with_argument(const SyntaxTree& tree, NodeId node) {
  NodeId at = tree.node(node).parent;
  while (tree.is(at, "pointer_expression") || tree.is(at, "cast_expression") ||
         tree.is(at, "parenthesized_expression")) {
    at = tree.node(at).parent;
  }
  return tree.is(at, "argument_list") ? tree.node(at).parent : kNoNode;
}

std::string line_of(const SyntaxTree& tree, NodeId node) {
  const auto begin = static_cast<std::ptrdiff_t>(tree.node(node).range.begin);
  const std::string& source = tree.source();
  return "line " + std::to_string(1 + std::count(source.begin(), source.begin() + begin, '\n'));
}

}  // namespace warpmind::agents::builtin
