// find_kernel_problem() of task_validator.h: launch plan, buffers and source of a kernel.
#include "base/plan_evaluation.h"
#include "config/nearest_name.h"
#include "config/problem_checks.h"
#include "config/source_text.h"
#include "config/task_validator.h"
#include "syntax/code_text.h"
#include "syntax/global_functions.h"
#include "syntax/lexer.h"

#include <algorithm>
#include <set>
#include <vector>

namespace warpmind::config {
namespace {

using Problem = std::optional<TaskProblem>;

/// Checks one kernel of tier A against its task.
class PlanValidator {
 public:
  PlanValidator(const Kernel& kernel, const Task& task)
      : plan_(kernel.plan),
        task_(task),
        code_(syntax::code_only(kernel.source)),
        functions_(syntax::find_global_functions(code_)) {
    for (const auto& argument : task.arguments) buffers_.insert(argument.name);
  }

  Problem run() {
    if (auto problem = check_constants()) return problem;
    if (auto problem = check_scratch()) return problem;
    if (auto problem = check_bytes()) return problem;
    if (plan_.launches.empty()) {
      return TaskProblem{"kernel.launch",
                         "a kernel of tier a needs at least one launch; write [[kernel.launch]]"};
    }
    if (auto problem = check_length("kernel.launch", "launches", plan_.launches.size())) {
      return problem;
    }
    for (std::size_t i = 0; i < plan_.launches.size(); ++i) {
      if (auto problem = check_launch(plan_.launches[i], indexed("kernel.launch", i))) {
        return problem;
      }
    }
    return check_outputs();
  }

 private:
  Problem check_scratch() {
    if (auto problem = check_length("kernel.scratch", "scratch buffers", plan_.scratch.size())) {
      return problem;
    }
    for (std::size_t i = 0; i < plan_.scratch.size(); ++i) {
      const auto& scratch = plan_.scratch[i];
      const std::string at = indexed("kernel.scratch", i);
      if (auto problem = check_new_name(at + ".name", "scratch buffer", scratch.name, buffers_)) {
        return problem;
      }
      auto problem =
          check_on_workloads(task_, at + ".elements", [&](const Sizes& sizes) -> Result<void> {
            WARPMIND_TRY([[maybe_unused]] const auto elements,
                         evaluate_scratch_elements(scratch, plan_, sizes));
            return {};
          });
      if (problem) return problem;
    }
    return std::nullopt;
  }

  // A constant becomes a macro: one named like a parameter or a kernel would rewrite the source.
  [[nodiscard]] Problem check_constants() const {
    std::set<std::string> taken = buffers_;
    for (const auto& scratch : plan_.scratch) taken.insert(scratch.name);
    for (const auto& launch : plan_.launches) taken.insert(launch.kernel);
    for (const auto& [name, value] : plan_.constants) {
      const std::string at = "kernel.constants." + name;
      if (auto problem = check_new_name(at, "constant", name, taken)) return problem;
      auto problem = check_on_workloads(task_, at, [&](const Sizes& sizes) -> Result<void> {
        WARPMIND_TRY([[maybe_unused]] const auto names, names_of(plan_, sizes));
        return {};
      });
      if (problem) return problem;
    }
    return std::nullopt;
  }

