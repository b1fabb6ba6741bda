#include "config/oracle_checks.h"

#include "base/sequence.h"
#include "config/nearest_name.h"
#include "config/problem_checks.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::config {
namespace {

using Problem = std::optional<TaskProblem>;

/// Scaling by a power of two to a higher degree leaves the range of 16-bit floats.
constexpr std::int64_t kGreatestDegree = 8;

Problem check_range(const HiddenRange& range, const Sizes& sizes, const std::string& at) {
  if (!sizes.contains(range.size)) {
    std::vector<std::string_view> names;
    for (const auto& [name, value] : sizes) names.push_back(name);
    return TaskProblem{at + ".size", "the workloads have no size '" + range.size + "'" +
                                         suggestion(range.size, names)};
  }
  if (range.low < 1) return TaskProblem{at + ".low", "low must be at least 1"};
  if (range.low > range.high) {
    return TaskProblem{at + ".low", "low is above high; swap them"};
  }
  if (range.multiple_of < 1) {
    return TaskProblem{at + ".multiple_of", "multiple_of must be at least 1"};
  }
  if (range.high / range.multiple_of * range.multiple_of < range.low) {
    return TaskProblem{at + ".multiple_of", "there is no multiple of " +
                                                std::to_string(range.multiple_of) + " from " +
                                                std::to_string(range.low) + " to " +
                                                std::to_string(range.high) + "; widen the range"};
  }
  return std::nullopt;
}

/// The ends of all ranges in place of what the workload has.
Sizes corner(Sizes sizes, const Task& task, bool high) {
  for (const HiddenRange& range : task.hidden) {
    const std::int64_t first =
        (range.low + range.multiple_of - 1) / range.multiple_of * range.multiple_of;
    sizes[range.size] = high ? range.high / range.multiple_of * range.multiple_of : first;
  }
  return sizes;
}

Problem check_corner(const Task& task, bool high) {
  const std::string place = "at the " + std::string(high ? "high" : "low") + " ends of the ranges ";
  const Sizes sizes = corner(task.workloads.front().sizes, task, high);
  std::int64_t bytes = 0;
  for (const Argument& argument : task.arguments) {
    if (argument.kind == ArgumentKind::scalar) continue;
    const auto elements = evaluate_elements(argument, sizes);
    if (!elements) {
      return TaskProblem{"hidden",
                         place + "argument '" + argument.name + "': " + elements.error().message};
    }
    const auto size = static_cast<std::int64_t>(size_in_bytes(argument.dtype));
    if (*elements > kHiddenBytesLimit / size || bytes > kHiddenBytesLimit - *elements * size) {
      return TaskProblem{"hidden",
                         place + "the arguments take more than " +
                             std::to_string(kHiddenBytesLimit >> 20U) +
                             " MiB; hidden workloads are judged on the CPU, narrow the ranges"};
    }
    bytes += *elements * size;
  }
  return std::nullopt;
}

/// The argument that a relation names, or why it cannot be changed.
Problem check_changed(const Task& task, const std::string& name, const std::string& at) {
  const auto found = std::find_if(task.arguments.begin(), task.arguments.end(),
                                  [&](const Argument& a) { return a.name == name; });
  if (found == task.arguments.end()) {
    std::vector<std::string_view> names;
    for (const Argument& argument : task.arguments) names.push_back(argument.name);
    return TaskProblem{at, "the task has no argument '" + name + "'" + suggestion(name, names)};
  }
  if (!is_input(*found) || !is_floating(found->dtype)) {
    return TaskProblem{at, "argument '" + name + "' is no floating input (" +
                               std::string(name_of(found->kind)) + " " +
                               std::string(name_of(found->dtype)) +
                               "); a relation changes inputs of kind in or inout"};
  }
  return std::nullopt;
}

/// Integers can be neither scaled nor added within a tolerance.
Problem check_outputs(const Task& task, const Relation& relation, const std::string& at) {
  if (relation.kind == RelationKind::scaling && relation.degree == 0) return std::nullopt;
  for (const Argument& argument : task.arguments) {
    if (!is_output(argument) || is_floating(argument.dtype)) continue;
    return TaskProblem{at + ".kind", "output '" + argument.name + "' is " +
                                         std::string(name_of(argument.dtype)) +
                                         ", and this relation needs floating outputs"};
  }
  return std::nullopt;
}

Problem check_slowest_extents(const Task& task, const Relation& relation, const std::string& at) {
  std::string extent;
  for (const Argument& argument : task.arguments) {
    const bool changed = contains(relation.arguments, argument.name);
    if (argument.shape.empty() || (!changed && !is_output(argument))) continue;
    if (extent.empty()) extent = argument.shape.front();
    if (extent == argument.shape.front()) continue;
    return TaskProblem{at + ".arguments",
                       "a permutation needs the same slowest extent in its arguments and in every "
                       "output, and '" +
                           argument.name + "' has '" + argument.shape.front() +
                           "' where others "
                           "have '" +
                           extent + "'"};
  }
  return std::nullopt;
}

Problem check_relation(const Task& task, const Relation& relation, const std::string& at) {
  if (relation.arguments.empty()) {
    return TaskProblem{at,
                       "a relation names the inputs that it changes; write arguments = [\"x\"]"};
  }
  std::set<std::string> names;
  for (std::size_t i = 0; i < relation.arguments.size(); ++i) {
    const std::string where = indexed(at + ".arguments", i);
    if (auto problem = check_changed(task, relation.arguments[i], where)) return problem;
    if (!names.insert(relation.arguments[i]).second) {
      return TaskProblem{where, "argument '" + relation.arguments[i] + "' is named twice"};
    }
  }
  if (relation.kind == RelationKind::permutation) return check_slowest_extents(task, relation, at);
  if (relation.degree < -kGreatestDegree || relation.degree > kGreatestDegree) {
    return TaskProblem{at + ".degree", "degree must be from -" + std::to_string(kGreatestDegree) +
                                           " to " + std::to_string(kGreatestDegree)};
  }
  return check_outputs(task, relation, at);
}

}  // namespace

std::optional<TaskProblem> find_hidden_problem(const Task& task) {
  if (task.hidden.empty()) return std::nullopt;
  if (auto problem = check_length("hidden", "hidden ranges", task.hidden.size())) return problem;
  std::set<std::string> names;
  for (std::size_t i = 0; i < task.hidden.size(); ++i) {
    const std::string at = indexed("hidden", i);
    const HiddenRange& range = task.hidden[i];
    if (auto problem = check_range(range, task.workloads.front().sizes, at)) return problem;
    if (!names.insert(range.size).second) {
      return TaskProblem{at + ".size", "size '" + range.size + "' has a range already; keep one"};
    }
  }
  if (auto problem = check_corner(task, false)) return problem;
  return check_corner(task, true);
}

std::optional<TaskProblem> find_relation_problem(const Task& task) {
  if (auto problem = check_length("relation", "relations", task.relations.size())) return problem;
  for (std::size_t i = 0; i < task.relations.size(); ++i) {
    if (auto problem = check_relation(task, task.relations[i], indexed("relation", i))) {
      return problem;
    }
  }
  return std::nullopt;
}

}  // namespace warpmind::config
