#include "profilers/lab/judging.h"

#include "base/sequence.h"
#include "profilers/lab/oracle.h"
#include "profilers/lab/prediction_seed.h"
#include "profilers/lab/run_case.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace warpmind::profilers {
namespace fs = std::filesystem;

Result<void> check_scratch_space(const Judging& judging, const Workload& workload,
                                 std::int64_t cases) {
  WARPMIND_TRY(const auto bytes, case_bytes(judging.task, workload));
  const double needed = static_cast<double>(bytes) * static_cast<double>(cases);
  const auto free = static_cast<double>(judging.scratch.free_bytes());
  if (free <= 0 || needed <= free) return {};
  const auto mib = [](double value) { return std::to_string(std::llround(value / 1048576)); };
  return fail(Errc::unavailable, "workload '" + workload.name + "' needs " + mib(needed) +
                                     " MiB in " + judging.scratch.path().string() + ", where " +
                                     mib(free) +
                                     " MiB are free; free some or set lab.scratch_directory");
}

bool is_own_reference(const Judging& judging) {
  return judging.given && judging.given->is_candidate();
}

Task task_for_judge(const Task& task, const Workload& workload) {
  Task copy = task;
  copy.kernel = Kernel{};
  const bool known = std::any_of(copy.workloads.begin(), copy.workloads.end(),
                                 [&](const Workload& one) { return one.name == workload.name; });
  if (!known) copy.workloads.push_back(workload);
  return copy;
}

Result<std::vector<PreparedCase>> prepare_cases(Judging& judging, const WorkerSession& runner,
                                                const Workload& workload, std::int64_t seeds,
                                                CaseUse use, InputChoice inputs) {
  const bool expects = judging.given && (use == CaseUse::compared || use == CaseUse::probed);
  WARPMIND_CHECK(check_scratch_space(judging, workload, expects ? 2 * seeds : seeds));
  JudgeJob job;
  job.task = task_for_judge(judging.task, workload);
  job.workloads = {workload.name};
  job.seeds = seeds;
  job.inputs = inputs;
  if (use == CaseUse::predicted) {
    job.fixed_seed = prediction_seed(judging.prediction_secret, judging.task, workload);
  }
  if (expects) {
    WARPMIND_TRY(const auto expected, judging.given->directory());
    job.expected_directory = expected.string();
    job.probes = use == CaseUse::probed && judging.given->takes_probes();
  }
  WARPMIND_TRY(auto cases, judging.judge.prepare(std::move(job), runner.directory(), kJudgeSeconds,
                                                 judging.stop));
  if (cases.size() < static_cast<std::size_t>(seeds)) {
    return fail(Errc::external_failure, "the judge prepared " + std::to_string(cases.size()) +
                                            " cases instead of " + std::to_string(seeds));
  }
  return cases;
}

namespace {

StageFailure given_failure(const Workload& workload, const std::string& trouble) {
  return {Outcome::unjudgeable, "the given kernel, which is the reference, failed on workload '" +
                                    workload.name + "': " + trouble};
}

/// Adds what the given kernel's perturbed runs say of `cases`, all probes or none.
Result<void> decide_alike(Judging& judging, const Workload& workload,
                          const std::vector<PreparedCase>& cases, const CaseComparison& how,
                          JudgeJob comparison, ComparedCases& all) {
  WARPMIND_TRY(auto perturbed,
               judging.given->perturb(workload, cases, how.case_seconds, judging.stop));
  if (perturbed.trouble && cases.front().probes) {
    judging.given->refuse_probes();  // they say nothing
    return {};
  }
  if (perturbed.trouble) {
    all.failure = given_failure(workload, *perturbed.trouble);
    return {};
  }
  comparison.cases.clear();
  for (const auto& one : cases) comparison.cases.push_back(one.id);
  comparison.perturbed = std::move(perturbed.runs);
  WARPMIND_TRY(auto decided,
               judging.judge.compare(std::move(comparison), kJudgeSeconds, judging.stop));
  all.silent += static_cast<std::int64_t>(decided.silent.size());
  if (decided.correctness.cases == 0) return {};
  if (!decided.correctness.passed || all.correctness.passed) {
    all.worst_place = std::move(decided.worst_place);
  }
  if (all.correctness.cases == 0) {
    all.correctness = std::move(decided.correctness);
  } else {
    merge(all.correctness, decided.correctness);
  }
  return {};
}

/// With the spread, what could not be decided without.
Result<ComparedCases> decide_doubtful(Judging& judging, const Workload& workload,
                                      const std::vector<PreparedCase>& cases,
                                      const CaseComparison& how, const JudgeJob& comparison,
                                      JudgeReply reply) {
  ComparedCases all{std::move(reply.correctness), std::nullopt};
  all.worst_place = std::move(reply.worst_place);
  // Probes last: what they do to the given kernel's runner must not cost the others theirs.
  for (const bool probes : {false, true}) {
    std::vector<PreparedCase> doubtful;
    std::copy_if(cases.begin(), cases.end(), std::back_inserter(doubtful), [&](const auto& one) {
      return one.probes == probes && std::find(reply.doubtful.begin(), reply.doubtful.end(),
                                               one.id) != reply.doubtful.end();
    });
    if (doubtful.empty() || all.failure) continue;
    WARPMIND_CHECK(decide_alike(judging, workload, doubtful, how, comparison, all));
  }
  return all;
}

}  // namespace

