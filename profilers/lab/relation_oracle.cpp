#include "profilers/lab/relation_oracle.h"

#include <utility>

namespace warpmind::profilers {
namespace {

/// Of additivity and of repetitions; the others need two.
constexpr std::int64_t kMostRunsOfAGroup = 3;

/// `job` says what must hold; null relation and repetition alike.
Result<OracleEnd> run_groups(Judging& judging, WorkerSession& runner, const BuiltKernel& candidate,
                             const Workload& workload, const RelationOrder& order, JudgeJob job) {
  WARPMIND_CHECK(check_scratch_space(judging, workload, kMostRunsOfAGroup * order.groups));
  const bool repetition = job.repetition;
  job.task = task_for_judge(judging.task, workload);
  job.workloads = {workload.name};
  job.seeds = order.groups;
  WARPMIND_TRY(const auto cases, judging.judge.relate(std::move(job), runner.directory(),
                                                      kJudgeSeconds, judging.stop));
  OracleEnd end;
  WARPMIND_TRY(end.failure, run_cases(judging, runner, candidate, workload, cases, {}));
  if (end.failure) return end;
  WARPMIND_TRY(end.correctness,
               judging.judge.compare_related(order.baseline_error, kJudgeSeconds, judging.stop));
  clear_cases(runner);
  if (end.correctness.passed) return end;
  // Where the order of additions decides what the reference itself says, nothing can be judged.
  const bool is_open = repetition && is_own_reference(judging);
  end.failure = StageFailure{
      is_open ? Outcome::unjudgeable : Outcome::wrong,
      (repetition ? "runs on the same inputs differ by more than a quarter of the tolerance: "
                  : "a relation of the task does not hold: ") +
          end.correctness.worst_case};
  return end;
}

/// Adds `one`; false = it failed.
bool add(OracleEnd& all, OracleEnd one) {
  if (one.correctness.cases > 0) merge(all.correctness, one.correctness);
  all.failure = std::move(one.failure);
  if (all.failure) all.correctness.passed = false;
  return !all.failure;
}

}  // namespace

Result<OracleEnd> run_relations(Judging& judging, WorkerSession& runner,
                                const BuiltKernel& candidate, const RelationOrder& order) {
  OracleEnd all;
  for (const Workload* workload : order.workloads) {
    for (const Relation& relation : judging.task.relations) {
      JudgeJob job;
      job.relation = relation;
      WARPMIND_TRY(auto one,
                   run_groups(judging, runner, candidate, *workload, order, std::move(job)));
      if (!add(all, std::move(one))) return all;
    }
  }
  return all;
}

Result<OracleEnd> run_repetitions(Judging& judging, WorkerSession& runner,
                                  const BuiltKernel& candidate, const RelationOrder& order) {
  OracleEnd all;
  for (const Workload* workload : order.workloads) {
    JudgeJob job;
    job.repetition = true;
    WARPMIND_TRY(auto one,
                 run_groups(judging, runner, candidate, *workload, order, std::move(job)));
    if (!add(all, std::move(one))) return all;
  }
  return all;
}

}  // namespace warpmind::profilers
