/// Stages timing, promotion and profile on a GPU: docs/measuring.md has the rules.
/// What runs on a GPU before anything is timed: stage simulation ahead of it, then the oracles.
/// Stage library: what the fastest library call takes that computes the same. It is judged as a
/// candidate is, and timed by the same worker.
#include "profilers/lab/kernel_judging.h"

#include "base/best_library.h"
#include "base/compiler_complaint.h"
#include "base/log.h"
#include "base/sequence.h"
#include "base/text.h"
#include "config/toolkit_search.h"
#include "profilers/baseline/kept_best_library.h"
#include "profilers/lab/device_floors.h"
#include "profilers/lab/given_work.h"
#include "profilers/lab/profiling.h"
#include "profilers/lab/run_case.h"
#include "profilers/lab/verification.h"
#include "profilers/sanitizer/sanitizer_command.h"
#include "profilers/sanitizer/sanitizer_gate.h"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace warpmind::profilers {
namespace {

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

}  // namespace

KernelJudging::KernelJudging(LabParts& parts, const JudgeOrder& order, std::stop_token stop)
    : StagedJudging(parts, order, std::move(stop)) {
  plan_.stage_seconds = parts.stage_seconds;
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
  std::vector<StageFunction> stages = {
      &KernelJudging::check_source, &KernelJudging::find_device, &KernelJudging::build,
      &KernelJudging::start_judge,  &KernelJudging::simulate,    &KernelJudging::run_oracles,
      &KernelJudging::run_hidden,
  };
  if (baseline) {
    if (order_.effort == Effort::strict) stages.push_back(&KernelJudging::sanitize);
    stages.insert(stages.end(), {&KernelJudging::time_baseline, &KernelJudging::time_library,
                                 &KernelJudging::profile});
  } else {
    // Counters cost a second: only a kernel that will be edited further is worth them.
    stages.insert(stages.end(), {&KernelJudging::screen_candidate, &KernelJudging::sanitize,
                                 &KernelJudging::promote, &KernelJudging::profile});
  }
  for (const auto stage : stages) {
    WARPMIND_TRY(const bool go_on, (this->*stage)());
    if (!go_on) break;
    if (stop_.stop_requested()) return fail(Errc::cancelled, "the judging was cancelled");
  }
  return std::move(verdict_);
}

Result<std::string> KernelJudging::machine_code() {
  parts_.pool.refill();  // its CUDA context is created while nvcc runs
  WARPMIND_CHECK(find_device());
  if (!identity_) return std::string();
  return digest_candidate();
}

Result<WorkerSession> KernelJudging::take_candidate_runner() {
  WARPMIND_TRY(auto runner, take_runner());
  WARPMIND_CHECK(runner.add_binary(candidate_.binary, "candidate"));
  return runner;
}

KernelJudging::Continue KernelJudging::find_device() {
  auto identity = parts_.pool.device(stop_);
  if (identity) {
    spec_ = spec_of(parts_.devices, *identity, parts_.target);
    identity_ = std::move(*identity);
    if (!parts_.processes) parts_.processes = processes_on(identity_->uuid);
    return true;
  }
  if (identity.error().code != Errc::unavailable) return fail(identity.error());
  verdict_.reason = identity.error().message;  // the build says what it can first
  return true;
}

