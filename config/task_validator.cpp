// find_kernel_problem() of task_validator.h: launch plan, buffers and source of a kernel.
#include "config/task_validator.h"

#include "base/plan_evaluation.h"
#include "base/sequence.h"
#include "config/nearest_name.h"
#include "config/oracle_checks.h"
#include "config/problem_checks.h"
#include "config/source_text.h"
#include "syntax/code_text.h"
#include "syntax/global_functions.h"
#include "syntax/lexer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <utility>
#include <vector>

namespace warpmind::config {
namespace {

using Problem = std::optional<TaskProblem>;

// Least and greatest value of an integer dtype, as doubles.
std::pair<double, double> range_of(Dtype dtype) {
  const double bits = 8.0 * static_cast<double>(size_in_bytes(dtype));
  if (dtype == Dtype::u8 || dtype == Dtype::u32) return {0, std::exp2(bits) - 1};
  // Beyond 2^53 a double cannot name every integer; no index is that large.
  if (dtype == Dtype::i64) return {-std::exp2(53), std::exp2(53)};
  return {-std::exp2(bits - 1), std::exp2(bits - 1) - 1};
}

Problem check_index_range(const Argument& argument, const std::string& at) {
  if (is_floating(argument.dtype)) {
    return TaskProblem{at + ".distributions", "index_range needs an integer dtype, and argument '" +
                                                  argument.name + "' is " +
                                                  std::string(name_of(argument.dtype)) +
                                                  "; use uniform, or an integer dtype"};
  }
  if (argument.low > argument.high) {
    return TaskProblem{at + ".low", "low is above high; swap them"};
  }
  const auto [least, greatest] = range_of(argument.dtype);
  for (const auto& [key, value] : {std::pair{".low", argument.low}, {".high", argument.high}}) {
    if (!(value >= least && value <= greatest) || value != std::floor(value)) {
      return TaskProblem{at + key, "the bounds of index_range must be integers that fit " +
                                       std::string(name_of(argument.dtype))};
    }
  }
  return std::nullopt;
}

/// What is on record of it, which a person may have edited.
Problem check_recorded(const Argument& argument, const std::string& at) {
  const auto& list = argument.distributions;
  const bool draws = contains(list, Distribution::recorded);
  if (draws && !argument.recorded) {
    return TaskProblem{at + ".distributions",
                       "'recorded' needs [argument.recorded] with low and "
                       "high; add it, or choose another distribution"};
  }
  if (!argument.recorded) return std::nullopt;
  const RecordedInput& recorded = *argument.recorded;
  const std::string table = at + ".recorded";
  if (!is_input(argument)) {
    return TaskProblem{table, "only arguments of kind in or inout are drawn; remove it"};
  }
  if (!(recorded.low <= recorded.high)) {
    return TaskProblem{table + ".low", "low is above high; swap them"};
  }
  const bool is_name = recorded.values.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!is_name || recorded.offset < 0) {
    return TaskProblem{table + ".values",
                       "values is the name of a file in values/ as a recording "
                       "makes it, and offset not negative; remove both"};
  }
  if (!recorded.values.empty() && is_floating(argument.dtype)) {
    return TaskProblem{table + ".values", "only integers have their values on record; remove it"};
  }
  for (const double figure : {recorded.mean, recorded.deviation}) {
    if (!std::isfinite(figure)) return TaskProblem{table, "mean and deviation must be finite"};
  }
  return std::nullopt;
}

Problem check_distributions(const Argument& argument, const std::string& at) {
  const auto& list = argument.distributions;
  if (!is_input(argument) && !list.empty()) {
    return TaskProblem{at + ".distributions",
                       "only arguments of kind in or inout are drawn; remove distributions from '" +
                           argument.name + "'"};
  }
  if (contains(list, Distribution::index_range)) {
    return check_index_range(argument, at);
  }
  if (argument.low != 0 || argument.high != 0) {
    return TaskProblem{at + (argument.low != 0 ? ".low" : ".high"),
                       "low and high belong to distributions = [\"index_range\"]; add it or "
                       "remove them"};
  }
  return std::nullopt;
}

Problem check_scalar(const Task& task, const Argument& argument, const std::string& at) {
  if (!argument.shape.empty()) {
    return TaskProblem{at + ".shape", "a scalar has no shape; remove it, or choose kind in"};
  }
  if (argument.value.empty()) {
    return TaskProblem{at, "scalar '" + argument.name + "' has no value; write value = \"rows\""};
  }
  return check_on_workloads(task, at + ".value", [&](const Sizes& sizes) -> Result<void> {
    WARPMIND_TRY([[maybe_unused]] const std::string bytes, evaluate_scalar_bytes(argument, sizes));
    return {};
  });
}

Problem check_buffer(const Task& task, const Argument& argument, const std::string& at) {
  if (!argument.value.empty()) {
    return TaskProblem{at + ".value",
                       "only a scalar has a value; remove it, or choose kind scalar"};
  }
  if (argument.shape.empty()) {
    return TaskProblem{
        at, "argument '" + argument.name + "' has no shape; write shape = [\"rows\", \"columns\"]"};
  }
  return check_on_workloads(task, at + ".shape", [&](const Sizes& sizes) -> Result<void> {
    WARPMIND_TRY([[maybe_unused]] const auto elements, evaluate_elements(argument, sizes));
    if (argument.recorded && !argument.recorded->most.empty()) {
      WARPMIND_TRY([[maybe_unused]] const auto most, evaluate(argument.recorded->most, sizes));
    }
    return {};
  });
}

Problem check_arguments(const Task& task) {
  if (auto problem = check_length("argument", "arguments", task.arguments.size())) return problem;
  std::set<std::string> names;
  bool writes = false;
  for (std::size_t i = 0; i < task.arguments.size(); ++i) {
    const auto& argument = task.arguments[i];
    const std::string at = indexed("argument", i);
    if (auto problem = check_new_name(at + ".name", "argument", argument.name, names)) {
      return problem;
    }
    if (auto problem = check_distributions(argument, at)) return problem;
    if (auto problem = check_recorded(argument, at)) return problem;
    auto problem = argument.kind == ArgumentKind::scalar ? check_scalar(task, argument, at)
                                                         : check_buffer(task, argument, at);
    if (problem) return problem;
    writes = writes || is_output(argument);
  }
  if (writes) return std::nullopt;
  return TaskProblem{"argument",
                     "no argument is written; give at least one [[argument]] kind = \"out\" or "
                     "\"inout\""};
}

// "workload[0].sizes" and "rows" -> "workload[0].sizes.rows".
std::string entry_of(const std::string& table, const std::string& key) { return table + "." + key; }

Problem check_size(const std::string& name, const Workload& first, const std::string& where) {
  constexpr std::array<std::string_view, 3> kReserved{"block_x", "block_y", "block_z"};
  std::set<std::string> none;
  if (auto problem = check_new_name(where, "size", name, none)) return problem;
  if (contains(kReserved, name)) {
    return TaskProblem{where, "size name '" + name + "' is reserved for launches; rename it"};
  }
  if (first.sizes.contains(name)) return std::nullopt;
  return TaskProblem{where, "size '" + name + "' is missing in workload '" + first.name +
                                "'; give every workload the same sizes"};
}

Problem check_sizes(const Workload& workload, const Workload& first, const std::string& at) {
  const std::string sizes = at + ".sizes";
  for (const auto& [name, value] : workload.sizes) {
    if (auto problem = check_size(name, first, entry_of(sizes, name))) return problem;
  }
  for (const auto& [name, value] : first.sizes) {
    if (!workload.sizes.contains(name)) {
      return TaskProblem{sizes, "workload '" + workload.name + "' lacks size '" + name +
                                    "'; give every workload the same sizes"};
    }
  }
  return std::nullopt;
}

Problem check_workloads(const Task& task) {
  if (task.workloads.empty()) {
    return TaskProblem{"workload",
                       "there is no workload; write [[workload]] name = \"tiny\" sizes = { rows = "
                       "4 }"};
  }
  if (auto problem = check_length("workload", "workloads", task.workloads.size())) return problem;
  std::set<std::string> names;
  for (std::size_t i = 0; i < task.workloads.size(); ++i) {
    const auto& workload = task.workloads[i];
    const std::string at = indexed("workload", i);
    if (auto problem = check_new_name(at + ".name", "workload", workload.name, names)) {
      return problem;
    }
    if (auto problem = check_sizes(workload, task.workloads.front(), at)) return problem;
  }
  return std::nullopt;
}

Problem check_contract(const Task& task) {
  const Contract& contract = task.contract;
  if (!is_floating(contract.accumulate)) {
    return TaskProblem{"contract.accumulate", "sums are kept in a floating dtype; choose f32"};
  }
  if (!(contract.ulp >= 0) || !std::isfinite(contract.ulp)) {
    return TaskProblem{"contract.ulp", "ulp must be a number from 0 up"};
  }
  const bool contracts = contract.tolerance == ToleranceClass::contraction;
  if (!contracts) {
    if (contract.reduction_length.empty()) return std::nullopt;
    return TaskProblem{"contract.reduction_length",
                       "reduction_length belongs to tolerance = \"contraction\"; remove it"};
  }
  if (contract.reduction_length.empty()) {
    return TaskProblem{"contract",
                       "tolerance contraction needs the number of products in a sum; write "
                       "reduction_length = \"k\""};
  }
  return check_on_workloads(
      task, "contract.reduction_length", [&](const Sizes& sizes) -> Result<void> {
        WARPMIND_TRY([[maybe_unused]] const auto length,
                     evaluate_positive(contract.reduction_length, sizes,
                                       std::numeric_limits<std::int64_t>::max()));
        return {};
      });
}

Problem check_cost_entry(const Task& task, const std::string& key, const std::string& expression,
                         std::int64_t least) {
  if (expression.empty()) {
    return TaskProblem{"cost",
                       "'" + key + "' is missing; write " + key + " = \"rows * columns * 4\""};
  }
  return check_on_workloads(task, "cost." + key, [&](const Sizes& sizes) -> Result<void> {
    WARPMIND_TRY(const std::int64_t value, evaluate(expression, sizes));
    if (value >= least) return {};
    return fail(Errc::invalid_argument, "expression '" + expression + "' gives " +
                                            std::to_string(value) + ", less than " +
                                            std::to_string(least));
  });
}

Problem check_cost(const Task& task) {
  if (auto problem = check_cost_entry(task, "bytes", task.cost.bytes, 1)) return problem;
  return check_cost_entry(task, "flops", task.cost.flops, 0);
}

/// Without a reference the given kernel is it: there is no truth from which classes that bound the
/// distance to it could be counted.
Problem check_given_kernel(const Task& task) {
  const ToleranceClass tolerance = task.contract.tolerance;
  if (tolerance == ToleranceClass::exact || tolerance == ToleranceClass::reduction) {
    return std::nullopt;
  }
  return TaskProblem{"contract.tolerance",
                     "a task without [reference] is compared with the given kernel; choose "
                     "tolerance reduction or exact, or write a reference"};
}

Problem check_reference(const Task& task) {
  if (task.reference.empty()) return check_given_kernel(task);
  if (auto problem = check_source("reference.file", task.reference)) return problem;
  const auto lexemes = syntax::code_lexemes(task.reference);
  const auto is_call = [](const syntax::Lexeme& name, const syntax::Lexeme& next) {
    return name.is("reference") && next.is("(");
  };
  if (std::adjacent_find(lexemes.begin(), lexemes.end(), is_call) != lexemes.end()) {
    return std::nullopt;
  }
  return TaskProblem{"reference.file",
                     "the reference defines no function reference(…); write void reference(const "
                     "warpmind::ReferenceCall& call) { … }"};
}

}  // namespace