  [[nodiscard]] Problem check_bytes() const {
    for (std::size_t i = 0; i < task_.workloads.size(); ++i) {
      const auto& workload = task_.workloads[i];
      const std::string at = indexed("workload", i) + ".sizes";
      auto total = total_bytes(workload.sizes);
      if (!total) return TaskProblem{at, total.error().message};
      if (*total > kWorkloadBytesLimit) {
        return TaskProblem{at, "workload '" + workload.name + "' needs " + std::to_string(*total) +
                                   " bytes of buffers, more than the limit of 16 GiB; make its "
                                   "sizes smaller"};
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] Result<std::int64_t> total_bytes(const Sizes& sizes) const {
    std::int64_t total = 0;
    const auto add = [&](std::int64_t elements, Dtype dtype) -> Result<void> {
      std::int64_t bytes = 0;
      const auto size = static_cast<std::int64_t>(size_in_bytes(dtype));
      if (__builtin_mul_overflow(elements, size, &bytes) ||
          __builtin_add_overflow(total, bytes, &total)) {
        return fail(Errc::invalid_argument, "the bytes of the buffers overflow 64 bits");
      }
      return {};
    };
    for (const auto& argument : task_.arguments) {
      if (argument.kind == ArgumentKind::scalar) continue;
      WARPMIND_TRY(const std::int64_t elements, evaluate_elements(argument, sizes));
      WARPMIND_CHECK(add(elements, argument.dtype));
    }
    for (const auto& scratch : plan_.scratch) {
      WARPMIND_TRY(const std::int64_t elements, evaluate_scratch_elements(scratch, plan_, sizes));
      WARPMIND_CHECK(add(elements, scratch.dtype));
    }
    return total;
  }

  Problem check_launch(const Launch& launch, const std::string& at) {
    if (auto problem = check_function(launch, at)) return problem;
    for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
      auto problem = check_argument(launch.arguments[i], indexed(at + ".arguments", i));
      if (problem) return problem;
    }
    return check_shape(launch, at);
  }

  // Part by part, so that the problem stands at the entry that is wrong.
  [[nodiscard]] Problem check_shape(const Launch& launch, const std::string& at) const {
    Launch part;
    part.kernel = launch.kernel;
    const auto check = [&](const char* key) {
      return check_on_workloads(task_, at + key, [&](const Sizes& sizes) -> Result<void> {
        WARPMIND_TRY([[maybe_unused]] const auto evaluated, evaluate_launch(part, plan_, sizes));
        return {};
      });
    };
    part.block = launch.block;
    if (auto problem = check(".block")) return problem;
    part.grid = launch.grid;
    if (auto problem = check(".grid")) return problem;
    part.shared_bytes = launch.shared_bytes;
    return check(".shared_bytes");
  }

  [[nodiscard]] Problem check_function(const Launch& launch, const std::string& at) const {
    const auto found = std::find_if(
        functions_.begin(), functions_.end(),
        [&](const syntax::GlobalFunction& each) { return each.name == launch.kernel; });
    if (found == functions_.end()) {
      // A macro may write the function; then at least its name stands somewhere.
      if (is_identifier(launch.kernel) && syntax::contains_word(code_, launch.kernel)) {
        return std::nullopt;
      }
      std::vector<std::string_view> names;
      for (const auto& function : functions_) names.push_back(function.name);
      return TaskProblem{at + ".kernel", "the source has no __global__ function '" + launch.kernel +
                                             "'" + suggestion(launch.kernel, names)};
    }
    if (found->parameters == launch.arguments.size()) return std::nullopt;
    return TaskProblem{at + ".arguments", "kernel '" + launch.kernel + "' has " +
                                              std::to_string(found->parameters) +
                                              " parameters and the launch gives " +
                                              std::to_string(launch.arguments.size()) +
                                              " arguments; list one for each parameter, in order"};
  }

  Problem check_argument(const std::string& argument, const std::string& at) {
    if (is_scalar_argument(argument)) {
      return check_on_workloads(task_, at, [&](const Sizes& sizes) -> Result<void> {
        WARPMIND_TRY([[maybe_unused]] const auto bytes,
                     evaluate_scalar_bytes(argument, plan_, sizes));
        return {};
      });
    }
    if (buffers_.contains(argument)) {
      passed_.insert(argument);
      return std::nullopt;
    }
    const std::vector<std::string_view> names(buffers_.begin(), buffers_.end());
    return TaskProblem{at, "'" + argument +
                               "' is neither an argument of the task, nor a scratch buffer, nor a "
                               "scalar such as \"i32:rows\"" +
                               suggestion(argument, names)};
  }

  [[nodiscard]] Problem check_outputs() const {
    for (const auto& argument : task_.arguments) {
      if (is_output(argument) && !passed_.contains(argument.name)) {
        return TaskProblem{"kernel.launch", "no launch is given the output '" + argument.name +
                                                "'; add it to the arguments of the one that "
                                                "writes it"};
      }
    }
    return std::nullopt;
  }

  const LaunchPlan& plan_;
  const Task& task_;
  std::string code_;
  std::vector<syntax::GlobalFunction> functions_;
  std::set<std::string> buffers_;  // arguments and scratch buffers
  std::set<std::string> passed_;   // of them, those that some launch is given
};

bool has_c_linkage(std::string_view source) {
  const auto lexemes = syntax::code_lexemes(source);
  return std::adjacent_find(lexemes.begin(), lexemes.end(),
                            [](const syntax::Lexeme& word, const syntax::Lexeme& language) {
                              return word.is("extern") && language.text == "\"C\"";
                            }) != lexemes.end();
}

Problem check_tier_b(const Kernel& kernel) {
  if (!is_identifier(kernel.entry)) {
    return TaskProblem{"kernel",
                       "a kernel of tier b needs its host function; write entry = "
                       "\"name\""};
  }
  if (!kernel.plan.launches.empty()) {
    return TaskProblem{"kernel.launch",
                       "tier b launches by itself; remove [[kernel.launch]], or "
                       "choose tier a"};
  }
  if (syntax::contains_word(syntax::code_only(kernel.source), kernel.entry)) return std::nullopt;
  return TaskProblem{"kernel.entry", "the source does not define '" + kernel.entry + "'"};
}

}  // namespace

std::optional<TaskProblem> find_kernel_problem(const Kernel& kernel, const Task& task) {
  if (auto problem = check_source("kernel.file", kernel.source)) return problem;
  for (std::size_t i = 0; i < kernel.build_flags.size(); ++i) {
    if (!kernel.build_flags[i].starts_with('-')) {
      return TaskProblem{indexed("kernel.flags", i), "'" + kernel.build_flags[i] +
                                                         "' is no compiler flag; flags start "
                                                         "with -"};
    }
  }
  if (kernel.tier == Tier::c) {
    return TaskProblem{"kernel.tier",
                       "tier c (whole programs) cannot be judged as a kernel; "
                       "choose a or b"};
  }
  if (!has_c_linkage(kernel.source)) {
    return TaskProblem{"kernel.file",
                       "the source has no extern \"C\" function, so none can be "
                       "found by name; write extern \"C\" __global__ void …"};
  }
  if (kernel.tier == Tier::b) {
    if (auto problem = check_tier_b(kernel)) return problem;
    return std::nullopt;
  }
  if (!kernel.entry.empty()) {
    return TaskProblem{"kernel.entry", "entry belongs to tier b; remove it, or choose tier b"};
  }
  return PlanValidator(kernel, task).run();
}

}  // namespace warpmind::config
