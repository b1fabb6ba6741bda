#include "tests/bench/gpu_timing/bench_lab.h"

#include "profilers/lab/run_case.h"
#include "profilers/lab/simulation.h"

#include <utility>

namespace warpmind::bench {
namespace {

using profilers::BuiltKernel;
using profilers::Confirmation;
using profilers::JobMode;
using profilers::Judging;
using profilers::RunCase;
using profilers::RunnerJob;
using profilers::RunnerReport;
using profilers::StageFailure;

constexpr double kJobSeconds = 300;

}  // namespace

BenchLab::BenchLab(std::unique_ptr<profilers::Sandbox> sandbox, BenchOptions options)
    : options_(std::move(options)), sandbox_(std::move(sandbox)) {}

Result<std::unique_ptr<BenchLab>> BenchLab::open(const config::Settings& settings,
                                                 const BenchOptions& options) {
  WARPMIND_TRY(const config::DeviceTable devices, config::DeviceTable::load());
  const std::string key = options.is_simulated() ? options.simulated : settings.lab.target;
  const auto target = devices.find(key);
  if (!target) return fail(Errc::invalid_argument, "no device '" + key + "' in the device table");
  WARPMIND_TRY(auto sandbox, profilers::make_sandbox(settings));
  std::unique_ptr<BenchLab> lab(new BenchLab(std::move(sandbox), options));
  lab->settings_ = settings;
  lab->settings_.lab.timing_quads = options.quads;
  lab->settings_.lab.confirm_processes = options.processes;
  lab->settings_.lab.block_ms = options.block_ms;
  WARPMIND_TRY(lab->parts_, profilers::make_lab_parts(settings, devices, *target, *lab->sandbox_));
  lab->pool_ = &lab->parts_->pool;
  if (options.is_simulated()) {
    if (!lab->parts_->simulator) return fail(lab->parts_->simulator.error());
    lab->pool_ = &lab->simulated_.emplace(
        *lab->sandbox_,
        profilers::place_for(*lab->parts_->simulator, profilers::SimulationMode::run, target->key,
                             settings.lab.case_timeout_s));
  }
  WARPMIND_TRY(lab->identity_, lab->pool_->device({}));
  lab->spec_ = devices.match(lab->identity_).value_or(*target);
  if (!options.is_simulated()) {
    lab->parts_->processes = profilers::processes_on(lab->identity_.uuid);
  }
  return lab;
}

Result<BuiltKernel> BenchLab::build(const Kernel& kernel) {
  const auto architecture = architecture_of(spec_.compute_major, spec_.compute_minor);
  WARPMIND_TRY(auto built, parts_->toolchain.build_kernel(kernel, architecture, {}));
  if (!built.report.succeeded) {
    return fail(Errc::external_failure, "a kernel does not build: " + built.report.diagnostics);
  }
  return BuiltKernel{&kernel, std::move(built.binary)};
}

Result<Judging> BenchLab::judging_of(const Task& task) {
  WARPMIND_TRY(auto reference, parts_->toolchain.build_reference(task, {}));
  WARPMIND_TRY(
      auto judge,
      profilers::JudgeSession::start(
          *sandbox_, {parts_->judge_program, parts_->scratch.path(), std::move(reference), {}}));
  Judging judging{settings_.lab, *pool_,           *sandbox_, parts_->scratch,
                  task,          std::move(judge), spec_,     {}};
  judging.processes = parts_->processes;
  return judging;
}

Result<Confirmation> BenchLab::confirm(const Task& task, const Kernel& candidate,
                                       const Kernel& incumbent) {
  WARPMIND_TRY(auto built_candidate, build(candidate));
  WARPMIND_TRY(auto built_incumbent, build(incumbent));
  WARPMIND_TRY(auto judging, judging_of(task));
  const profilers::TimingOrder order{std::move(built_candidate), std::move(built_incumbent), 0};
  WARPMIND_TRY(auto end, profilers::confirm(judging, order, 0));
  if (auto* failure = std::get_if<StageFailure>(&end)) {
    return fail(Errc::external_failure,
                task.name + ": " + std::string(name_of(failure->outcome)) + ": " + failure->reason);
  }
  return std::move(std::get<Confirmation>(end));
}

Result<RunnerReport> BenchLab::run(const SingleRun& run, RunnerJob job) {
  WARPMIND_TRY(const auto built, build(run.kernel));
  WARPMIND_TRY(auto judging, judging_of(run.task));
  WARPMIND_TRY(auto runner, pool_->take({}));
  WARPMIND_CHECK(runner.add_binary(built.binary, "candidate"));
  WARPMIND_TRY(const auto cases, profilers::prepare_cases(judging, runner, run.workload, 1,
                                                          profilers::CaseUse::run_only));
  RunCase one;
  one.id = cases.front().id;
  WARPMIND_TRY(one.candidate,
               profilers::make_program(run.task, run.kernel, run.workload, "bin/candidate"));
  WARPMIND_TRY(one.buffers, profilers::make_buffers(run.task, run.workload, cases.front()));
  job.cases.push_back(std::move(one));
  WARPMIND_TRY(auto answer, runner.run_job(job, kJobSeconds, {}));
  runner.finish();
  if (!answer.report) return fail(Errc::external_failure, run.task.name + ": " + answer.reason);
  if (!answer.report->ok) {
    return fail(Errc::external_failure, run.task.name + ": " + answer.report->error);
  }
  return std::move(*answer.report);
}

Result<RunnerReport> BenchLab::time(const SingleRun& single, bool hot, double most_ms) {
  RunnerJob job;
  job.mode = JobMode::time;
  job.quads = options_.quads;
  job.block_ms = options_.block_ms;
  job.most_ms = most_ms;
  job.hot = hot;
  return run(single, std::move(job));
}

Result<RunnerReport> BenchLab::profile(const SingleRun& single) {
  RunnerJob job;
  job.mode = JobMode::profile;
  job.metrics = {"gpu__time_duration.sum"};
  return run(single, std::move(job));
}

}  // namespace warpmind::bench
