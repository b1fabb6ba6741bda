#include "profilers/lab/oracle.h"

#include "base/text.h"
#include "profilers/lab/run_case.h"
#include "profilers/lab/simulation.h"

#include <algorithm>
#include <chrono>
#include <iterator>

namespace warpmind::profilers {
namespace {

/// From here on a case may take seconds, most of them to write, read and compare its elements.
constexpr std::int64_t kLargeCaseBytes = std::int64_t{64} << 20U;
/// Seconds that a process may need on a loaded machine before it computes.
constexpr double kSimulatorStart = 5;

struct WorkloadEnd {
  Correctness correctness;
  std::optional<StageFailure> failure;
  std::string left_out = {};
  std::string worst_place = {};
};

WorkloadEnd failed(StageFailure failure) { return {{}, std::move(failure)}; }

std::optional<StageFailure> find_failure(const RunnerJob& job, const RunnerReport& report,
                                         const WorkerSession& runner, bool is_own_reference) {
  for (const auto& one : report.cases) {
    if (one.status == CaseStatus::nondeterministic && is_own_reference) {
      return StageFailure{Outcome::unjudgeable,
                          "runs of the given kernel on the same inputs differ, and it alone says "
                          "what is right (" +
                              one.message + "); give the task a reference",
                          true};
    }
    if (one.status != CaseStatus::ok) return failure_of(one);
  }
  if (!report.ok) {
    return StageFailure{Outcome::crashed, "the runner could not do its job: " + report.error};
  }
  if (report.cases.size() != job.cases.size()) {
    return StageFailure{Outcome::crashed, "the runner reported " +
                                              std::to_string(report.cases.size()) + " of " +
                                              std::to_string(job.cases.size()) + " cases"};
  }
  for (const auto& one : job.cases) {
    if (auto bad = check_output_files(runner.directory(), one.buffers)) return bad;
  }
  return std::nullopt;
}

/// Where the given kernel's runs differ, those of a kernel that is held against it may, too: each
/// must be right.
Result<bool> is_order_free(Judging& judging, const Workload& workload,
                           const std::vector<PreparedCase>& cases, double case_seconds) {
  if (!judging.given) return false;
  if (is_own_reference(judging)) return true;
  return judging.given->varies(workload, cases, case_seconds, judging.stop);
}

/// Cases that the given kernel, where it is the reference, can do with: if it fails on a probe,
/// which may be of numbers that it never meets, none is drawn any more.
Result<std::vector<PreparedCase>> prepare_fair(Judging& judging, const WorkerSession& runner,
                                               const Workload& workload, const OracleOrder& order) {
  WARPMIND_TRY(auto cases, prepare_cases(judging, runner, workload, order.seeds, CaseUse::probed,
                                         order.inputs));
  std::vector<PreparedCase> probes;
  std::copy_if(cases.begin(), cases.end(), std::back_inserter(probes),
               [](const PreparedCase& one) { return one.probes; });
  if (probes.empty()) return cases;
  WARPMIND_TRY(const auto trouble,
               judging.given->try_cases(workload, probes, order.case_seconds, judging.stop));
  if (!trouble) return cases;
  judging.given->refuse_probes();
  clear_cases(runner);
  return prepare_cases(judging, runner, workload, order.seeds, CaseUse::compared, order.inputs);
}

/// Prepares `order.seeds` cases, runs and compares them.
Result<ComparedCases> check_draw(Judging& judging, WorkerSession& runner,
                                 const BuiltKernel& candidate, const Workload& workload,
                                 const OracleOrder& order) {
  WARPMIND_TRY(const auto cases, prepare_fair(judging, runner, workload, order));
  CaseRuns how{judging.task.contract.deterministic && !order.blocks ? order.runs : 1,
               order.case_seconds, order.blocks};
  CaseComparison comparison{order.baseline_error, order.case_seconds, order.blocks.has_value()};
  ComparedCases end;
  WARPMIND_TRY(end.failure, run_cases(judging, runner, candidate, workload, cases, how));
  if (end.failure && end.failure->varies) {
    WARPMIND_TRY(const bool is_free, is_order_free(judging, workload, cases, order.case_seconds));
    if (!is_free) return end;
    comparison.varies = is_own_reference(judging);
    how.runs = 1;
    WARPMIND_TRY(end.failure, run_cases(judging, runner, candidate, workload, cases, how));
  }
  if (end.failure) return end;
  return compare_cases(judging, runner, workload, cases, comparison);
}

/// Whether the given kernel's runs differ on other inputs.
Result<bool> varies_elsewhere(Judging& judging, const WorkerSession& runner,
                              const Workload& workload, double case_seconds) {
  constexpr std::int64_t kCases = 2;
  if (!judging.given) return false;
  return judging.given->varies_on_draws(
      workload, [&] { return prepare_cases(judging, runner, workload, kCases); }, case_seconds,
      judging.stop);
}

Result<WorkloadEnd> check_seeds(Judging& judging, WorkerSession& runner,
                                const BuiltKernel& candidate, const Workload& workload,
                                const OracleOrder& order) {
  OracleOrder part = order;
  WorkloadEnd end;
  for (int draw = 0; draw < kMostDraws && part.seeds > 0; ++draw) {
    WARPMIND_TRY(auto compared, check_draw(judging, runner, candidate, workload, part));
    if (compared.failure && compared.failure->varies) {
      WARPMIND_TRY(const bool varies,
                   varies_elsewhere(judging, runner, workload, order.case_seconds));
      if (varies) continue;  // known from now on, and asked of no later draw
    }
    if (compared.failure) return failed(std::move(*compared.failure));
    if (compared.correctness.cases > 0) merge(end.correctness, compared.correctness);
    if (compared.correctness.cases > 0 && !compared.correctness.passed) {
      end.worst_place = std::move(compared.worst_place);
      end.failure = StageFailure{Outcome::wrong, "wrong result at " + end.correctness.worst_case};
      return end;
    }
    part.seeds = compared.silent;
    part.inputs = InputChoice::continued;
  }
  if (part.seeds == 0) return end;
  if (end.correctness.cases == 0) return failed(silent_failure(workload));
  end.left_out = std::to_string(part.seeds) + (part.seeds == 1 ? " input" : " inputs") + " of '" +
                 workload.name + "', of which rounding alone decides too much";
  return end;
}

/// The first case alone shows what the others would take.
Result<WorkloadEnd> check_workload(Judging& judging, WorkerSession& runner,
                                   const BuiltKernel& candidate, const Workload& workload,
                                   const OracleOrder& order) {
  const bool is_large =
      workload.timed || case_bytes(judging.task, workload).value_or(0) >= kLargeCaseBytes;
  OracleOrder part = order;
  if (workload.timed && order.inputs == InputChoice::every) part.inputs = InputChoice::uneven;
  if (order.workload_seconds <= 0 || order.seeds < 2 || !is_large) {
    return check_seeds(judging, runner, candidate, workload, part);
  }
  if (part.inputs == InputChoice::every) part.inputs = InputChoice::dealt;
  part.seeds = 1;
  const auto start = std::chrono::steady_clock::now();
  WARPMIND_TRY(auto end, check_seeds(judging, runner, candidate, workload, part));
  if (end.failure) return end;
  const std::chrono::duration<double> one = std::chrono::steady_clock::now() - start;
  const double affordable = order.workload_seconds / std::max(one.count(), 1e-6) - 1;
  const std::int64_t others = order.seeds - 1;
  part.seeds = static_cast<std::int64_t>(std::clamp(affordable, 0.0, static_cast<double>(others)));
  if (part.seeds < others) {
    end.left_out += (end.left_out.empty() ? "" : ", ") + std::to_string(others - part.seeds) +
                    " of " + std::to_string(order.seeds) + " inputs of '" + workload.name +
                    "', one takes " + fixed(one.count(), 1) + " s";
  }
  if (part.seeds == 0) return end;
  part.inputs = InputChoice::continued;
  WARPMIND_TRY(auto more, check_seeds(judging, runner, candidate, workload, part));
  if (more.correctness.cases > 0) merge(end.correctness, more.correctness);
  if (!end.left_out.empty() && !more.left_out.empty()) end.left_out += ", ";
  end.left_out += more.left_out;
  end.failure = std::move(more.failure);
  end.worst_place = std::move(more.worst_place);
  return end;
}

}  // namespace

Result<std::optional<StageFailure>> run_cases(Judging& judging, WorkerSession& runner,
                                              const BuiltKernel& candidate,
                                              const Workload& workload,
                                              const std::vector<PreparedCase>& cases,
                                              const CaseRuns& how) {
  using End = std::optional<StageFailure>;
  const auto program = make_program(judging.task, *candidate.kernel, workload, "bin/candidate");
  if (!program) {
    return End(StageFailure{Outcome::build_failed, "launch plan: " + program.error().message});
  }
  RunnerJob job;
  job.mode = JobMode::check;
  job.repeat_bitwise = how.runs > 1;
  job.runs = how.runs;
  if (how.blocks) job.blocks = *how.blocks;
  for (const auto& prepared : cases) {
    RunCase one;
    one.id = prepared.id;
    WARPMIND_TRY(one.buffers, make_buffers(judging.task, workload, prepared));
    one.candidate = *program;
    job.cases.push_back(std::move(one));
  }
  // A launch in the simulator ends by itself in a case's time: its process gets that to start.
  const double seconds = (runner.is_simulated() ? kSimulatorStart : 0) +
                         std::max(judging.settings.case_timeout_s, how.case_seconds) *
                             static_cast<double>(std::max<std::size_t>(1, cases.size()));
  WARPMIND_TRY(const auto answer, runner.run_job(job, seconds, judging.stop));
  std::optional<StageFailure> failure;
  if (answer.report) {
    failure = find_failure(job, *answer.report, runner, is_own_reference(judging));
  } else {
    failure = StageFailure{answer.outcome, answer.reason};
  }
  if (!failure) return End();
  return End(explained_by_report(runner, std::move(*failure)));
}

StageFailure failure_of(const CaseReport& report) {
  const std::string where = "case " + report.id + ": ";
  switch (report.status) {
    case CaseStatus::red_zone:
      return {Outcome::wrong, where + "writes outside its buffers: " + report.message};
    case CaseStatus::input_modified:
      return {Outcome::wrong, where + "changes an input: " + report.message};
    case CaseStatus::nondeterministic:
      return {Outcome::wrong, where + "is not deterministic: " + report.message, true};
    case CaseStatus::launch_error:
    case CaseStatus::ok: break;
  }
  return {Outcome::crashed, where + report.message};
}

StageFailure silent_failure(const Workload& workload) {
  return {Outcome::unjudgeable,
          "rounding alone moves too many elements of workload '" + workload.name +
              "' too far, whatever inputs are drawn: its given kernel, which is the reference, "
              "cannot tell right from wrong there; give the task a reference"};
}

void merge(Correctness& all, const Correctness& one) {
  const bool first = all.cases == 0;
  all.passed = (first || all.passed) && one.passed;
  all.cases += one.cases;
  all.elements += one.elements;
  all.baseline_error = std::max(all.baseline_error, one.baseline_error);
  all.worst_relative_l2 = std::max(all.worst_relative_l2, one.worst_relative_l2);
  all.worst_ulp = std::max(all.worst_ulp, one.worst_ulp);
  if (first || one.worst_error_ratio > all.worst_error_ratio || !one.passed) {
    all.worst_error_ratio = std::max(all.worst_error_ratio, one.worst_error_ratio);
    all.worst_case = one.worst_case;
  }
}

Result<OracleEnd> run_oracle(Judging& judging, WorkerSession& runner, const BuiltKernel& candidate,
                             const OracleOrder& order) {
  OracleEnd end;
  for (const Workload* workload : order.workloads) {
    WARPMIND_TRY(auto one, check_workload(judging, runner, candidate, *workload, order));
    if (one.correctness.cases > 0) merge(end.correctness, one.correctness);
    if (!end.left_out.empty() && !one.left_out.empty()) end.left_out += ", ";
    end.left_out += one.left_out;
    if (one.failure) {
      end.correctness.passed = false;
      end.failure = std::move(one.failure);
      end.worst_place = std::move(one.worst_place);
      break;
    }
  }
  return end;
}

}  // namespace warpmind::profilers
