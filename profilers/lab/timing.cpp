#include "profilers/lab/timing.h"

#include "base/limit.h"
#include "base/log.h"
#include "base/part.h"
#include "base/sequence.h"
#include "base/sleep.h"
#include "profilers/lab/oracle.h"
#include "profilers/lab/run_case.h"
#include "profilers/lab/session_validity.h"

#include <chrono>
#include <random>

namespace warpmind::profilers {
namespace {

constexpr int kAttempts = 4;  // one and three retries of a void session
/// Between attempts, in blocks: 2 s as blocks come. A throttled chip cools in some seconds.
constexpr int kPauseBlocks = 1000;

/// A session that says nothing, though nobody is to blame.
struct VoidSession {
  std::string why;
  bool hides_work = false;  ///< the candidate's events miss work that the wall clock sees
  /// Of the inputs that were drawn rounding decides too much; the verdict if no others say more.
  std::optional<StageFailure> silent = std::nullopt;
};
using SessionEnd = std::variant<WorkloadSample, StageFailure, VoidSession>;

std::uint64_t random_seed() {
  std::random_device device;
  return (std::uint64_t{device()} << 32U) | device();
}

std::chrono::nanoseconds block_time(const config::LabSettings& settings) {
  const std::chrono::duration<double, std::milli> time(settings.block_ms);
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time);
}

double timing_seconds(const config::LabSettings& settings) {
  const double blocks = 4.0 * static_cast<double>(settings.timing_quads);
  // Warm-up, ring filling, and blocks that hold one long run instead of block_ms.
  return 6 * settings.case_timeout_s + 4 * blocks * settings.block_ms / 1e3;
}

SessionEnd read_report(const RunnerAnswer& answer) {
  if (!answer.report) return StageFailure{answer.outcome, answer.reason};
  const RunnerReport& report = *answer.report;
  for (const auto& one : report.cases) {
    if (one.status != CaseStatus::ok) return failure_of(one);
  }
  if (!report.ok) return StageFailure{Outcome::crashed, "timing failed: " + report.error};
  if (report.quads.empty()) return StageFailure{Outcome::crashed, "the runner timed nothing"};
  if (auto why = find_void(report)) {
    return VoidSession{std::move(*why), !report.candidate_clocks_disagree.empty()};
  }
  return WorkloadSample{part<TimedQuads>(report), ""};
}

Result<SessionEnd> time_workload(Judging& judging, WorkerSession& runner, const Workload& workload,
                                 const TimingOrder& order) {
  RunCase one;
  WARPMIND_TRY(one.candidate,
               make_program(judging.task, *order.candidate.kernel, workload, "bin/candidate"));
  one.candidate.only_enqueues = order.is_library;
  if (order.incumbent) {
    WARPMIND_TRY(one.incumbent,
                 make_program(judging.task, *order.incumbent->kernel, workload, "bin/incumbent"));
  }
  WARPMIND_TRY(const auto cases, prepare_cases(judging, runner, workload, 1));
  one.id = cases.front().id;
  WARPMIND_TRY(one.buffers, make_buffers(judging.task, workload, cases.front()));
  RunnerJob job;
  job.mode = JobMode::time;
  job.quads = judging.settings.timing_quads;
  job.block_ms = judging.settings.block_ms;
  job.order_seed = random_seed();
  job.cases.push_back(one);
  judging.pool.settle(judging.stop);
  auto foreign = find_foreign(judging.processes);
  WARPMIND_TRY(const auto answer,
               runner.run_job(job, timing_seconds(judging.settings), judging.stop));
  if (!foreign) foreign = find_foreign(judging.processes);  // the runner still holds its context
  SessionEnd end = read_report(answer);
  auto* sample = std::get_if<WorkloadSample>(&end);
  if (sample == nullptr) return end;
  if (foreign) return SessionEnd(VoidSession{std::move(*foreign)});

  sample->workload = workload.name;
  if (auto bad = check_output_files(runner.directory(), one.buffers)) return SessionEnd(*bad);
  WARPMIND_TRY(auto compared,
               compare_cases(judging, runner, workload, cases, {order.baseline_error}));
  if (compared.failure) return SessionEnd(std::move(*compared.failure));
  if (compared.silent > 0) {
    return SessionEnd(VoidSession{"rounding alone decides too much of what the timed runs computed",
                                  false, silent_failure(workload)});
  }
  const Correctness& correct = compared.correctness;
  if (!correct.passed) {
    return SessionEnd(StageFailure{
        Outcome::cheating, "passed its checks, but the timed launches computed something else: " +
                               correct.worst_case});
  }
  WARPMIND_TRY(const double floor_ns, physical_floor_ns(judging.task, workload, judging.device));
  if (auto impossible = find_impossible(candidate_blocks(sample->quads), floor_ns)) {
    return SessionEnd(StageFailure{Outcome::cheating, std::move(*impossible)});
  }
  if (!order.incumbent) return end;
  if (auto impossible = find_impossible(incumbent_blocks(sample->quads), floor_ns)) {
    return SessionEnd(VoidSession{"the kernel to beat: " + std::move(*impossible)});
  }
  return end;
}

/// All timed workloads in one process; the first that is no sample ends it.
Result<std::variant<TimingSample, StageFailure, VoidSession>> time_process(
    Judging& judging, const TimingOrder& order) {
  WARPMIND_TRY(auto runner, judging.pool.take(judging.stop));
  judging.pool.refill();  // starts while the judge prepares; settle() waits for it
  WARPMIND_CHECK(runner.add_binary(order.candidate.binary, "candidate"));
  if (order.incumbent) WARPMIND_CHECK(runner.add_binary(order.incumbent->binary, "incumbent"));
  TimingSample sample;
  for (const Workload* workload : timed_workloads(judging.task)) {
    WARPMIND_TRY(auto end, time_workload(judging, runner, *workload, order));
    if (auto* failure = std::get_if<StageFailure>(&end)) return std::move(*failure);
    if (auto* nothing = std::get_if<VoidSession>(&end)) return std::move(*nothing);
    sample.push_back(std::move(std::get<WorkloadSample>(end)));
  }
  runner.finish();
  return sample;
}

}  // namespace

