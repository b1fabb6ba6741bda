#include "profilers/lab/kernel_judging.h"

#include "base/text.h"
#include "profilers/lab/oracle.h"
#include "profilers/lab/profiling.h"
#include "profilers/lab/run_case.h"
#include "profilers/lab/verification.h"

#include <algorithm>

namespace warpmind::profilers {
namespace {

constexpr std::int64_t kLeastSeeds = 5;
/// The checks before the GPU shall take a second, not the case's whole time limit: a task made from
/// a program has no small workload. Results are checked on the GPU all the same.
constexpr std::uint64_t kMostSimulatedThreads = 1U << 16U;
/// Runners behind a baseline's time: one would hide how much processes differ.
constexpr std::int64_t kBaselineProcesses = 3;

/// The row of the table for the device at hand; a device that the table does not know has no
/// roofline but the occupancy limits of its generation.
DeviceSpec spec_of(const config::DeviceTable& devices, const DeviceIdentity& identity,
                   DeviceSpec fallback) {
  if (auto row = devices.match(identity)) return *row;
  fallback.name = identity.name;
  fallback.compute_major = identity.compute_major;
  fallback.compute_minor = identity.compute_minor;
  fallback.sm_count = identity.sm_count;
  fallback.memory_bandwidth_gb_s = 0;
  fallback.fp64_tflops = 0;
  fallback.fp32_tflops = 0;
  fallback.fp16_tensor_tflops = 0;
  return fallback;
}

/// Threads of all launches; 0 when the plan cannot be evaluated.
std::uint64_t threads_of(const Task& task, const Kernel& kernel, const Workload& workload) {
  const auto program = make_program(task, kernel, workload, "");
  std::uint64_t threads = 0;
  if (!program) return threads;
  for (const auto& launch : program->launches) {
    std::uint64_t one = 1;
    for (const auto extent : launch.grid) one *= extent;
    for (const auto extent : launch.block) one *= extent;
    threads += one;
  }
  return threads;
}

std::string sentence_of(const Decision& decision, const char* what) {
  const Comparison& c = decision.comparison;
  return std::string(what) + " " + fixed(c.ratio, 4) + "x (99 % bounds " + fixed(c.low, 4) + " … " +
         fixed(c.high, 4) + ") over " + std::to_string(c.quads) + " quads";
}

}  // namespace

KernelJudging::KernelJudging(LabParts& parts, const JudgeOrder& order, std::stop_token stop)
    : StagedJudging(parts, order, std::move(stop)) {
  start_given_ = [this] { return given_runner_.valid() ? given_runner_.get() : take_runner(); };
}

Result<WorkerSession> KernelJudging::take_runner() {
  WARPMIND_TRY(auto runner, parts_.pool.take(stop_));
  parts_.pool.refill();
  return runner;
}

Result<Verdict> KernelJudging::judge() {
  using StageFunction = Continue (KernelJudging::*)();
  const bool baseline = order_.incumbent == nullptr;
  parts_.pool.refill();  // its CUDA context is created while nvcc runs
  if (order_.task.reference.empty()) {
    given_runner_ = std::async(std::launch::async, [this] { return take_runner(); });
  }
  std::vector<StageFunction> stages = {&KernelJudging::check_source, &KernelJudging::find_device,
                                       &KernelJudging::build,        &KernelJudging::start_judge,
                                       &KernelJudging::simulate,     &KernelJudging::run_oracles};
  if (baseline) {
    stages.insert(stages.end(), {&KernelJudging::time_baseline, &KernelJudging::profile});
  } else {
    // Counters cost a second: only a kernel that will be edited further is worth them.
    stages.insert(stages.end(), {&KernelJudging::screen_candidate, &KernelJudging::promote,
                                 &KernelJudging::profile});
  }
  for (const auto stage : stages) {
    WARPMIND_TRY(const bool go_on, (this->*stage)());
    if (!go_on) break;
    if (stop_.stop_requested()) return fail(Errc::cancelled, "the judging was cancelled");
  }
  return std::move(verdict_);
}

KernelJudging::Continue KernelJudging::find_device() {
  auto identity = parts_.pool.device(stop_);
  if (identity) {
    spec_ = spec_of(parts_.devices, *identity, parts_.target);
    identity_ = std::move(*identity);
    return true;
  }
  if (identity.error().code != Errc::unavailable) return fail(identity.error());
  verdict_.reason = identity.error().message;  // the build says what it can first
  return true;
}

KernelJudging::Continue KernelJudging::simulate() {
  const bool wanted = parts_.settings.lab.prefilter && order_.kernel.tier == Tier::a;
  if (!wanted || !parts_.simulator) return true;
  const Workload& smallest = smallest_workload(order_.task);
  const auto threads = threads_of(order_.task, order_.kernel, smallest);
  if (threads > kMostSimulatedThreads) {
    return pass(Stage::simulation,
                "left out: the smallest workload launches " + std::to_string(threads) + " threads");
  }
  WARPMIND_TRY(
      auto end,
      verify_simulated(*judging_, candidate_,
                       {*parts_.simulator, parts_.target.key, {&smallest}, order_.baseline_error}));
  verdict_.findings = std::move(end.findings);
  if (end.defect) return stop_with(Stage::simulation, std::move(*end.defect));
  // What else the simulator says about results is no evidence about this GPU: the oracles decide.
  return pass(Stage::simulation, end.failure ? "not decided: " + end.failure->reason
                                             : describe_verified(verdict_.findings));
}

KernelJudging::Continue KernelJudging::run_oracles() {
  WARPMIND_TRY(auto runner, take_runner());
  WARPMIND_CHECK(runner.add_binary(candidate_.binary, "candidate"));
  WARPMIND_TRY(const bool tiny, run_oracle_stage(Stage::tiny_oracle, runner, candidate_,
                                                 {&smallest_workload(order_.task)}, 1));
  if (!tiny) return false;
  std::vector<const Workload*> all;
  for (const auto& workload : order_.task.workloads) all.push_back(&workload);
  const auto seeds = std::max(kLeastSeeds, parts_.settings.lab.check_seeds);
  WARPMIND_TRY(const bool full,
               run_oracle_stage(Stage::full_oracle, runner, candidate_, std::move(all), seeds));
  runner.finish();
  return full;
}

TimingOrder KernelJudging::timing_order() const {
  const bool baseline = order_.incumbent == nullptr;
  const double error = baseline && verdict_.correctness ? verdict_.correctness->baseline_error
                                                        : order_.baseline_error;
  return {candidate_, incumbent_, error};
}

void KernelJudging::set_measurement(const std::vector<TimingSample>& samples) {
  Measurement measurement = measurement_of(samples);
  measurement.provider = Provider::gpu;
  measurement.device = *identity_;
  measurement.toolkit = parts_.toolchain.release();
  measurement.tier = order_.kernel.tier;
  measurement.sandboxed = parts_.sandbox.enabled();
  plan_time_ns_ = measurement.median_ns;
  verdict_.measurement = std::move(measurement);
}

KernelJudging::Continue KernelJudging::time_baseline() {
  std::vector<TimingSample> samples;
  for (std::int64_t i = 0; i < kBaselineProcesses; ++i) {
    WARPMIND_TRY(auto end, time_once(*judging_, timing_order()));
    if (auto* failure = std::get_if<StageFailure>(&end)) {
      return stop_with(Stage::timing, std::move(*failure));
    }
    samples.push_back(std::move(std::get<TimingSample>(end)));
    parts_.noise.add(self_noise(candidate_blocks({samples.back()})));
  }
  set_measurement(samples);
  verdict_.outcome = Outcome::same;
  verdict_.reason = "correct; one run takes " + fixed(verdict_.measurement->median_ns, 0) + " ns";
  return pass(Stage::timing, fixed(verdict_.measurement->median_ns, 0) + " ns a run");
}

KernelJudging::Continue KernelJudging::screen_candidate() {
  WARPMIND_TRY(incumbent_, build_incumbent());
  WARPMIND_TRY(auto end, time_once(*judging_, timing_order()));
  if (auto* failure = std::get_if<StageFailure>(&end)) {
    return stop_with(Stage::timing, std::move(*failure));
  }
  const auto& sample = std::get<TimingSample>(end);
  const Screening screening = screen_sample(sample, parts_.noise.value());
  plan_time_ns_ = median(candidate_blocks({sample}));
  promising_ = screening.promising;
  verdict_.comparison = screening.decision.comparison;
  verdict_.outcome = screening.decision.outcome;
  verdict_.reason = sentence_of(screening.decision, promising_ ? "screened at" : "not promising:");
  return pass(Stage::timing, verdict_.reason);
}

KernelJudging::Continue KernelJudging::profile() {
  add_timed_metrics(*verdict_.profile, *plan_time_ns_, order_.task, primary(), spec_);
  WARPMIND_CHECK(add_counters(*judging_, candidate_, primary(), *verdict_.profile));
  return pass(Stage::profile, "tier " + std::string(name_of(verdict_.profile->tier)) +
                                  (verdict_.profile->note.empty() ? "" : "; ") +
                                  verdict_.profile->note);
}

KernelJudging::Continue KernelJudging::promote() {
  if (!promising_) return false;
  WARPMIND_TRY(auto end, confirm(*judging_, timing_order(), parts_.noise.value()));
  if (auto* failure = std::get_if<StageFailure>(&end)) {
    return stop_with(Stage::promotion, std::move(*failure));
  }
  const auto& confirmation = std::get<Confirmation>(end);
  set_measurement(confirmation.samples);
  verdict_.comparison = confirmation.decision.comparison;
  verdict_.outcome = confirmation.decision.outcome;
  verdict_.reason = std::string(name_of(verdict_.outcome)) + ": " +
                    sentence_of(confirmation.decision, "confirmed at") + " of " +
                    std::to_string(confirmation.decision.comparison.processes) +
                    " fresh process pairs";
  pass(Stage::promotion, verdict_.reason);
  return verdict_.outcome == Outcome::improved;
}

Result<Comparison> KernelJudging::compare() {
  if (order_.incumbent == nullptr) {
    return fail(Errc::invalid_argument, "a comparison needs an incumbent");
  }
  WARPMIND_TRY(auto identity, parts_.pool.device(stop_));
  spec_ = spec_of(parts_.devices, identity, parts_.target);
  identity_ = std::move(identity);
  WARPMIND_TRY(const bool built, build());
  if (!built) return fail(Errc::external_failure, verdict_.reason);
  WARPMIND_TRY(incumbent_, build_incumbent());
  WARPMIND_TRY([[maybe_unused]] const bool judged, start_judge());
  WARPMIND_TRY(auto end, confirm(*judging_, timing_order(), parts_.noise.value()));
  if (auto* failure = std::get_if<StageFailure>(&end)) {
    return fail(Errc::external_failure, "the comparison failed: " + failure->reason);
  }
  return std::get<Confirmation>(end).decision.comparison;
}

}  // namespace warpmind::profilers
