#include "base/codec/json_guard.h"
#include "base/codec/model_json.h"
#include "base/hash.h"
#include "base/model/insight.h"
#include "base/model/kernel.h"
#include "base/model/task.h"

#include <algorithm>
#include <string>
#include <utility>

namespace warpmind {

KernelId id_of(const Kernel& kernel) {
  return KernelId("k-" + short_hash(codec::dump_json(nlohmann::json(kernel))));
}

TaskId id_of(const Task& task) {
  // What is asked, not how it is called or first solved: a renamed task keeps its memory.
  nlohmann::json identity(task);
  for (const char* key : {"id", "name", "description", "directory", "hidden", "relations"})
    identity.erase(key);
  // The figures of numbers change with every seed of a program; kernels and times hardly do.
  for (std::size_t i = 0; i < task.arguments.size(); ++i) {
    if (is_floating(task.arguments[i].dtype)) identity["arguments"][i].erase("recorded");
  }
  // Without a reference the given kernel says what the right answer is.
  if (!task.reference.empty()) identity.erase("kernel");
  return TaskId("t-" + short_hash(codec::dump_json(identity)));
}

bool has_recorded_values(const Task& task) {
  return std::any_of(task.arguments.begin(), task.arguments.end(), [](const Argument& one) {
    return one.recorded && !one.recorded->values.empty();
  });
}

Task shown_part(Task task) {
  task.hidden.clear();
  return task;
}

InsightId id_of(const Insight& insight) {
  nlohmann::json identity{{"kind", insight.kind},
                          {"action", insight.action},
                          {"scope", insight.scope},
                          {"space", insight.space}};
  if (insight.action.techniques.empty()) identity["claim"] = insight.claim;
  return InsightId("i-" + short_hash(codec::dump_json(identity)));
}

}  // namespace warpmind
