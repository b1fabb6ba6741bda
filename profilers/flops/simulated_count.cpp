#include "profilers/flops/simulated_count.h"

#include "config/device_table.h"
#include "profilers/judge_session.h"
#include "profilers/lab/judging.h"
#include "profilers/lab/lab_parts.h"
#include "profilers/lab/run_case.h"
#include "profilers/lab/simulation.h"
#include "profilers/lab/verification.h"

#include <algorithm>
#include <filesystem>

namespace warpmind::profilers {
namespace {

constexpr double kCountSeconds = 300;

std::uint64_t threads_in(const Program& program) {
  std::uint64_t threads = 0;
  for (const auto& launch : program.launches) {
    std::uint64_t one = 1;
    for (const auto extent : launch.grid) one *= extent;
    for (const auto extent : launch.block) one *= extent;
    threads += one;
  }
  return threads;
}

/// Profiling, but of every block.
RunnerPlace counting_place(const RunnerPlace& simulator, const std::string& device) {
  RunnerPlace place = place_for(simulator, SimulationMode::profile, device, kCountSeconds);
  std::replace(place.environment.begin(), place.environment.end(), std::string("CUDASIM_SAMPLE=on"),
               std::string("CUDASIM_SAMPLE=off"));
  return place;
}

Result<RunnerJob> job_of(Judging& judging, const WorkerSession& runner, Program program,
                         const Workload& workload) {
  WARPMIND_TRY(const auto cases, prepare_cases(judging, runner, workload, 1, CaseUse::run_only));
  RunnerJob job;
  job.mode = JobMode::profile;
  RunCase& one = job.cases.emplace_back();
  one.id = cases.front().id;
  one.candidate = std::move(program);
  WARPMIND_TRY(one.buffers, make_buffers(judging.task, workload, cases.front()));
  return job;
}

Result<std::vector<LaunchCount>> counts_from(const WorkerSession& runner,
                                             const RunnerAnswer& answer) {
  if (!answer.report) return fail(Errc::external_failure, answer.reason);
  WARPMIND_TRY(const auto launches, read_simulation(runner));
  if (const auto stopped = stop_of(launches)) {
    return fail(Errc::external_failure, stopped->reason);
  }
  if (!answer.report->ok) return fail(Errc::external_failure, answer.report->error);
  std::vector<LaunchCount> counts;
  for (const auto& launch : launches) {
    LaunchCount& count = counts.emplace_back();
    count.kernel = launch.launch.kernel;
    count.shape() = {launch.launch.grid, launch.launch.block};
    count.counts = counts_of(launch.launch);
    count.hardware = counter_mix_of(launch.launch);
    count.sampled = launch.launch.blocks_run < launch.launch.blocks;
  }
  return counts;
}

}  // namespace

Result<PreparedCount> prepare_count(const Task& task, const Workload& workload,
                                    const DeviceSpec& device, const config::Settings& settings,
                                    const std::stop_token& stop) {
  WARPMIND_TRY(auto program, make_program(task, task.kernel, workload, "bin/candidate"));
  const auto& devices = config::device_table();
  WARPMIND_TRY(auto sandbox, make_sandbox(settings));
  WARPMIND_TRY(auto parts, make_lab_parts(settings, devices, device, *sandbox));
  if (!parts->simulator) return fail(parts->simulator.error());
  const std::string architecture =
      "sm_" + std::to_string(device.compute_major) + std::to_string(device.compute_minor);
  WARPMIND_TRY(const auto built, parts->toolchain.build_kernel(task.kernel, architecture, stop));
  if (!built.report.succeeded) return fail(Errc::invalid_argument, "the kernel does not build");
  std::filesystem::path reference;
  if (!task.reference.empty()) {
    WARPMIND_TRY(reference, parts->toolchain.build_reference(task, stop));
  }
  WARPMIND_TRY(auto judge,
               JudgeSession::start(parts->sandbox, {parts->judge_program, parts->scratch.path(),
                                                    reference, recorded_values_of(task)}));
  Judging judging{parts->settings.lab,
                  parts->pool,
                  parts->sandbox,
                  parts->scratch,
                  task,
                  std::move(judge),
                  device,
                  stop};
  const BuiltKernel kernel{&task.kernel, built.binary};
  WARPMIND_TRY(auto runner, start_simulated(parts->sandbox,
                                            counting_place(*parts->simulator, device.key), kernel));
  WARPMIND_TRY(auto job, job_of(judging, runner, std::move(program), workload));
  return PreparedCount{std::move(sandbox), std::move(parts), std::move(runner), std::move(job)};
}

Result<std::vector<LaunchCount>> run_count(PreparedCount& prepared, const std::stop_token& stop) {
  WARPMIND_TRY(const auto answer, prepared.runner.run_job(prepared.job, kCountSeconds, stop));
  return counts_from(prepared.runner, answer);
}

Result<std::uint64_t> threads_of(const Task& task, const Workload& workload) {
  WARPMIND_TRY(const auto program, make_program(task, task.kernel, workload, ""));
  return threads_in(program);
}

Result<std::vector<LaunchCount>> simulate_counts(const Task& task, const Workload& workload,
                                                 const DeviceSpec& device,
                                                 const config::Settings& settings,
                                                 const std::stop_token& stop) {
  WARPMIND_TRY(const auto threads, threads_of(task, workload));
  if (threads > kMostCountedThreads) {
    return fail(Errc::invalid_argument, "workload '" + workload.name + "' launches " +
                                            std::to_string(threads) + " threads; at most " +
                                            std::to_string(kMostCountedThreads) + " are simulated");
  }
  WARPMIND_TRY(auto prepared, prepare_count(task, workload, device, settings, stop));
  return run_count(prepared, stop);
}

}  // namespace warpmind::profilers
