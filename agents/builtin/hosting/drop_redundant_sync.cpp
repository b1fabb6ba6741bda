/// A wait of the host between two launches on one stream: the stream keeps their order.
#include "agents/builtin/hosting/all_host_edits.h"
#include "agents/builtin/hosting/host_statements.h"
#include "agents/builtin/hosting/launch_sites.h"

#include <algorithm>
#include <set>

namespace warpmind::agents::builtin {
namespace {

/// Of the launch that is this statement, or nullptr.
const HostLaunch* launch_at(const CudaSource& program, NodeId statement) {
  for (const auto& launch : program.launches) {
    if (program.tree.node(launch.call).parent == statement) return &launch;
  }
  return nullptr;
}

bool waits(const SyntaxTree& tree, NodeId statement) {
  return only_asks_or_waits(tree, statement) &&
         (!calls_of(tree, statement, "cudaDeviceSynchronize").empty() ||
          !calls_of(tree, statement, "cudaStreamSynchronize").empty());
}

/// All launches of the function name the same stream.
bool is_on_one_stream(const CudaSource& program, const Function& function) {
  std::set<std::string> streams;
  for (const auto& launch : program.launches) {
    if (!program.tree.contains(function.body, launch.call)) continue;
    streams.insert(configuration_of(program, launch)[3]);
  }
  return streams.size() <= 1;
}

void edit_block(const CudaSource& program, NodeId block, HostEditPlan& plan) {
  const SyntaxTree& tree = program.tree;
  const auto statements = tree.children(block);
  bool is_launched = false;
  std::vector<NodeId> waiting;
  for (const NodeId statement : statements) {
    if (const auto* const launch = launch_at(program, statement)) {
      for (const NodeId wait : is_launched ? waiting : std::vector<NodeId>{}) {
        plan.edits.push_back({whole_line(tree, wait), ""});
        plan.places.push_back(line_of(tree, wait) + ": the wait before '" + launch->kernel +
                              "' goes");
      }
      is_launched = true;
      waiting.clear();
    } else if (waits(tree, statement)) {
      waiting.push_back(statement);
    } else if (!only_asks_or_waits(tree, statement)) {
      is_launched = false;
      waiting.clear();
    }
  }
}

}  // namespace

HostEditPlan drop_redundant_sync(const CudaSource& program) {
  HostEditPlan plan;
  std::string streams;
  for (const auto& function : program.functions) {
    if (function.kind != FunctionKind::host || function.has_error) continue;
    if (!is_on_one_stream(program, function)) {
      streams = "'" + function.name + "' launches on several streams";
      continue;
    }
    for (const NodeId block : program.tree.descendants(function.body, "compound_statement")) {
      edit_block(program, block, plan);
    }
  }
  if (plan.edits.empty()) {
    plan.refusal =
        streams.empty() ? "no wait stands between two launches of one block of code" : streams;
  }
  return plan;
}

}  // namespace warpmind::agents::builtin
