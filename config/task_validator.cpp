#include "config/task_validator.h"

#include "base/plan_evaluation.h"
#include "base/sequence.h"
#include "config/oracle_checks.h"
#include "config/problem_checks.h"
#include "config/source_text.h"
#include "syntax/lexer.h"

#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

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

}  // namespace warpmind::config
