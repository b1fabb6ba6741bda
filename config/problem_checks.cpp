#include "config/problem_checks.h"

#include "config/source_text.h"

namespace warpmind::config {

std::string indexed(std::string_view list, std::size_t index) {
  return std::string(list) + "[" + std::to_string(index) + "]";
}

std::optional<TaskProblem> check_new_name(std::string where, std::string_view what,
                                          const std::string& name, std::set<std::string>& taken) {
  const std::string quoted = std::string(what) + " name '" + name + "'";
  if (!is_identifier(name)) {
    return TaskProblem{std::move(where),
                       quoted +
                           " is no C identifier; use letters, digits and _, not starting "
                           "with a digit"};
  }
  if (!taken.insert(name).second) {
    return TaskProblem{std::move(where), quoted + " is already taken; choose another"};
  }
  return std::nullopt;
}

std::optional<TaskProblem> check_length(std::string where, std::string_view what,
                                        std::size_t length) {
  if (length <= kListLimit) return std::nullopt;
  return TaskProblem{std::move(where), std::to_string(length) + " " + std::string(what) +
                                           ", more than " + std::to_string(kListLimit) +
                                           "; split the task"};
}

std::optional<TaskProblem> check_on_workloads(
    const Task& task, const std::string& where,
    const std::function<Result<void>(const Sizes&)>& check) {
  for (const auto& workload : task.workloads) {
    auto checked = check(workload.sizes);
    if (!checked) {
      return TaskProblem{where, "workload '" + workload.name + "': " + checked.error().message};
    }
  }
  return std::nullopt;
}

std::optional<TaskProblem> check_source(std::string where, std::string_view source) {
  if (source.empty()) return TaskProblem{std::move(where), "the source is empty"};
  if (source.size() > kSourceBytesLimit) {
    return TaskProblem{std::move(where), "the source has " + std::to_string(source.size()) +
                                             " bytes, more than " +
                                             std::to_string(kSourceBytesLimit) + "; shorten it"};
  }
  if (const auto offset = find_invalid_utf8(source)) {
    return TaskProblem{std::move(where), "the source is not UTF-8 at byte " +
                                             std::to_string(*offset) + "; save it as UTF-8"};
  }
  if (source.find('\0') != std::string_view::npos) {
    return TaskProblem{std::move(where), "the source contains a NUL byte; remove it"};
  }
  return std::nullopt;
}

Result<std::int64_t> evaluate_elements(const Argument& argument, const Sizes& sizes) {
  for (const auto& extent : argument.shape) {
    // The product has a limit of its own; this one only keeps zero and negative extents out.
    WARPMIND_TRY([[maybe_unused]] const std::int64_t value,
                 evaluate_positive(extent, sizes, kWorkloadBytesLimit));
  }
  return evaluate_product(argument.shape, sizes);
}

}  // namespace warpmind::config
