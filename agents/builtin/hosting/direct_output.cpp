/// A temporary that is only copied to where the result shall be: the kernel writes there.
#include "agents/builtin/hosting/all_host_edits.h"
#include "agents/builtin/hosting/host_statements.h"
#include "agents/builtin/hosting/local_pointers.h"

#include <algorithm>

namespace warpmind::agents::builtin {
namespace {

/// cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice) that ends the life of `pointer`.
NodeId final_copy(const SyntaxTree& tree, const LocalPointer& pointer) {
  if (pointer.copies.size() != 1) return kNoNode;
  const NodeId call = pointer.copies.front();
  const auto arguments = arguments_of(tree, call);
  const auto callee = tree.text(tree.field(call, "function"));
  const bool is_copy = callee == "cudaMemcpy" && arguments.size() == 4;
  if (!is_copy || tree.text(arguments[3]) != "cudaMemcpyDeviceToDevice") return kNoNode;
  return tree.text(arguments[1]) == pointer.name ? call : kNoNode;
}

/// A name that is the only way to its memory in this function.
bool is_unaliased(const CudaSource& program, const Function& function, const std::string& name) {
  if (const Parameter* const parameter = function.parameter(name)) return parameter->is_restrict;
  for (const auto& pointer : local_pointers(program, function)) {
    if (pointer.name == name) return true;
  }
  return false;
}

std::string reason_against_copy(const CudaSource& program, const Function& function,
                                const LocalPointer& pointer, NodeId copy) {
  const SyntaxTree& tree = program.tree;
  const auto arguments = arguments_of(tree, copy);
  const std::string target(tree.text(arguments[0]));
  if (!pointer.is_only_used_so || pointer.launches.empty() || pointer.release == kNoNode) {
    return "'" + pointer.name + "' is used for more than launches and one copy";
  }
  if (!tree.is(arguments[0], "identifier")) return "'" + target + "' is not a plain pointer";
  if (tree.plain_text(arguments[2]) != tree.plain_text(arguments_of(tree, pointer.allocation)[1])) {
    return "'" + pointer.name + "' is not copied as a whole";
  }
  if (statement_of_call(tree, copy) == kNoNode) return "the result of the copy is used";
  if (!is_unaliased(program, function, target)) {
    return "'" + target +
           "' may be memory that the kernels read; __restrict__ would say that it "
           "is not";
  }
  const auto end = tree.node(copy).range.begin;
  for (const NodeId use : tree.uses(function.body, target)) {
    const NodeId call = call_with_argument(tree, use);
    if (tree.node(use).range.begin >= end || is_declared_at(tree, use)) continue;
    if (call != kNoNode && tree.text(tree.field(call, "function")) == "cudaMalloc") {
      const bool before =
          tree.node(call).range.begin < tree.node(pointer.launches.front()).range.begin;
      if (before) continue;
    }
    if (call == copy) continue;
    return "'" + target + "' is used before the copy";
  }
  for (const NodeId call : pointer.launches) {
    if (tree.node(call).range.begin > end) return "'" + pointer.name + "' is used after the copy";
  }
  return {};
}

void redirect(const CudaSource& program, const LocalPointer& pointer, NodeId copy,
              HostEditPlan& plan) {
  const SyntaxTree& tree = program.tree;
  const std::string target(tree.text(arguments_of(tree, copy)[0]));
  for (const NodeId call : pointer.launches) {
    for (const NodeId use : tree.uses(tree.field(call, "arguments"), pointer.name)) {
      plan.edits.push_back({tree.node(use).range, target});
    }
  }
  for (const NodeId call : {pointer.allocation, pointer.release, copy}) {
    plan.edits.push_back({whole_line(tree, statement_of_call(tree, call)), ""});
  }
  const NodeId declaration = tree.ancestor(pointer.declared, "declaration");
  const auto parts = tree.children(declaration);
  const auto declarators = std::count_if(parts.begin(), parts.end(), [&](NodeId part) {
    return tree.node(part).field == "declarator";
  });
  if (declarators == 1) plan.edits.push_back({whole_line(tree, declaration), ""});
  plan.places.push_back(line_of(tree, copy) + ": '" + pointer.name + "' is written to '" + target +
                        "' at once");
}

}  // namespace

HostEditPlan direct_output(const CudaSource& program) {
  HostEditPlan plan;
  plan.refusal = "no buffer of a function is only copied to another";
  for (const auto& function : program.functions) {
    if (function.kind != FunctionKind::host || function.has_error) continue;
    for (const auto& pointer : local_pointers(program, function)) {
      const NodeId copy = final_copy(program.tree, pointer);
      if (copy == kNoNode) continue;
      if (auto reason = reason_against_copy(program, function, pointer, copy); !reason.empty()) {
        if (plan.edits.empty()) plan.refusal = std::move(reason);
        continue;
      }
      redirect(program, pointer, copy, plan);
    }
  }
  if (!plan.edits.empty()) plan.refusal.clear();
  return plan;
}

}  // namespace warpmind::agents::builtin
