#include "agents/builtin/loops/thread_dependence.h"

#include "base/sequence.h"

namespace warpmind::agents::builtin {
namespace {

/// What decides whether, or how often, a node below it runs.
NodeId choice_of(const SyntaxTree& tree, NodeId statement) {
  for (const std::string_view kind :
       {"if_statement", "while_statement", "for_statement", "do_statement", "switch_statement"}) {
    if (tree.is(statement, kind)) return tree.field(statement, "condition");
  }
  if (tree.is(statement, "conditional_expression")) return tree.field(statement, "condition");
  return kNoNode;
}

NodeId outer_loop(const SyntaxTree& tree, NodeId node, NodeId limit) {
  NodeId found = kNoNode;
  for (NodeId up = tree.node(node).parent; up != kNoNode && up != limit;
       up = tree.node(up).parent) {
    for (const std::string_view kind : {"for_statement", "while_statement", "do_statement"}) {
      if (tree.is(up, kind)) found = up;
    }
  }
  return found;
}

}  // namespace

ThreadDependence::ThreadDependence(const KernelBody& body, AmongThreads among)
    : body_(body), among_(among) {
  // Each round may only add: as many rounds as there are locals.
  bool grew = true;
  while (grew) {
    grew = false;
    for (const auto& local : body.locals()) {
      if (is_varying(&local) || !changes(local)) continue;
      varying_.push_back(&local);
      grew = true;
    }
  }
}

bool ThreadDependence::is_varying(const Local* local) const { return contains(varying_, local); }

bool ThreadDependence::changes(const Local& local) const {
  if (local.is_shared) return false;  // what it holds is looked at where it is read
  if (local.is_array || local.is_reference) return true;
  if (local.value != kNoNode && depends(local.value)) return true;
  for (const auto& write : body_.writes()) {
    if (write.local != &local) continue;
    if (write.is_address || is_under_choice(write.node)) return true;
    const NodeId value = body_.tree().field(write.node, "right");
    if (value != kNoNode && depends(value)) return true;
  }
  return false;
}

bool ThreadDependence::is_under_choice(NodeId node) const {
  const SyntaxTree& tree = body_.tree();
  const NodeId limit = body_.function().body;
  for (NodeId up = tree.node(node).parent; up != kNoNode && up != limit;
       up = tree.node(up).parent) {
    const NodeId choice = choice_of(tree, up);
    if (choice != kNoNode && depends(choice)) return true;
  }
  return false;
}

bool ThreadDependence::depends_alone(NodeId node) const {
  const SyntaxTree& tree = body_.tree();
  if (tree.is(node, "identifier")) {
    const auto text = tree.text(node);
    const Local* local = body_.local_of(node);
    if (among_ == AmongThreads::of_the_grid) {
      if (text == "blockIdx" || (local != nullptr && local->is_shared)) return true;
    }
    return text == "threadIdx" || is_varying(local);
  }
  if (tree.is(node, "lambda_expression") || tree.is(node, "gnu_asm_expression")) return true;
  return false;
}

bool ThreadDependence::depends(NodeId expression) const {
  for (const NodeId node : body_.tree().descendants(expression)) {
    if (depends_alone(node)) return true;
  }
  for (const auto& call : body_.calls()) {
    if (body_.tree().contains(expression, call.node) && call.kind != CallKind::pure) return true;
  }
  return false;
}

bool ThreadDependence::is_reached_together(NodeId statement) const {
  const SyntaxTree& tree = body_.tree();
  const NodeId whole = body_.function().body;
  if (is_under_choice(statement)) return false;
  for (const std::string_view kind :
       {"return_statement", "break_statement", "continue_statement"}) {
    const bool leaves_all = kind == "return_statement";
    for (const NodeId leave : tree.descendants(whole, kind)) {
      if (tree.contains(statement, leave) && !leaves_all) continue;
      // What stands behind the statement matters when a loop leads back to it.
      const NodeId loop = outer_loop(tree, leave, whole);
      const bool around = loop != kNoNode && tree.contains(loop, statement);
      if (!around && (!leaves_all || leave > statement)) continue;
      if (is_under_choice(leave)) return false;
    }
  }
  return true;
}

}  // namespace warpmind::agents::builtin
