#include "profilers/worker/profile_mode.h"

#include "profilers/worker/counter_reading.h"
#include "profilers/worker/simulator_hooks.h"

#include <algorithm>
#include <chrono>
#include <ctime>

namespace warpmind::profilers {
namespace {

double thread_time_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

/// What `launch` computes on the processor by itself, outside of the simulator.
template <class LaunchPlan>
Result<double> host_time_of(const LaunchPlan& launch) {
  const double before = thread_time_ns() - static_cast<double>(runtime_thread_ns());
  WARPMIND_CHECK(launch());
  return std::max(0.0, thread_time_ns() - static_cast<double>(runtime_thread_ns()) - before);
}

Result<void> run_profiled(RunnerSession& session, const RunnerJob& job, RunnerReport& report) {
  const RunCase& run_case = job.cases.front();
  CaseMemory& memory = session.memory();
  WARPMIND_TRY(const CaseInputs inputs, CaseInputs::open(run_case));
  WARPMIND_CHECK(memory.lay_out(run_case));
  WARPMIND_CHECK(memory.upload(inputs));
  WARPMIND_TRY(LoadedBinary* const binary, session.binary_of(run_case.candidate));
  WARPMIND_TRY(const auto plan,
               BoundPlan::bind(*binary, run_case.candidate, memory.addresses(Side::candidate)));
  auto ready = [&]() -> Result<void> {
    WARPMIND_CHECK(memory.reset(0));
    WARPMIND_CHECK(plan->zero_scratch(session.stream()));
    return cuda_check(cudaDeviceSynchronize(), "preparing the buffers");
  };
  auto launch = [&]() -> Result<void> {
    WARPMIND_CHECK(plan->launch(session.stream()));
    return cuda_check(cudaDeviceSynchronize(), "running the plan");
  };
  // A first run outside the ranges: a kernel that fails says so in CUDA's words, not CUPTI's.
  WARPMIND_CHECK(ready());
  WARPMIND_TRY(const double host_ns, host_time_of(launch));
  if (session.options().simulated) {  // the runtime counted; CUPTI would see nothing
    if (run_case.candidate.tier == Tier::b) report.host_ns = host_ns;
    refuse_counters(report, "the simulator reports its counts itself");
    return {};
  }
  // Scratch is zeroed before the ranges: CUPTI may count the memset as a kernel.
  WARPMIND_CHECK(ready());
  if (!job.sample_lines) return read_counters(session, job, launch, report);
  const auto begun = std::chrono::steady_clock::now();
  WARPMIND_CHECK(launch());
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begun;
  return read_lines(session, job, ready, launch, took.count(), report);
}

}  // namespace

RunnerReport profile(RunnerSession& session, const RunnerJob& job) {
  RunnerReport report;
  report.device = session.device();
  if (job.cases.empty()) {
    report.error = "mode profile needs a case";
    return report;
  }
  CaseReport& one = report.cases.emplace_back();
  one.id = job.cases.front().id;
  const auto profiled = run_profiled(session, job, report);
  report.ok = profiled.has_value();
  if (!profiled) {
    one.status = CaseStatus::launch_error;
    one.message = profiled.error().message;
    report.error = one.message;
  }
  return report;
}

}  // namespace warpmind::profilers
