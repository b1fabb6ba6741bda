#include "tests/diagnosis/profiling_lab.h"

#include "profilers/lab/device_floors.h"
#include "profilers/lab/given_work.h"
#include "profilers/lab/judging.h"
#include "profilers/lab/profiling.h"
#include "profilers/lab/run_case.h"
#include "profilers/lab/timing.h"

#include <algorithm>
#include <atomic>
#include <thread>

namespace warpmind::diagnosis {
namespace {

using profilers::BuiltKernel;
using profilers::JudgeOrder;
using profilers::JudgeSession;
using profilers::Judging;
using profilers::LabParts;
using profilers::make_buffers;
using profilers::make_program;
using profilers::TimingSample;
using profilers::WorkloadSample;

constexpr double kTimeSeconds = 60;
constexpr std::int64_t kQuads = 4;

std::string architecture(const DeviceSpec& device) {
  return architecture_of(device.compute_major, device.compute_minor);
}

/// One session of the worker; what it computed is not looked at.
Result<TimingSample> time_kernel(Judging& judging, const BuiltKernel& kernel,
                                 const Workload& workload) {
  WARPMIND_TRY(auto runner, judging.pool.take(judging.stop));
  judging.pool.refill();
  WARPMIND_CHECK(runner.add_binary(kernel.binary, "candidate"));
  WARPMIND_TRY(const auto cases,
               prepare_cases(judging, runner, workload, 1, profilers::CaseUse::run_only));
  profilers::RunCase one;
  one.id = cases.front().id;
  WARPMIND_TRY(one.candidate,
               make_program(judging.task, *kernel.kernel, workload, "bin/candidate"));
  WARPMIND_TRY(one.buffers, make_buffers(judging.task, workload, cases.front()));
  profilers::RunnerJob job;
  job.mode = profilers::JobMode::time;
  job.quads = kQuads;
  job.block_ms = judging.settings.block_ms;
  job.cases.push_back(std::move(one));
  judging.pool.settle(judging.stop);
  WARPMIND_TRY(const auto answer, runner.run_job(job, kTimeSeconds, judging.stop));
  runner.finish();
  if (!answer.report) return fail(Errc::external_failure, answer.reason);
  const profilers::RunnerReport& report = *answer.report;
  if (!report.ok) return fail(Errc::external_failure, report.error);
  return TimingSample{WorkloadSample{report, workload.name}};
}

}  // namespace

ProfilingLab::ProfilingLab(std::unique_ptr<profilers::Sandbox> sandbox,
                           std::unique_ptr<LabParts> parts, DeviceIdentity identity,
                           DeviceSpec spec)
    : sandbox_(std::move(sandbox)),
      parts_(std::move(parts)),
      identity_(std::move(identity)),
      spec_(std::move(spec)) {}

Result<std::unique_ptr<ProfilingLab>> ProfilingLab::create(const config::Settings& settings,
                                                           const config::DeviceTable& devices) {
  WARPMIND_TRY(const auto target, devices.need(settings.lab.target));
  WARPMIND_TRY(auto sandbox, profilers::make_sandbox(settings));
  WARPMIND_TRY(auto parts, profilers::make_lab_parts(settings, devices, target, *sandbox));
  WARPMIND_TRY(auto identity, parts->pool.device({}));
  const auto row = devices.match(identity);
  if (!row) {
    return fail(Errc::unavailable, "the device table has no row for " + identity.name);
  }
  WARPMIND_CHECK(profilers::know_floors(*parts, identity, true, {}));
  return std::unique_ptr<ProfilingLab>(
      new ProfilingLab(std::move(sandbox), std::move(parts), std::move(identity), *row));
}

void ProfilingLab::build_ahead(const std::vector<const Task*>& tasks) {
  std::atomic<std::size_t> next = 0;
  std::vector<std::jthread> builders;
  for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i) {
    builders.emplace_back([&] {
      for (std::size_t at = next++; at < tasks.size(); at = next++) {
        // What does not build says so in judge().
        (void)parts_->toolchain.build_kernel(tasks[at]->kernel, architecture(spec_), {});
      }
    });
  }
}

Result<CountedWork> ProfilingLab::counted_work(const Task& task, const Workload& workload) const {
  WARPMIND_TRY(const auto built,
               parts_->toolchain.build_kernel(task.kernel, architecture(spec_), {}));
  if (!built.report.succeeded) return CountedWork{.unknown = "the given kernel does not build"};
  return profilers::count_given_work(task, workload, built.binary);
}

Result<Verdict> ProfilingLab::judge(const JudgeOrder& order, std::stop_token stop) {
  const Workload& workload = *profilers::timed_workloads(order.task).front();
  Verdict verdict;
  WARPMIND_TRY(auto built, parts_->toolchain.build_kernel(order.kernel, architecture(spec_), stop));
  if (!built.report.succeeded) return fail(Errc::external_failure, built.report.diagnostics);
  verdict.profile =
      profilers::static_profile(order.task, order.kernel, built.report, workload, spec_);
  verdict.build = std::move(built.report);
  const BuiltKernel kernel{&order.kernel, std::move(built.binary)};
  WARPMIND_TRY(auto judge, JudgeSession::start(
                               *sandbox_, {parts_->judge_program, parts_->scratch.path(), {}, {}}));
  Judging judging{parts_->settings.lab, parts_->pool,     *sandbox_, parts_->scratch,
                  order.task,           std::move(judge), spec_,     stop};
  WARPMIND_TRY(const TimingSample sample, time_kernel(judging, kernel, workload));
  Measurement measurement = profilers::measurement_of({sample});
  measurement.device = identity_;
  measurement.toolkit = parts_->toolchain.release();
  measurement.tier = order.kernel.tier;
  std::optional<CountedWork> counted;
  if (needs_count(order.task)) {
    WARPMIND_TRY(counted, counted_work(order.task, workload));
  }
  const DeviceFloors* floors = parts_->floors.floors ? &*parts_->floors.floors : nullptr;
  measurement.limit =
      limit_of({order.task, workload, spec_, floors, counted ? &*counted : nullptr});
  profilers::add_timed_metrics(*verdict.profile, measurement.median_ns, measurement.limit);
  WARPMIND_CHECK(
      profilers::add_counters(judging, kernel, workload, measurement.median_ns, *verdict.profile));
  verdict.outcome = Outcome::same;
  verdict.reason = "timed and profiled, not checked";
  verdict.measurement = std::move(measurement);
  return verdict;
}

Result<Comparison> ProfilingLab::compare(const JudgeOrder& /*order*/, std::stop_token /*stop*/) {
  return fail(Errc::unavailable, "this lab compares no kernels");
}

}  // namespace warpmind::diagnosis