Result<StageEnd<TimingSample>> time_once(Judging& judging, const TimingOrder& order) {
  VoidSession last;
  bool always_hides_work = true;
  int voids = 0;
  int silent = 0;
  while (voids < kAttempts && silent < kMostDraws) {
    if (voids > 0) sleep_for(kPauseBlocks * block_time(judging.settings), judging.stop);
    WARPMIND_TRY(auto end, time_process(judging, order));
    if (auto* sample = std::get_if<TimingSample>(&end)) return std::move(*sample);
    if (auto* failure = std::get_if<StageFailure>(&end)) return std::move(*failure);
    last = std::move(std::get<VoidSession>(end));
    ++(last.silent ? silent : voids);
    always_hides_work = always_hides_work && last.hides_work;
    log::warn("profilers", "timing session is void",
              {{"task", judging.task.name}, {"why", last.why}});
  }
  // A plan's launches are ours; a host function may work where the events do not look.
  if (always_hides_work && order.candidate.kernel->tier == Tier::b) {
    return StageFailure{Outcome::cheating, last.why};
  }
  if (last.silent) return std::move(*last.silent);
  return StageFailure{Outcome::blocked, "no valid timing session in " + std::to_string(kAttempts) +
                                            " attempts: " + last.why};
}

Result<StageEnd<Confirmation>> confirm(Judging& judging, const TimingOrder& order, double noise) {
  Confirmation confirmation;
  std::vector<double> ratios;
  std::int64_t quads = 0;
  for (std::int64_t i = 0; i < judging.settings.confirm_processes; ++i) {
    WARPMIND_TRY(auto end, time_once(judging, order));
    if (auto* failure = std::get_if<StageFailure>(&end)) return std::move(*failure);
    auto& sample = std::get<TimingSample>(end);
    ratios.push_back(sample_log_ratio(sample));
    for (const auto& workload : sample) quads += static_cast<std::int64_t>(workload.quads.size());
    confirmation.samples.push_back(std::move(sample));
  }
  confirmation.decision = decide(ratios, noise, quads);
  return confirmation;
}

Screening screen_sample(const TimingSample& sample, double noise) {
  std::vector<double> means;
  for (const auto& workload : sample) {
    const auto ratios = quad_log_ratios(workload.quads);
    if (means.empty()) means.assign(ratios.size(), 0);
    means.resize(std::min(means.size(), ratios.size()));
    for (std::size_t i = 0; i < means.size(); ++i) {
      means[i] += ratios[i] / static_cast<double>(sample.size());
    }
  }
  return screen(means, noise);
}

double sample_log_ratio(const TimingSample& sample) {
  double sum = 0;
  for (const auto& workload : sample) sum += process_log_ratio(workload.quads);
  return sample.empty() ? 0 : sum / static_cast<double>(sample.size());
}

std::vector<double> candidate_blocks(const std::vector<TimingSample>& samples) {
  std::vector<double> blocks;
  for (const auto& sample : samples) {
    if (sample.empty()) continue;
    for (const auto& quad : sample.front().quads) {
      blocks.insert(blocks.end(), quad.candidate_ns.begin(), quad.candidate_ns.end());
    }
  }
  return blocks;
}

Measurement measurement_of(const std::vector<TimingSample>& samples) {
  Measurement measurement;
  const auto blocks = candidate_blocks(samples);
  const auto interval = median_interval(blocks);
  measurement.median_ns = interval.median;
  measurement.low_ns = interval.low;
  measurement.high_ns = interval.high;
  measurement.samples = static_cast<std::int64_t>(blocks.size());
  measurement.harness = kHarnessVersion;
  std::vector<double> clocks;
  for (const auto& sample : samples) {
    if (sample.empty()) continue;
    measurement.workload = sample.front().workload;
    measurement.launches_per_sample = sample.front().launches_per_block;
    if (sample.front().sm_clock_mhz > 0) clocks.push_back(sample.front().sm_clock_mhz);
  }
  measurement.sm_clock_mhz = median_of(std::move(clocks));
  return measurement;
}

}  // namespace warpmind::profilers
