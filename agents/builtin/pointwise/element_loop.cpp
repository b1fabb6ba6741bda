#include "agents/builtin/pointwise/element_loop.h"

#include "agents/builtin/pointwise/pure_code.h"
#include "agents/builtin/technique.h"

#include <algorithm>
#include <set>

namespace warpmind::agents::builtin {
namespace {

/// Why the order of elements matters: one writes what another one uses. Empty: it does not.
std::string carried(const Scene& scene, const PointwiseKernel& kernel) {
  for (const auto* launch : scene.launches_of(*kernel.function)) {
    for (const auto& store : kernel.accesses) {
      const auto buffer = launch->buffers.find(store.parameter);
      if (!store.is_store || buffer == launch->buffers.end()) continue;
      for (const auto& other : kernel.accesses) {
        const auto bound = launch->buffers.find(other.parameter);
        if (bound == launch->buffers.end() || bound->second != buffer->second) continue;
        if (!store.is_flat || !other.is_flat) {
          return "'" + buffer->second + "' is written and used at another index in '" +
                 kernel.function->name + "'";
        }
      }
    }
  }
  return {};
}

}  // namespace

std::map<const Function*, PointwiseKernel> one_element_kernels(const Scene& scene,
                                                               std::string& refusal) {
  std::map<const Function*, PointwiseKernel> kernels;
  std::set<const Function*> seen;
  for (std::size_t i = 0; i < scene.plan().launches.size(); ++i) {
    const Function* function = scene.function_of(i);
    if (function != nullptr && !seen.insert(function).second) continue;
    auto found = find_one_element(scene, i);
    const std::string why = found.kernel ? carried(scene, *found.kernel) : found.refusal;
    if (why.empty()) {
      kernels.emplace(function, std::move(*found.kernel));
    } else if (refusal.empty()) {
      refusal = why;
    }
  }
  if (scene.plan().launches.empty()) refusal = kNoLaunch;
  return kernels;
}

std::vector<TextEdit> element_loop_edits(const Scene& scene, const PointwiseKernel& kernel,
                                         const std::string& counter, const std::string& head) {
  const SyntaxTree& tree = scene.tree();
  std::vector<TextEdit> edits{{whole_line(tree, kernel.declaration), ""}};
  for (const NodeId derived : kernel.derived) edits.push_back({whole_line(tree, derived), ""});
  Range range = tree.node(kernel.guard).range;
  if (!kernel.work.empty()) {
    range.end = std::max(range.end, tree.node(kernel.work.back()).range.end);
  }
  edits.push_back({range, head + " {\n    const " + kernel.index_type + " " + kernel.index +
                              " = static_cast<" + kernel.index_type + ">(" + counter + ");\n" +
                              work_text(scene, kernel, {}, "    ") + "  }"});
  return edits;
}

std::string wide_bound(const Scene& scene, const PointwiseKernel& kernel) {
  return "static_cast<long long>(" + std::string(scene.tree().text(kernel.bound)) + ")";
}

std::int64_t timed_elements(const Scene& scene, const PointwiseKernel& kernel) {
  std::int64_t most = 0;
  for (std::size_t i = 0; i < scene.plan().launches.size(); ++i) {
    if (scene.function_of(i) != kernel.function) continue;
    const auto bounds = bounds_of(scene, i, kernel);
    for (const auto& workload : scene.context().task.workloads) {
      if (workload.timed && bounds && bounds->contains(workload.name)) {
        most = std::max(most, bounds->at(workload.name));
      }
    }
  }
  return most;
}

}  // namespace warpmind::agents::builtin
