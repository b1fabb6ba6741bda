#include "profilers/judge/relation_desk.h"

#include "profilers/judge/case_comparison.h"
#include "profilers/judge/case_files.h"
#include "profilers/judge/elements.h"
#include "profilers/judge/output_file.h"
#include "profilers/judge/reference_values.h"
#include "profilers/judge/tolerance.h"

#include <algorithm>
#include <filesystem>
#include <random>
#include <sstream>
#include <utility>

namespace warpmind::profilers {
namespace fs = std::filesystem;

namespace {

Result<ToleranceRule> rule_of(const Task& task, const Sizes& sizes, bool by_given_kernel,
                              double baseline_error) {
  if (by_given_kernel) return given_rule(task.contract, false);
  return tolerance_rule(task.contract, sizes, baseline_error);
}

/// How far the elements of one output may be off, whose values are `values`.
Result<std::vector<double>> tolerances_of(const Argument& argument, const Sizes& sizes,
                                          const std::vector<double>& values,
                                          const std::vector<double>& magnitudes,
                                          const ToleranceRule& rule, bool by_given_kernel) {
  Expected expected;
  expected.dtype = argument.dtype;
  WARPMIND_TRY(expected.extents, extents_of(argument, sizes));
  expected.reference = values;
  expected.magnitude = magnitudes;
  std::string given;
  if (by_given_kernel) {
    given = encode_elements(values, argument.dtype);
    expected.given = given;
  }
  return element_tolerances(expected, rule);
}

std::string worst_text(const RelatedRuns& related, const PreparedCase& one,
                       const std::string& output, const RelationComparison& found) {
  std::ostringstream text;
  text << related.text << " on workload '" << one.workload << "': element " << found.worst_index
       << " of " << output << " is " << found.got << " where the other runs say " << found.predicted
       << " (tolerance " << found.allowed << "); " << found.wrong << " of " << found.elements
       << " elements wrong";
  return text.str();
}

}  // namespace

JudgeReply RelationDesk::handle(const JudgeJob& job) {
  JudgeReply reply;
  if (job.command == JudgeCommand::relate) {
    auto cases = prepare(job);
    reply.ok = cases.has_value();
    if (cases) {
      reply.cases = std::move(*cases);
    } else {
      reply.error = cases.error().message;
    }
    return reply;
  }
  auto correctness = compare(job.baseline_error);
  reply.ok = correctness.has_value();
  if (correctness) {
    reply.correctness = std::move(*correctness);
  } else {
    reply.error = correctness.error().message;
  }
  return reply;
}

Result<std::vector<PreparedCase>> RelationDesk::prepare(const JudgeJob& job) {
  if (job.workloads.size() != 1) {
    return fail(Errc::invalid_argument, "a relation is checked on one workload at a time");
  }
  WARPMIND_TRY(const std::uint64_t seed, draw_seed(job.fixed_seed));
  std::mt19937_64 seeds(seed);
  Group common;
  common.task = std::make_shared<const Task>(job.task);
  common.directory = job.directory;
  WARPMIND_TRY(const Workload* const workload, workload_named(job.task, job.workloads.front()));
  common.workload = *workload;
  if (!job.reference_library.empty()) {
    WARPMIND_TRY(common.library, ReferenceLibrary::load(job.reference_library));
  }
  WARPMIND_CHECK(make_job_directory(job.directory));
  std::vector<PreparedCase> all;
  for (std::int64_t i = 0; i < job.seeds; ++i) {
    Group group = common;
    if (job.repetition) {
      WARPMIND_TRY(group.related, repeat_runs(job.task, workload->sizes, seeds()));
    } else {
      WARPMIND_TRY(group.related, relate(job.relation, job.task, workload->sizes, seeds()));
    }
    WARPMIND_CHECK(write_runs(group));
    all.insert(all.end(), group.cases.begin(), group.cases.end());
    groups_.push_back(std::move(group));
  }
  return all;
}

Result<void> RelationDesk::write_runs(Group& group) {
  for (const RawInputs& inputs : group.related.inputs) {
    const std::string number = "r" + std::to_string(next_number_++);
    PreparedCase one;
    one.id = group.workload.name + "/" + number;
    one.workload = group.workload.name;
    one.distribution = group.related.text;
    for (const Argument& argument : group.task->arguments) {
      if (argument.kind == ArgumentKind::scalar) continue;
      const std::string file = number + "_" + argument.name + ".bin";
      if (argument.kind != ArgumentKind::out) {
        one.inputs[argument.name] = "in/" + file;
        WARPMIND_CHECK(
            write_raw(fs::path(group.directory) / "in" / file, inputs.at(argument.name)));
      }
      if (argument.kind != ArgumentKind::in) one.outputs[argument.name] = "out/" + file;
    }
    group.cases.push_back(std::move(one));
  }
  return {};
}

Result<Correctness> RelationDesk::compare(double baseline_error) {
  const std::vector<Group> groups = std::exchange(groups_, {});
  if (groups.empty()) return fail(Errc::not_found, "no related runs are waiting to be compared");
  Correctness total;
  for (const Group& group : groups) {
    WARPMIND_TRY(const Correctness one, compare_group(group, baseline_error));
    ++total.cases;
    total.elements += one.elements;
    if (one.worst_error_ratio <= total.worst_error_ratio) continue;
    total.worst_error_ratio = one.worst_error_ratio;
    total.worst_case = one.worst_case;
  }
  total.passed = total.worst_error_ratio <= 1;
  return total;
}

Result<Correctness> RelationDesk::compare_group(const Group& group, double baseline_error) {
  Correctness total;
  for (const Argument& argument : group.task->arguments) {
    if (!is_output(argument)) continue;
    WARPMIND_TRY(const auto extents, extents_of(argument, group.workload.sizes));
    const auto rows = static_cast<std::size_t>(extents.empty() ? 1 : extents.front());
    WARPMIND_TRY(const auto runs, read_outputs(group, argument, baseline_error));
    for (const RunPrediction& prediction : group.related.predictions) {
      const auto found = compare_related(prediction, runs, argument.dtype, rows);
      total.elements += found.elements;
      if (found.worst_ratio <= total.worst_error_ratio) continue;
      total.worst_error_ratio = found.worst_ratio;
      total.worst_case =
          worst_text(group.related, group.cases[prediction.run], argument.name, found);
    }
  }
  return total;
}

Result<std::vector<RunOutput>> RelationDesk::read_outputs(const Group& group,
                                                          const Argument& argument,
                                                          double baseline_error) {
  const Sizes& sizes = group.workload.sizes;
  WARPMIND_TRY(const std::int64_t count, element_count(argument, sizes));
  const auto bytes = static_cast<std::size_t>(count) * size_in_bytes(argument.dtype);
  const bool by_given_kernel = group.library == nullptr;
  WARPMIND_TRY(const ToleranceRule rule,
               rule_of(*group.task, sizes, by_given_kernel, baseline_error));
  std::vector<RunOutput> runs;
  for (std::size_t i = 0; i < group.cases.size(); ++i) {
    const fs::path file = fs::path(group.directory) / group.cases[i].outputs.at(argument.name);
    WARPMIND_TRY(const std::string raw, read_output(file, bytes));
    RunOutput run;
    run.values = decode_elements(raw, argument.dtype);
    std::vector<double> magnitudes;
    if (group.library && group.task->contract.tolerance == ToleranceClass::contraction) {
      WARPMIND_TRY(auto reference,
                   compute_reference(*group.library, *group.task, sizes, group.related.inputs[i]));
      magnitudes = std::move(reference.magnitudes.at(argument.name));
    }
    WARPMIND_TRY(run.tolerances,
                 tolerances_of(argument, sizes, run.values, magnitudes, rule, by_given_kernel));
    runs.push_back(std::move(run));
  }
  return runs;
}

}  // namespace warpmind::profilers
