#include "profilers/lab/given_kernel.h"

#include "profilers/lab/judging.h"
#include "profilers/lab/oracle.h"
#include "profilers/lab/run_case.h"
#include "profilers/lab/simulation.h"

#include <algorithm>
#include <utility>

namespace warpmind::profilers {
namespace {

constexpr const char* kBinary = "given";

/// What of the report is no success, or nullopt.
std::optional<std::string> find_trouble(const RunnerReport& report, std::size_t cases) {
  for (const auto& one : report.cases) {
    if (one.status != CaseStatus::ok) return failure_of(one).reason;
  }
  if (!report.ok) return report.error;
  if (report.cases.size() != cases) {
    return "the runner reported " + std::to_string(report.cases.size()) + " of " +
           std::to_string(cases) + " cases";
  }
  return std::nullopt;
}

}  // namespace

GivenKernel::~GivenKernel() {
  if (runner_) runner_->finish();  // the next process is timed without its context
}

Result<std::filesystem::path> GivenKernel::directory() {
  if (runner_ && !runner_->alive()) runner_.reset();
  if (!runner_) {
    WARPMIND_TRY(auto started, start_());
    WARPMIND_CHECK(started.add_binary(binary_, kBinary));
    runner_.emplace(std::move(started));
  }
  return runner_->directory();
}

Result<std::optional<std::string>> GivenKernel::run(const Workload& workload,
                                                    const std::vector<PreparedCase>& cases,
                                                    double case_seconds,
                                                    const std::stop_token& stop) {
  if (!runner_) return fail(Errc::external_failure, "the given kernel has no runner");
  auto program = make_program(task_, task_.kernel, workload, std::string("bin/") + kBinary);
  if (!program) return std::optional<std::string>("launch plan: " + program.error().message);
  RunnerJob job;
  job.mode = JobMode::check;
  job.repeat_bitwise = false;  // its own judging as the baseline repeats it
  for (const auto& prepared : cases) {
    RunCase one;
    one.id = prepared.id;
    WARPMIND_TRY(one.buffers, make_buffers(task_, workload, prepared));
    one.candidate = *program;
    job.cases.push_back(std::move(one));
  }
  const double seconds = std::max(settings_.case_timeout_s, case_seconds) *
                         static_cast<double>(std::max<std::size_t>(1, cases.size()));
  WARPMIND_TRY(const auto answer, runner_->run(job, seconds, stop));
  if (!answer.report) {
    const auto why = explained_by_report(*runner_, {answer.outcome, answer.reason});
    runner_.reset();
    return std::optional<std::string>(why.reason);
  }
  if (auto trouble = find_trouble(*answer.report, job.cases.size())) return trouble;
  for (const auto& one : job.cases) {
    if (auto bad = check_output_files(runner_->directory(), one.buffers)) {
      return std::optional<std::string>(bad->reason);
    }
  }
  return std::optional<std::string>();
}

void GivenKernel::clear() {
  if (runner_) clear_cases(*runner_);
}

}  // namespace warpmind::profilers
