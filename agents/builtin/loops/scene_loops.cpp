#include "agents/builtin/loops/scene_loops.h"

#include "agents/builtin/probe/kernel_prober.h"
#include "base/text.h"

#include <algorithm>

namespace warpmind::agents::builtin {
BufferNames buffer_names(const Scene& scene, const Function& function) {
  const auto shapes = scene.launches_of(function);
  return [shapes](const std::string& root) {
    std::string name = root;
    for (const SceneLaunch* shape : shapes) {
      const auto bound = shape->buffers.find(root);
      if (bound == shape->buffers.end()) continue;
      for (const auto& [parameter, buffer] : shape->buffers) {
        if (buffer == bound->second) name = std::min(name, parameter);
      }
    }
    return name;
  };
}

Injective injective_by_probing(const Scene& scene, const Function& function) {
  return [&scene, &function](NodeId index, NodeId loop) {
    const auto shapes = scene.launches_of(function);
    bool seen = false;
    for (const SceneLaunch* shape : shapes) {
      const KernelProber prober(scene.source(), function, *shape);
      const auto trips = prober.trips(loop, prober.position(0));
      if (trips && *trips < 2) continue;
      const auto stride = stride_along_loop(prober, index, loop);
      if (!stride || *stride == 0) return false;
      seen = true;
    }
    return seen;
  };
}

std::optional<std::int64_t> typical_trips(const Scene& scene, const Function& function,
                                          NodeId loop) {
  const auto shapes = scene.launches_of(function);
  if (shapes.empty()) return std::nullopt;
  const KernelProber prober(scene.source(), function, *shapes.front());
  return prober.trips(loop, prober.position(0));
}

std::int64_t typical_threads(const Scene& scene, const Function& function) {
  const auto shapes = scene.launches_of(function);
  return shapes.empty() ? 1 : shapes.front()->threads();
}

std::optional<std::int64_t> typical_value(const Scene& scene, const Function& function,
                                          NodeId expression) {
  const auto shapes = scene.launches_of(function);
  if (shapes.empty()) return std::nullopt;
  const KernelProber prober(scene.source(), function, *shapes.front());
  return prober.value(expression, prober.position(0));
}

std::optional<std::int64_t> typical_thread_stride(const Scene& scene, const Function& function,
                                                  const MemoryAccess& access) {
  const auto shapes = scene.launches_of(function);
  if (shapes.empty()) return std::nullopt;
  const KernelProber prober(scene.source(), function, *shapes.front());
  if (!scene.tree().is(access.node, "subscript_expression")) {
    return stride_along_thread(prober, access.index, 0);
  }
  // Neighbours at the begin and in the middle of the first block.
  std::optional<std::int64_t> stride;
  for (const std::int64_t thread :
       {std::int64_t{0}, std::int64_t{shapes.front()->shape.block[0]} / 2}) {
    // A small launch may end before the middle of its first block.
    if (thread > 0 && prober.reaches(access.node, prober.position(thread + 1)) == false) continue;
    const auto here = prober.access(access.node, prober.position(thread));
    const auto there = prober.access(access.node, prober.position(thread + 1));
    if (!here || !there || here->buffer != there->buffer) return std::nullopt;
    const std::int64_t step = there->element - here->element;
    if (stride && *stride != step) return std::nullopt;
    stride = step;
  }
  return stride;
}

std::string for_each_kernel(
    const Scene& scene,
    const std::function<std::string(const Function& function, std::size_t launch)>& look) {
  std::string refusal;
  for (const auto& function : scene.source().functions) {
    const auto running = launches_running(scene, function);
    if (function.kind != FunctionKind::kernel || running.empty()) continue;
    auto why = look(function, running.front());
    if (refusal.empty()) refusal = std::move(why);
  }
  if (!refusal.empty()) return refusal;
  return scene.plan().launches.empty() ? kNoLaunch : "no kernel of the plan is defined here";
}

const Function* kernel_called(const Scene& scene, const std::optional<std::string>& name) {
  const Function* function = name ? scene.source().kernel(*name) : scene.only_function();
  return function == nullptr || launches_running(scene, *function).empty() ? nullptr : function;
}

Offer best_first(std::vector<Move> moves, std::string refusal) {
  if (moves.empty()) return Offer::refuse(std::move(refusal));
  std::stable_sort(moves.begin(), moves.end(),
                   [](const Move& a, const Move& b) { return a.prior_gain > b.prior_gain; });
  return {std::move(moves), {}};
}

std::vector<std::size_t> launches_running(const Scene& scene, const Function& function) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < scene.plan().launches.size(); ++i) {
    if (scene.function_of(i) == &function) found.push_back(i);
  }
  return found;
}

std::optional<std::array<std::uint32_t, 3>> fixed_block(const Scene& scene,
                                                        const Function& function) {
  const auto shapes = scene.launches_of(function);
  if (shapes.empty()) return std::nullopt;
  const auto block = shapes.front()->shape.block;
  const bool same = std::all_of(shapes.begin(), shapes.end(), [&](const SceneLaunch* shape) {
    return shape->shape.block == block;
  });
  return same ? std::optional(block) : std::nullopt;
}

std::string with_number(std::string_view expression, std::string_view name, std::int64_t number) {
  std::string result;
  std::size_t at = 0;
  while (at < expression.size()) {
    std::size_t end = at;
    while (end < expression.size() && is_word_character(expression[end])) ++end;
    if (end == at) {
      result += expression[at++];
      continue;
    }
    const auto word = expression.substr(at, end - at);
    result += word == name ? std::to_string(number) : std::string(word);
    at = end;
  }
  return result;
}

Result<void> check_plan(const Scene& scene, const LaunchPlan& plan) {
  for (const auto& workload : scene.context().task.workloads) {
    for (const auto& launch : plan.launches) {
      WARPMIND_CHECK(evaluate_launch(launch, plan, workload.sizes));
    }
    for (const auto& scratch : plan.scratch) {
      WARPMIND_CHECK(evaluate_scratch_elements(scratch, plan, workload.sizes));
    }
  }
  return {};
}

bool plan_fits(const Scene& scene, const LaunchPlan& plan) {
  return check_plan(scene, plan).has_value();
}

bool may_reorder(const Scene& scene, const std::string& type, Combining how) {
  if (is_integer_type(type)) return true;
  if (how == Combining::maximum || how == Combining::minimum) return true;
  return scene.context().task.contract.tolerance != ToleranceClass::exact;
}

}  // namespace warpmind::agents::builtin
