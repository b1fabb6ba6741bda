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

Result<GivenKernel::Job> GivenKernel::make_job(const Workload& workload,
                                               const std::vector<PreparedCase>& cases) const {
  Job made;
  const auto program = make_program(task_, task_.kernel, workload, std::string("bin/") + kBinary);
  if (!program) {
    made.trouble = "launch plan: " + program.error().message;
    return made;
  }
  made.job.mode = JobMode::check;
  made.job.repeat_bitwise = false;  // its own judging as the baseline repeats it
  for (const auto& prepared : cases) {
    RunCase one;
    one.id = prepared.id;
    WARPMIND_TRY(one.buffers, make_buffers(task_, workload, prepared));
    one.candidate = *program;
    one.integers = prepared.distribution == name_of(Distribution::exact);
    made.job.cases.push_back(std::move(one));
  }
  return made;
}

Result<std::vector<std::string>> GivenKernel::add_builds(PerturbedPart part) {
  std::vector<std::string> names;
  if (!runner_) return names;
  if (builds_.count(part) == 0) {
    WARPMIND_TRY(builds_[part], build_perturbed_(part));
  }
  for (const auto& binary : builds_[part]) {
    const std::string name =
        std::string(kBinary) + "_" + std::string(name_of(part)) + std::to_string(names.size());
    WARPMIND_TRY(std::string added, runner_->add_binary(binary, name));
    names.push_back(std::move(added));
  }
  return names;
}

Result<RunnerAnswer> GivenKernel::ask(const RunnerJob& job, double case_seconds,
                                      const std::stop_token& stop) {
  if (!runner_) return fail(Errc::external_failure, "the given kernel has no runner");
  const std::size_t runs = job.cases.size() * (1 + job.perturbed.size());
  const double seconds = std::max(settings_.case_timeout_s, case_seconds) *
                         static_cast<double>(std::max<std::size_t>(1, runs));
  return runner_->run_job(job, seconds, stop);
}

Result<std::optional<std::string>> GivenKernel::find_trouble(const RunnerJob& job,
                                                             RunnerAnswer answer) {
  if (!answer.report) {
    const auto why = explained_by_report(*runner_, {answer.outcome, answer.reason});
    runner_.reset();
    return std::optional<std::string>(why.reason);
  }
  if (auto trouble = warpmind::profilers::find_trouble(*answer.report, job.cases.size())) {
    return trouble;
  }
  for (const auto& one : job.cases) {
    if (auto bad = check_output_files(runner_->directory(), one.buffers)) {
      return std::optional<std::string>(bad->reason);
    }
  }
  return std::optional<std::string>();
}

Result<std::optional<std::string>> GivenKernel::try_cases(const Workload& workload,
                                                          const std::vector<PreparedCase>& cases,
                                                          double case_seconds,
                                                          const std::stop_token& stop) {
  WARPMIND_TRY(auto made, make_job(workload, cases));
  if (made.trouble) return std::move(made.trouble);
  WARPMIND_TRY(auto answer, ask(made.job, case_seconds, stop));
  return find_trouble(made.job, std::move(answer));
}

void GivenKernel::refuse_probes() {
  refuses_probes_ = true;
  if (runner_) runner_->finish();
  runner_.reset();  // its context may be lost
}

Result<GivenKernel::Perturbed> GivenKernel::perturb(const Workload& workload,
                                                    const std::vector<PreparedCase>& cases,
                                                    double case_seconds,
                                                    const std::stop_token& stop) {
  Perturbed end;
  WARPMIND_TRY(auto made, make_job(workload, cases));
  end.trouble = std::move(made.trouble);
  if (end.trouble || made.job.cases.empty()) return end;
  PerturbedBinaries binaries;
  WARPMIND_TRY(binaries.rounded, add_builds(PerturbedPart::arithmetic));
  if (cases.front().probes) {
    WARPMIND_TRY(binaries.strained, add_builds(PerturbedPart::strained));
    if (binaries.strained.empty()) {
      end.trouble = "its arithmetic cannot be strained";
      return end;
    }
  }
  made.job.perturbed = perturbed_runs(made.job.cases.front(), binaries);
  WARPMIND_TRY(auto answer, ask(made.job, case_seconds, stop));
  WARPMIND_TRY(end.trouble, find_trouble(made.job, std::move(answer)));
  end.runs = std::move(made.job.perturbed);
  return end;
}

Result<bool> GivenKernel::varies(const Workload& workload, const std::vector<PreparedCase>& cases,
                                 double case_seconds, const std::stop_token& stop) {
  if (varies_) return true;
  WARPMIND_TRY(auto made, make_job(workload, cases));
  if (made.trouble) return false;
  made.job.repeat_bitwise = true;
  WARPMIND_TRY(const auto answer, ask(made.job, 2 * case_seconds, stop));
  if (!answer.report) {
    runner_.reset();
    return false;
  }
  const auto& reports = answer.report->cases;
  varies_ = std::any_of(reports.begin(), reports.end(), [](const CaseReport& one) {
    return one.status == CaseStatus::nondeterministic;
  });
  return varies_;
}

Result<bool> GivenKernel::varies_on_draws(const Workload& workload, const DrawCases& draw,
                                          double case_seconds, const std::stop_token& stop) {
  constexpr int kDraws = 4;
  for (int i = 0; i < kDraws && !varies_; ++i) {
    WARPMIND_TRY(const auto cases, draw());
    WARPMIND_CHECK(varies(workload, cases, case_seconds, stop));
  }
  return varies_;
}

void GivenKernel::clear() {
  if (runner_) clear_cases(*runner_);
}

}  // namespace warpmind::profilers
