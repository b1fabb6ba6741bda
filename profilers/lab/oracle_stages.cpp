/// \file
/// Stages tiny_oracle, full_oracle and hidden_oracle, whoever runs the kernel.

#include "base/text.h"
#include "profilers/lab/hidden_oracle.h"
#include "profilers/lab/oracle.h"
#include "profilers/lab/prediction_seed.h"
#include "profilers/lab/relation_oracle.h"
#include "profilers/lab/run_case.h"
#include "profilers/lab/staged_judging.h"
#include "profilers/lab/verification.h"

#include <string>
#include <utility>

namespace warpmind::profilers {

StagedJudging::Continue StagedJudging::start_judge() {
  std::filesystem::path reference;
  if (!order_.task.reference.empty()) {
    WARPMIND_TRY(reference, parts_.toolchain.build_reference(order_.task, stop_));
  }
  if (!identity_) {
    verdict_.profile->note = "static analysis only: " + verdict_.reason;
    return stop_with(Stage::tiny_oracle, {Outcome::blocked, verdict_.reason});
  }
  WARPMIND_TRY(auto judge,
               JudgeSession::start(parts_.sandbox, {parts_.judge_program, parts_.scratch.path(),
                                                    reference, recorded_values_of(order_.task)}));
  judging_.emplace(Judging{parts_.settings.lab, parts_.pool, parts_.sandbox, parts_.scratch,
                           order_.task, std::move(judge), spec_, stop_});
  judging_->processes = parts_.processes;
  judging_->prediction_secret = prediction_secret_file(parts_.settings.toolchain.cache_directory);
  if (order_.task.reference.empty()) {
    WARPMIND_TRY(judging_->given, build_given());
  }
  return true;
}

std::string StagedJudging::describe_oracle(const Correctness& correctness) {
  return std::to_string(correctness.cases) + " cases, " + std::to_string(correctness.elements) +
         " elements, worst error " + fixed(correctness.worst_error_ratio, 3) + " of the tolerance";
}

std::string StagedJudging::after_left_out(const std::string& left_out, const std::string& detail) {
  if (left_out.empty()) return detail;
  left_something_out_ = true;
  return "left out: " + left_out + "; " + detail;
}

StagedJudging::Continue StagedJudging::run_tiny_oracle(WorkerSession& runner) {
  begin(Stage::tiny_oracle);
  const OracleOrder order{
      {&smallest_workload(order_.task)}, 1, order_.baseline_error, 0, plan_.runs};
  WARPMIND_TRY(auto end, run_oracle(*judging_, runner, candidate_, order));
  if (end.correctness.cases > 0) verdict_.correctness = end.correctness;
  if (end.failure) return stop_with(Stage::tiny_oracle, std::move(*end.failure));
  return pass(Stage::tiny_oracle, describe_oracle(end.correctness));
}

StagedJudging::Continue StagedJudging::run_full_oracle(WorkerSession& runner,
                                                       std::vector<const Workload*> workloads) {
  begin(Stage::full_oracle);
  OracleOrder order{std::move(workloads), plan_.seeds,        order_.baseline_error, 0,
                    plan_.runs,           plan_.stage_seconds};
  if (order_.effort != Effort::quick) order.inputs = InputChoice::every;
  WARPMIND_TRY(auto end, run_oracle(*judging_, runner, candidate_, order));
  if (end.correctness.cases > 0) verdict_.correctness = end.correctness;
  if (end.failure) return stop_with(Stage::full_oracle, std::move(*end.failure));
  std::string detail = after_left_out(end.left_out, describe_oracle(end.correctness));
  WARPMIND_TRY(auto related, check_runs_among_themselves(runner));
  if (related.failure) {
    verdict_.correctness->passed = false;
    verdict_.correctness->worst_case = related.correctness.worst_case;
    return stop_with(Stage::full_oracle, std::move(*related.failure));
  }
  if (related.correctness.cases > 0) {
    detail += "; " + std::to_string(related.correctness.cases) + " groups of runs agree";
  }
  return pass(Stage::full_oracle, std::move(detail));
}

Result<OracleEnd> StagedJudging::check_runs_among_themselves(WorkerSession& runner) {
  OracleEnd none;
  if (plan_.relation_groups == 0) return none;
  RelationOrder order;
  order.groups = plan_.relation_groups;
  order.baseline_error = order_.baseline_error;
  order.workloads = plan_.relations_everywhere
                        ? small_workloads(order_.task)
                        : std::vector<const Workload*>{&smallest_workload(order_.task)};
  if (!order_.task.contract.deterministic) {
    WARPMIND_TRY(auto repeated, run_repetitions(*judging_, runner, candidate_, order));
    if (repeated.failure || order_.task.relations.empty()) return repeated;
  }
  return run_relations(*judging_, runner, candidate_, order);
}

StagedJudging::Continue StagedJudging::run_hidden_stage(const StartRunner& start) {
  if (plan_.hidden_workloads == 0) return true;
  begin(Stage::hidden_oracle);
  WARPMIND_TRY(auto runner, start());
  HiddenOrder order;
  order.workloads = plan_.hidden_workloads;
  order.seeds = plan_.hidden_seeds;
  order.runs = plan_.runs;
  order.workload_seconds = plan_.stage_seconds;
  order.baseline_error = order_.baseline_error;
  order.explain = order_.kernel == order_.task.kernel;
  WARPMIND_TRY(auto end, run_hidden_oracle(*judging_, runner, candidate_, order));
  runner.finish();
  if (end.correctness.cases > 0) merge(*verdict_.correctness, end.correctness);
  if (end.failure) {
    verdict_.correctness->passed = false;
    return stop_with(Stage::hidden_oracle, std::move(*end.failure));
  }
  const std::string cases = std::to_string(end.correctness.cases) + " cases";
  return pass(
      Stage::hidden_oracle,
      after_left_out(end.left_out, order_.task.hidden.empty()
                                       ? cases + " with new seeds; the task names no hidden ranges"
                                       : cases + " of hidden shapes"));
}

}  // namespace warpmind::profilers
