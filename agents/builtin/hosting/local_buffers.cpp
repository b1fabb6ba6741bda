#include "agents/builtin/hosting/local_buffers.h"

#include "agents/builtin/hosting/host_statements.h"
#include "base/sequence.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace warpmind::agents::builtin {
namespace {

constexpr std::array<std::string_view, 4> kOwnerCalls{"cudaMalloc", "cudaMallocAsync", "cudaFree",
                                                      "cudaFreeAsync"};

bool is_harmless_use(const SyntaxTree& tree, NodeId use, const LaunchRun& run) {
  if (is_declared_at(tree, use)) return true;
  const NodeId call = call_with_argument(tree, use);
  if (call == kNoNode) return false;
  const auto in_run = [&](const HostLaunch* launch) { return launch->call == call; };
  if (std::any_of(run.launches.begin(), run.launches.end(), in_run)) return true;
  const auto callee = tree.text(tree.field(call, "function"));
  return contains(kOwnerCalls, callee);
}

bool is_local(const SyntaxTree& tree, NodeId argument, const LaunchRun& run) {
  const NodeId body = tree.ancestor(argument, "function_definition");
  if (body == kNoNode || !tree.is(argument, "identifier")) return false;
  const auto uses = tree.uses(tree.field(body, "body"), tree.text(argument));
  const bool declared =
      std::any_of(uses.begin(), uses.end(), [&](NodeId use) { return is_declared_at(tree, use); });
  return declared && std::all_of(uses.begin(), uses.end(),
                                 [&](NodeId use) { return is_harmless_use(tree, use, run); });
}

}  // namespace

std::vector<std::pair<std::size_t, std::size_t>> local_buffers(const CudaSource& program,
                                                               const LaunchRun& run) {
  std::vector<std::pair<std::size_t, std::size_t>> found;
  for (std::size_t launch = 0; launch < run.launches.size(); ++launch) {
    const auto& arguments = run.launches[launch]->arguments;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (is_local(program.tree, arguments[i], run)) found.emplace_back(launch, i);
    }
  }
  return found;
}

}  // namespace warpmind::agents::builtin