Result<Comparison> KernelJudging::compare() {
  if (order_.incumbent == nullptr) {
    return fail(Errc::invalid_argument, "a comparison needs an incumbent");
  }
  WARPMIND_TRY(auto identity, parts_.pool.device(stop_));
  spec_ = spec_of(parts_.devices, identity, parts_.target);
  identity_ = std::move(identity);
  if (!parts_.processes) parts_.processes = processes_on(identity_->uuid);
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

namespace {

/// Runners behind a baseline's time: one would hide how much processes differ, so that two are
/// taken whatever they cost.
constexpr std::int64_t kBaselineProcesses = 3;
constexpr std::int64_t kLeastProcesses = 2;

/// `same` is a statement of its own, not a gain that was missed: no difference of 1 % is left.
std::string sentence_of(const Decision& decision, const char* what) {
  const Comparison& c = decision.comparison;
  const bool tie = decision.outcome == Outcome::same;
  return std::string(tie ? "a tie with the kernel to beat, " : "") + what + " " +
         fixed(c.ratio, 4) + "x (99 % bounds " + fixed(c.low, 4) + " … " + fixed(c.high, 4) +
         ") over " + std::to_string(c.quads) + " quads";
}

}  // namespace

/// "1 of 3 processes of 5.2 s, 4 of 10 quads of each", or empty.
std::string KernelJudging::left_out_of_timing(const std::vector<TimingSample>& samples,
                                              double process_seconds) const {
  std::string text;
  const auto processes = static_cast<std::int64_t>(samples.size());
  if (processes < kBaselineProcesses) {
    text = std::to_string(kBaselineProcesses - processes) + " of " +
           std::to_string(kBaselineProcesses) + " processes of " + fixed(process_seconds, 1) + " s";
  }
  const auto quads = static_cast<std::int64_t>(samples.front().front().quads.size());
  const std::int64_t wanted = parts_.settings.lab.timing_quads;
  if (quads < wanted) {
    text += (text.empty() ? "" : ", ") + std::to_string(wanted - quads) + " of " +
            std::to_string(wanted) + " quads of each";
  }
  return text;
}

TimingOrder KernelJudging::timing_order() const {
  const bool baseline = order_.incumbent == nullptr;
  return {candidate_, incumbent_, baseline ? baseline_error() : order_.baseline_error};
}

Result<void> KernelJudging::find_floors(bool may_measure) {
  WARPMIND_CHECK(know_floors(parts_, *identity_, may_measure, stop_));
  floors_ = parts_.floors.floors ? &*parts_.floors.floors : nullptr;
  return {};
}

Result<void> KernelJudging::set_measurement(const std::vector<TimingSample>& samples) {
  Measurement measurement = measurement_of(samples);
  measurement.provider = Provider::gpu;
  measurement.device = *identity_;
  measurement.toolkit = parts_.toolchain.release();
  measurement.tier = order_.kernel.tier;
  measurement.sandboxed = parts_.sandbox.enabled();
  plan_time_ns_ = measurement.median_ns;
  WARPMIND_TRY(measurement.limit, limit());
  if (order_.incumbent != nullptr) {
    WARPMIND_TRY(measurement.best_library, best_library(false));
  }
  verdict_.measurement = std::move(measurement);
  return {};
}

KernelJudging::Continue KernelJudging::time_baseline() {
  begin(Stage::timing);
  std::vector<TimingSample> samples;
  const auto start = std::chrono::steady_clock::now();
  double process_seconds = 0;
  for (std::int64_t i = 0; i < kBaselineProcesses; ++i) {
    if (i >= kLeastProcesses &&
        process_seconds * static_cast<double>(i + 1) > plan_.stage_seconds) {
      break;
    }
    WARPMIND_TRY(auto end, time_once(*judging_, timing_order()));
    if (auto* failure = std::get_if<StageFailure>(&end)) {
      return stop_with(Stage::timing, std::move(*failure));
    }
    samples.push_back(std::move(std::get<TimingSample>(end)));
    parts_.noise.add(self_noise(candidate_blocks({samples.back()})));
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    process_seconds = taken.count() / static_cast<double>(i + 1);
  }
  WARPMIND_CHECK(find_floors(true));
  WARPMIND_CHECK(set_measurement(samples));
  verdict_.outcome = Outcome::same;
  const std::string time = fixed(verdict_.measurement->median_ns / 1e3, 2) + " µs";
  const std::string detail =
      after_left_out(left_out_of_timing(samples, process_seconds), time + " a run");
  verdict_.reason = "correct; one run takes " + time;
  if (left_something_out_) verdict_.reason += "; inputs and runs that take too long were left out";
  return pass(Stage::timing, detail);
}

KernelJudging::Continue KernelJudging::screen_candidate() {
  begin(Stage::timing);
  WARPMIND_TRY(incumbent_, build_incumbent());
  WARPMIND_TRY(auto end, time_once(*judging_, timing_order()));
  if (auto* failure = std::get_if<StageFailure>(&end)) {
    return stop_with(Stage::timing, std::move(*failure));
  }
  const auto& sample = std::get<TimingSample>(end);
  const Screening screening = screen_sample(sample, parts_.noise.value());
  plan_time_ns_ = median_of(candidate_blocks({sample}));
  promising_ = screening.promising;
  verdict_.comparison = screening.decision.comparison;
  verdict_.outcome = screening.decision.outcome;
  verdict_.reason = sentence_of(screening.decision, promising_ ? "screened at" : "not promising:");
  return pass(Stage::timing, verdict_.reason);
}

KernelJudging::Continue KernelJudging::promote() {
  if (!promising_) return false;
  begin(Stage::promotion);
  WARPMIND_TRY(auto end, confirm(*judging_, timing_order(), parts_.noise.value()));
  if (auto* failure = std::get_if<StageFailure>(&end)) {
    return stop_with(Stage::promotion, std::move(*failure));
  }
  const auto& confirmation = std::get<Confirmation>(end);
  WARPMIND_CHECK(find_floors(false));
  WARPMIND_CHECK(set_measurement(confirmation.samples));
  verdict_.comparison = confirmation.decision.comparison;
  verdict_.outcome = confirmation.decision.outcome;
  verdict_.reason = std::string(name_of(verdict_.outcome)) + ": " +
                    sentence_of(confirmation.decision, "confirmed at") + " of " +
                    std::to_string(confirmation.decision.comparison.processes) +
                    " fresh process pairs";
  pass(Stage::promotion, verdict_.reason);
  return verdict_.outcome == Outcome::improved;
}

KernelJudging::Continue KernelJudging::profile() {
  begin(Stage::profile);
  WARPMIND_TRY(const Limit limit_known, limit());
  add_timed_metrics(*verdict_.profile, *plan_time_ns_, limit_known);
  WARPMIND_CHECK(add_counters(*judging_, candidate_, primary(), *plan_time_ns_, *verdict_.profile));
  WARPMIND_CHECK(add_lines(*judging_, candidate_, primary(), *verdict_.profile));
  add_counted_flops(order_.task, order_.kernel, primary(), candidate_.binary, *verdict_.profile);
  // The third clock: a host function may work where neither events nor the host's clock look.
  auto hidden = find_hidden_work(verdict_.profile->kernels, *plan_time_ns_);
  if (hidden && order_.kernel.tier == Tier::b) {
    verdict_.measurement.reset();
    return stop_with(Stage::profile, {Outcome::cheating, std::move(*hidden)});
  }
  return pass(Stage::profile, "tier " + std::string(name_of(verdict_.profile->tier)) +
                                  (verdict_.profile->note.empty() ? "" : "; ") +
                                  verdict_.profile->note);
}

KernelJudging::Continue KernelJudging::sanitize() {
  const bool baseline = order_.incumbent == nullptr;
  if (!baseline && !promising_) return true;  // promote() says that it goes no further
  begin(Stage::sanitizer);
  auto program = find_sanitizer(parts_.settings.lab.sanitizer, parts_.toolchain.root());
  const SanitizerOrder order{candidate_, parts_.pool.place(), std::move(program), order_.effort,
                             bounds_checked_};
  WARPMIND_TRY(auto end, run_sanitizers(*judging_, order));
  verdict_.findings.insert(verdict_.findings.end(), end.findings.begin(), end.findings.end());
  if (end.failure) {
    verdict_.comparison.reset();  // of a kernel that is wrong no time is worth anything
    return stop_with(Stage::sanitizer, std::move(*end.failure));
  }
  return pass(Stage::sanitizer, std::move(end.detail));
}

KernelJudging::Continue KernelJudging::simulate() {
  const bool wanted = parts_.settings.lab.prefilter && order_.kernel.tier == Tier::a;
  if (!wanted || !parts_.simulator) return true;
  begin(Stage::simulation);
  // Beyond their share a drawn sample of blocks runs: a task made from a program has no small
  // workload, and a grid of idle blocks must not keep the others from being looked at. Results are
  // checked on the GPU all the same.
  const auto workloads = small_workloads(order_.task);
  WARPMIND_TRY(auto end,
               verify_simulated(*judging_, candidate_,
                                {*parts_.simulator, parts_.target.key, workloads,
                                 order_.baseline_error, kSampledInstructions / workloads.size()}));
  verdict_.findings = end.findings;
  if (end.defect) return stop_with(Stage::simulation, std::move(*end.defect));
  if (end.failure && end.is_certain) return stop_with(Stage::simulation, std::move(*end.failure));
  bounds_checked_ = !end.failure && end.left_out.empty();
  // What else the simulator says about results is no evidence about this GPU: the oracles decide.
  return pass(Stage::simulation,
              end.failure ? "not decided: " + end.failure->reason : describe_verified(end));
}

KernelJudging::Continue KernelJudging::run_oracles() {
  WARPMIND_TRY(auto runner, take_candidate_runner());
  WARPMIND_TRY(const bool tiny, run_tiny_oracle(runner));
  if (!tiny) return false;
  std::vector<const Workload*> all;
  for (const auto& workload : order_.task.workloads) all.push_back(&workload);
  WARPMIND_TRY(const bool full, run_full_oracle(runner, std::move(all)));
  runner.finish();
  return full;
}

KernelJudging::Continue KernelJudging::run_hidden() {
  return run_hidden_stage([this] { return take_candidate_runner(); });
}

namespace {

/// After which no further call is tried.
constexpr std::chrono::seconds kMostSeconds{120};
constexpr int kProcesses = 2;

LinkedLibraries linked(const FoundLibrary& found) {
  LinkedLibraries libraries;
  if (!found.headers.empty()) libraries.headers.push_back(found.headers);
  if (!found.folder.empty()) libraries.folders.push_back(found.folder);
  if (!found.file.empty()) libraries.files.push_back(found.file);
  return libraries;
}

}  // namespace

StagedJudging::Continue StagedJudging::build_call(const LinkedLibraries& libraries) {
  begin(Stage::build);
  const auto architecture = architecture_of(spec_.compute_major, spec_.compute_minor);
  WARPMIND_TRY(auto built,
               parts_.toolchain.build_linked(order_.kernel, libraries, architecture, stop_));
  if (!built.report.succeeded) {
    return stop_with(
        Stage::build,
        {Outcome::build_failed, "does not build: " + first_complaint(built.report.diagnostics)});
  }
  candidate_.binary = std::move(built.binary);
  verdict_.build = std::move(built.report);
  verdict_.profile.emplace();
  return pass(Stage::build, architecture);
}

Result<LibraryTime> KernelJudging::time_call(const LinkedLibraries& libraries) {
  const auto ended = [this] { return LibraryTime{verdict_.outcome, verdict_.reason, 0, ""}; };
  WARPMIND_CHECK(find_device());
  WARPMIND_TRY(const bool built, build_call(libraries));
  if (!built) return ended();
  WARPMIND_TRY(const bool judged, start_judge());
  if (!judged) return ended();
  WARPMIND_TRY(const bool right, run_oracles());
  if (!right) return ended();
  WARPMIND_TRY(const bool general, run_hidden());
  if (!general) return ended();
  std::vector<TimingSample> samples;
  for (int i = 0; i < kProcesses; ++i) {
    const TimingOrder order{candidate_, std::nullopt, order_.baseline_error, true};
    WARPMIND_TRY(auto end, time_once(*judging_, order));
    if (auto* failure = std::get_if<StageFailure>(&end)) {
      return LibraryTime{failure->outcome, failure->reason, 0, ""};
    }
    samples.push_back(std::move(std::get<TimingSample>(end)));
  }
  return LibraryTime{Outcome::same, "", median_of(candidate_blocks(samples)),
                     samples.back().front().choice};
}

KernelJudging::Continue KernelJudging::time_library() {
  const bool wanted =
      order_.library != LibraryTiming::by_setting || parts_.settings.lab.library_baseline;
  WARPMIND_TRY(BestLibrary best, best_library(wanted));
  Measurement& measurement = *verdict_.measurement;
  measurement.best_library = std::move(best);
  if (library_detail_.empty()) return true;
  return pass(Stage::library,
              describe_best_library(measurement.best_library, measurement.median_ns) +
                  "; tried: " + library_detail_);
}

Result<BestLibrary> KernelJudging::best_library(bool may_measure) {
  BestLibrary none;
  const auto calls = library_calls_for(order_.task);
  if (calls.empty()) {
    none.unknown = "no library call is known that computes this";
    return none;
  }
  const LibraryPlaces places(parts_.toolchain.toolkit(),
                             config::toolkit_search(parts_.settings.toolchain).environment);
  LibrarySituation situation{order_.task, *identity_, parts_.toolchain.release(), {}};
  std::vector<LibraryTrial> trials;
  for (const LibraryCall& call : calls) {
    auto found = places.find(call.library);
    situation.libraries.push_back(found ? found->name : found.error().message);
    if (found) {
      trials.push_back({&call, std::move(*found)});
    } else {
      none.unknown = found.error().message;
    }
  }
  if (trials.empty()) return none;
  const std::string key = key_of(situation);
  const auto& state = parts_.settings.daemon.state_directory;
  if (!may_measure || order_.library != LibraryTiming::again) {
    const auto known = parts_.best_libraries.find(key);
    if (known != parts_.best_libraries.end()) return known->second;
    auto kept = read_best_library(state, key);
    if (kept) return parts_.best_libraries[key] = std::move(*kept);
  }
  if (!may_measure) return BestLibrary{};
  WARPMIND_TRY(const LibraryTrials all, try_calls(trials));
  if (!all.was_blocked || all.best.ns > 0) parts_.best_libraries[key] = all.best;
  if (all.was_blocked || state.empty()) return all.best;
  if (const auto written = keep_best_library(state, situation, all.best); !written) {
    log::warn("profilers", "the time of a library is not kept", {{"why", written.error().message}});
  }
  return all.best;
}

Result<LibraryTrials> KernelJudging::try_calls(const std::vector<LibraryTrial>& trials) {
  begin(Stage::library);
  LibraryTrials all;
  const auto start = std::chrono::steady_clock::now();
  for (const LibraryTrial& trial : trials) {
    if (!all.worth_a_try(*trial.call)) continue;
    if (std::chrono::steady_clock::now() - start > kMostSeconds) {
      all.detail += "; others were left out after " + std::to_string(kMostSeconds.count()) + " s";
      break;
    }
    JudgeOrder order{order_.task, trial.call->kernel, nullptr, baseline_error()};
    order.effort = Effort::quick;
    auto time = KernelJudging(parts_, order, stop_).time_call(linked(trial.library));
    if (!time && time.error().code == Errc::cancelled) return fail(time.error());
    // No kernel is at fault: the judging goes on without it.
    all.add(trial, time ? *time : LibraryTime{Outcome::blocked, time.error().message, 0, ""});
  }
  if (all.best.ns <= 0) {
    all.best.unknown = "no library call that was tried computes this: " + all.detail;
  }
  library_detail_ = all.detail;
  log::info("profilers", "library calls were timed",
            {{"task", order_.task.name}, {"what", all.detail}});
  return all;
}

double KernelJudging::baseline_error() const {
  return verdict_.correctness ? verdict_.correctness->baseline_error : order_.baseline_error;
}

}  // namespace warpmind::profilers