Result<ComparedCases> compare_cases(Judging& judging, const WorkerSession& runner,
                                    const Workload& workload,
                                    const std::vector<PreparedCase>& cases,
                                    const CaseComparison& how) {
  const bool itself = is_own_reference(judging);
  ComparedCases end;
  if (judging.given) {
    WARPMIND_TRY(auto trouble,
                 judging.given->try_cases(workload, cases, how.case_seconds, judging.stop));
    if (trouble) {
      end.failure = given_failure(workload, *trouble);
      return end;
    }
  }
  JudgeJob comparison;
  for (const auto& one : cases) comparison.cases.push_back(one.id);
  comparison.baseline_error = how.baseline_error;
  comparison.given_itself = itself;
  comparison.partial = how.partial;
  comparison.doubt_all = how.varies;
  WARPMIND_TRY(auto reply, judging.judge.compare(comparison, kJudgeSeconds, judging.stop));
  WARPMIND_TRY(end, decide_doubtful(judging, workload, cases, how, comparison, std::move(reply)));
  clear_cases(runner);
  if (judging.given) judging.given->clear();
  const Correctness& correct = end.correctness;
  if (itself && !end.failure && correct.cases > 0 && !correct.passed) {
    // It ran twice on the same inputs.
    const bool differs = correct.worst_error_ratio > 1;
    end.failure = StageFailure{
        Outcome::unjudgeable,
        "as its own reference it cannot tell right from wrong: " + correct.worst_case +
            (differs ? "; its runs on the same inputs differ by more than rounding does: give the "
                       "task a reference"
                     : "")};
  }
  return end;
}

std::optional<StageFailure> check_output_files(const fs::path& directory,
                                               const std::vector<BufferSpec>& buffers) {
  for (const auto& buffer : buffers) {
    if (buffer.output_file.empty()) continue;
    std::error_code ec;
    const fs::path file = directory / buffer.output_file;
    const auto status = fs::symlink_status(file, ec);
    if (ec || status.type() != fs::file_type::regular) {
      return StageFailure{Outcome::crashed,
                          "the runner left no output file for '" + buffer.name + "'"};
    }
    const auto size = fs::file_size(file, ec);
    if (ec || size != static_cast<std::uintmax_t>(buffer.bytes)) {
      return StageFailure{Outcome::crashed, "the runner's output file for '" + buffer.name +
                                                "' has " + std::to_string(size) +
                                                " bytes instead of " +
                                                std::to_string(buffer.bytes)};
    }
  }
  return std::nullopt;
}

void clear_cases(const WorkerSession& runner) {
  std::error_code ec;
  for (const char* name : {"in", "out"}) {
    for (const auto& item : fs::directory_iterator(runner.directory() / name, ec)) {
      if (item.path().filename() != kSimulationReport) fs::remove_all(item.path(), ec);
    }
  }
}

}  // namespace warpmind::profilers