std::optional<TaskProblem> find_task_problem(const Task& task) {
  std::set<std::string> none;
  if (auto problem = check_new_name("name", "task", task.name, none)) return problem;
  if (!is_identifier(task.operator_family)) {
    return TaskProblem{"operator_family",
                       "operator_family must be one word such as elementwise, transpose, softmax, "
                       "norm, gemm or reduction"};
  }
  if (auto problem = check_workloads(task)) return problem;
  if (auto problem = check_arguments(task)) return problem;
  if (auto problem = find_hidden_problem(task)) return problem;
  if (auto problem = find_relation_problem(task)) return problem;
  if (auto problem = check_contract(task)) return problem;
  if (auto problem = check_cost(task)) return problem;
  return check_reference(task);
}

Result<void> validate_task(const Task& task) {
  auto problem = find_task_problem(task);
  if (!problem) problem = find_kernel_problem(task.kernel, task);
  if (!problem) return {};
  return fail(Errc::invalid_argument,
              "task '" + task.name + "': " + problem->where + ": " + problem->message);
}

Result<void> validate_kernel(const Kernel& kernel, const Task& task) {
  const auto problem = find_kernel_problem(kernel, task);
  if (!problem) return {};
  return fail(Errc::invalid_argument, problem->where + ": " + problem->message);
}

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
