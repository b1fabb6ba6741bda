#include "agents/builtin/forms/body_queries.h"

namespace warpmind::agents::builtin {

NodeId BodyQueries::only_expression(NodeId statement) const {
  if (!tree_.is(statement, "expression_statement")) return kNoNode;
  const auto parts = tree_.children(statement);
  return parts.size() == 1 ? tree_.bare(parts.front()) : kNoNode;
}

bool BodyQueries::is_barrier(NodeId statement) const {
  const NodeId call = only_expression(statement);
  if (tree_.is(statement, "preproc_call")) return true;
  if (!tree_.is(call, "call_expression")) return false;
  const auto name = tree_.text(tree_.field(call, "function"));
  return name == "__syncthreads" || name == "__syncwarp";
}

const MemoryAccess* BodyQueries::access_at(NodeId node) const {
  const NodeId at = tree_.bare(node);
  for (const auto& access : body_.accesses()) {
    if (access.node == at) return &access;
  }
  return nullptr;
}

const Local* BodyQueries::named(NodeId node) const {
  const NodeId at = tree_.bare(node);
  return tree_.is(at, "identifier") ? body_.local_of(at) : nullptr;
}

std::vector<NodeId> BodyQueries::arguments_of(NodeId call) const {
  return tree_.children(tree_.field(call, "arguments"));
}

std::string BodyQueries::resolved_text(NodeId node) const {
  const Local* local = named(node);
  if (local != nullptr && local->value != kNoNode &&
      !body_.written_in(*local, body_.function().body)) {
    return tree_.plain_text(tree_.bare(local->value));
  }
  return tree_.plain_text(tree_.bare(node));
}

}  // namespace warpmind::agents::builtin
