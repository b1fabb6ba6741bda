/// Buffers that a function allocates and frees come from the pool of the stream that uses them.
#include "agents/builtin/hosting/all_host_edits.h"
#include "agents/builtin/hosting/host_statements.h"
#include "agents/builtin/hosting/launch_sites.h"
#include "agents/builtin/hosting/local_pointers.h"

#include <array>
#include <set>

namespace warpmind::agents::builtin {
namespace {

/// With these the host may look at memory without a call that waits; cudaFree waits for it.
constexpr std::array<std::string_view, 6> kSharedMemory{"cudaMallocManaged", "cudaMallocHost",
                                                        "cudaHostAlloc",     "cudaHostRegister",
                                                        "__managed__",       "cudaMemcpyAsync"};

/// The stream of all launches that get the pointer; empty when there are none, or several.
std::string stream_of(const CudaSource& program, const LocalPointer& pointer) {
  std::set<std::string> streams;
  for (const auto& launch : program.launches) {
    for (const NodeId call : pointer.launches) {
      if (launch.call == call) streams.insert(configuration_of(program, launch)[3]);
    }
  }
  return streams.size() == 1 ? *streams.begin() : std::string();
}

/// One clause, or empty.
std::string reason_against(const CudaSource& program, const Function& function,
                           const LocalPointer& pointer) {
  const SyntaxTree& tree = program.tree;
  if (pointer.release == kNoNode) return "'" + pointer.name + "' is not freed in its function";
  if (!pointer.is_only_used_so) {
    return "'" + pointer.name + "' is used for more than launches and copies in '" + function.name +
           "'";
  }
  const std::string stream = stream_of(program, pointer);
  if (stream.empty()) return "'" + pointer.name + "' is used on no stream, or on several";
  if (stream != "0" && stream != "nullptr" && !pointer.copies.empty()) {
    return "'" + pointer.name + "' is copied on another stream than it is used on";
  }
  // A stream must exist where the buffer is allocated.
  if (stream == "0" || stream == "nullptr") return {};
  for (const NodeId use : tree.uses(function.body, stream)) {
    const auto created = tree.node(use).range.begin;
    if (is_declared_at(tree, use) && created > tree.node(pointer.allocation).range.begin) {
      return "the stream '" + stream + "' does not exist where '" + pointer.name + "' is allocated";
    }
  }
  for (const char* const maker :
       {"cudaStreamCreate", "cudaStreamCreateWithFlags", "cudaStreamDestroy"}) {
    if (!calls_of(tree, function.body, maker).empty()) {
      return "'" + function.name + "' makes or ends the stream itself";
    }
  }
  return {};
}

void edit_call(const SyntaxTree& tree, NodeId call, const std::string& stream,
               std::vector<TextEdit>& edits) {
  const Range name = tree.node(tree.field(call, "function")).range;
  edits.push_back({{name.end, name.end}, "Async"});
  const Range list = tree.node(tree.field(call, "arguments")).range;
  edits.push_back({{list.end - 1, list.end - 1}, ", " + stream});
}

}  // namespace

HostEditPlan stream_ordered_alloc(const CudaSource& program) {
  HostEditPlan plan;
  for (const auto word : kSharedMemory) {
    if (program.tree.source().find(word) == std::string::npos) continue;
    plan.refusal = "the file uses " + std::string(word) +
                   ", and the host may count on cudaFree to wait for it";
    return plan;
  }
  std::string reason = "no function allocates with cudaMalloc";
  for (const auto& function : program.functions) {
    if (function.kind != FunctionKind::host || function.has_error) continue;
    for (const auto& pointer : local_pointers(program, function)) {
      if (auto against = reason_against(program, function, pointer); !against.empty()) {
        reason = std::move(against);
        continue;
      }
      const std::string stream = stream_of(program, pointer);
      edit_call(program.tree, pointer.allocation, stream, plan.edits);
      edit_call(program.tree, pointer.release, stream, plan.edits);
      plan.places.push_back(line_of(program.tree, pointer.allocation) + ": '" + pointer.name +
                            "' of '" + function.name + "' comes from the stream's pool");
    }
  }
  if (plan.edits.empty()) plan.refusal = reason;
  return plan;
}

}  // namespace warpmind::agents::builtin
