#include "agents/builtin/hosting/local_pointers.h"

#include "agents/builtin/hosting/host_statements.h"
#include "base/sequence.h"

#include <algorithm>
#include <array>

namespace warpmind::agents::builtin {
namespace {

constexpr std::array<std::string_view, 4> kTransfers{"cudaMemcpy", "cudaMemcpyAsync", "cudaMemset",
                                                     "cudaMemsetAsync"};

/// Files the use under what it is; false when it is something else.
bool take(const CudaSource& program, NodeId use, LocalPointer& pointer) {
  const SyntaxTree& tree = program.tree;
  const NodeId call = call_with_argument(tree, use);
  if (call == kNoNode) return false;
  if (std::any_of(program.launches.begin(), program.launches.end(),
                  [&](const HostLaunch& launch) { return launch.call == call; })) {
    pointer.launches.push_back(call);
    return true;
  }
  const auto callee = tree.text(tree.field(call, "function"));
  if (contains(kTransfers, callee)) {
    pointer.copies.push_back(call);
    return true;
  }
  NodeId& owner = callee == "cudaMalloc" ? pointer.allocation : pointer.release;
  if (callee != "cudaMalloc" && callee != "cudaFree") return false;
  if (owner != kNoNode || statement_of_call(tree, call) == kNoNode) return false;
  owner = call;
  return true;
}

}  // namespace

std::vector<LocalPointer> local_pointers(const CudaSource& program, const Function& function) {
  const SyntaxTree& tree = program.tree;
  std::vector<LocalPointer> pointers;
  for (const NodeId call : calls_of(tree, function.body, "cudaMalloc")) {
    const auto arguments = arguments_of(tree, call);
    if (arguments.size() != 2) continue;
    const auto names = tree.descendants(arguments.front(), "identifier");
    if (names.size() != 1) continue;
    LocalPointer pointer;
    pointer.name = tree.text(names.front());
    pointer.is_only_used_so = true;
    for (const NodeId use : tree.uses(function.body, pointer.name)) {
      if (is_declared_at(tree, use)) {
        pointer.is_only_used_so = pointer.is_only_used_so && pointer.declared == kNoNode;
        pointer.declared = use;
      } else if (!take(program, use, pointer)) {
        pointer.is_only_used_so = false;
      }
    }
    if (pointer.declared != kNoNode) pointers.push_back(std::move(pointer));
  }
  return pointers;
}

}  // namespace warpmind::agents::builtin
