#include "profilers/lab/simulated_judging.h"

#include "base/expression.h"
#include "base/model/kernel.h"
#include "base/model/verdict_reading.h"
#include "base/prediction_interval.h"
#include "base/text.h"
#include "profilers/lab/profiling.h"
#include "profilers/lab/run_case.h"
#include "profilers/lab/static_checks.h"
#include "profilers/lab/verification.h"
#include "syntax/code_text.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace warpmind::profilers {
namespace {

/// lab.simulated_ginst instructions of a busy machine: it must not look like an endless loop.
constexpr double kLargeCaseSeconds = 180;
constexpr double kGiga = 1e9;
/// Of lab.simulated_ginst, what each launch of a sample may take.
constexpr double kPartShare = 0.5;
/// 10^9 thread instructions that one whole run without checks may take where nothing less says what
/// is right: half a minute.
constexpr double kMostWholeGinst = 20;
constexpr const char* kWayOut =
    "; give the task a smaller workload or a reference, or measure on a GPU";
constexpr double kWarpLanes = 32;

std::string sentence_of(const Decision& decision) {
  const Comparison& c = decision.comparison;
  const bool stays = decision.outcome != Outcome::improved && is_better(c);
  return (stays ? std::string("better, predicted: ")
                : std::string(name_of(decision.outcome)) + " (predicted): ") +
         fixed(c.ratio, 3) + "x, " +
         (has_interval(c) ? "80 % interval " + fixed(c.low, 3) + " … " + fixed(c.high, 3)
                          : std::string("low confidence"));
}

std::string prediction_text(const PlanPrediction& prediction, const DeviceSpec& device) {
  return fixed(prediction.time_ns / 1e3, 2) + " µs a run predicted for " + device.name +
         ", bound by " + prediction.bound + ", confidence " + prediction.confidence;
}

bool is_one_launch(const PlanPrediction& prediction) { return prediction.launches == 1; }

/// Whether the source seems to declare a variable in device memory: what lies there has a value
/// before any block has written it.
bool has_device_variables(const std::string& source) {
  constexpr std::string_view kWord = "__device__";
  const std::string text = syntax::code_only(source);
  for (auto at = text.find(kWord); at != std::string::npos; at = text.find(kWord, at + 1)) {
    const auto end = text.find_first_of("(;=[{", at + kWord.size());
    if (end != std::string::npos && text[end] != '(') return true;
  }
  return false;
}

Result<std::int64_t> output_elements(const Task& task, const Workload& workload) {
  std::int64_t total = 0;
  for (const Argument& argument : task.arguments) {
    if (!is_output(argument)) continue;
    WARPMIND_TRY(const std::int64_t elements, evaluate_product(argument.shape, workload.sizes));
    total += elements;
  }
  return total;
}

}  // namespace

SimulatedJudging::SimulatedJudging(LabParts& parts, const JudgeOrder& order,
                                   DeviceIdentity identity, PredictionCache& predictions,
                                   std::stop_token stop)
    : StagedJudging(parts, order, std::move(stop)), cache_(predictions) {
  identity_ = std::move(identity);
  start_given_ = [this] {
    return WorkerSession::start(
        parts_.sandbox, place_for(*parts_.simulator, SimulationMode::run, spec_.key,
                                  std::max(kLargeCaseSeconds, parts_.settings.lab.case_timeout_s)));
  };
}

Result<Verdict> SimulatedJudging::judge() {
  using StageFunction = Continue (SimulatedJudging::*)();
  for (const StageFunction stage :
       {static_cast<StageFunction>(&SimulatedJudging::check_source),
        static_cast<StageFunction>(&SimulatedJudging::build),
        static_cast<StageFunction>(&SimulatedJudging::start_judge),
        &SimulatedJudging::choose_extent, &SimulatedJudging::verify,
        &SimulatedJudging::check_results, &SimulatedJudging::check_hidden,
        &SimulatedJudging::predict, &SimulatedJudging::decide,
        &SimulatedJudging::check_timed_results}) {
    WARPMIND_TRY(const bool go_on, (this->*stage)());
    if (!go_on) break;
    if (stop_.stop_requested()) return fail(Errc::cancelled, "the judging was cancelled");
  }
  return std::move(verdict_);
}

double SimulatedJudging::seconds_for(SimulationMode mode) const {
  const auto& settings = parts_.settings.lab;
  if (mode == SimulationMode::profile) return prediction_seconds(settings);
  return large_cases_ ? std::max(kLargeCaseSeconds, settings.case_timeout_s)
                      : settings.case_timeout_s;
}

Result<WorkerSession> SimulatedJudging::start_runner(SimulationMode mode,
                                                     const BuiltKernel& kernel) {
  return start_simulated(parts_.sandbox,
                         place_for(*parts_.simulator, mode, spec_.key, seconds_for(mode)), kernel);
}

SimulatedJudging::Continue SimulatedJudging::choose_extent() {
  begin(Stage::simulation);
  if (!small_workloads(order_.task).front()->timed) return true;
  const std::string& smallest = smallest_workload(order_.task).name;
  WARPMIND_TRY(auto end, predict_all(candidate_, *verdict_.build));
  // What goes wrong is told by the checks.
  if (std::holds_alternative<StageFailure>(end)) return true;
  predictions_ = std::get<std::vector<PlanPrediction>>(std::move(end));
  for (const PlanPrediction& one : predictions_) {
    if (one.workload != smallest) continue;
    is_sampled_ = one.thread_instructions > parts_.settings.lab.simulated_ginst * kGiga;
  }
  return true;
}

SimulatedJudging::Continue SimulatedJudging::verify() {
  VerificationOrder order{*parts_.simulator, spec_.key, small_workloads(order_.task),
                          order_.baseline_error};
  order.instructions = is_sampled_ ? kSampledInstructions : 0;
  order.only_run = is_sampled_;
  WARPMIND_TRY(auto end, verify_simulated(*judging_, candidate_, order));
  verdict_.findings = end.findings;
  if (end.defect) return stop_with(Stage::simulation, std::move(*end.defect));
  if (end.failure) return stop_with(Stage::simulation, std::move(*end.failure));
  return pass(Stage::simulation, describe_verified(end));
}

SimulatedJudging::Continue SimulatedJudging::check_sampled_results() {
  begin(Stage::full_oracle);
  large_cases_ = true;
  verdict_.correctness.emplace().passed = true;
  const Workload& workload = smallest_workload(order_.task);
  const auto prediction =
      std::find_if(predictions_.begin(), predictions_.end(),
                   [&](const PlanPrediction& one) { return one.workload == workload.name; });
  const bool is_short = prediction->thread_instructions <= kMostWholeGinst * kGiga;
  bool right = true;
  if (!is_short || !part_obstacle(*prediction)) {
    WARPMIND_TRY(right, check_timed_part(workload, *prediction));
  }
  // Of several launches, the sampled blocks of a later one may need all of an earlier one.
  if (right && is_short && verdict_.correctness->elements == 0) {
    verdict_.correctness.emplace().passed = true;
    WARPMIND_TRY(right, check_timed_whole(workload));
  }
  if (!right) return false;
  const Correctness& all = *verdict_.correctness;
  if (all.elements == 0) {
    return stop_with(Stage::full_oracle, {Outcome::unjudgeable, all.unchecked + kWayOut});
  }
  return pass(Stage::full_oracle, std::to_string(all.elements) + " elements" +
                                      (all.unchecked.empty() ? "" : "; " + all.unchecked));
}

SimulatedJudging::Continue SimulatedJudging::check_results() {
  if (is_sampled_) return check_sampled_results();
  WARPMIND_TRY(auto runner, start_runner(SimulationMode::run, candidate_));
  WARPMIND_TRY(const bool tiny, run_tiny_oracle(runner));
  if (!tiny) return false;
  WARPMIND_TRY(const bool full, run_full_oracle(runner, small_workloads(order_.task)));
  runner.finish();
  return full;
}

SimulatedJudging::Continue SimulatedJudging::check_hidden() {
  // Other inputs of the same size would take as long again.
  if (is_sampled_ && order_.task.hidden.empty()) return true;
  return run_hidden_stage([this] { return start_runner(SimulationMode::run, candidate_); });
}

Result<StageEnd<std::vector<PlanPrediction>>> SimulatedJudging::predict_all(
    const BuiltKernel& kernel, const BuildReport& build) {
  std::vector<PlanPrediction> all;
  for (const Workload* workload : timed_workloads(order_.task)) {
    const std::string key =
        prediction_key(*judging_, *kernel.kernel, *workload, parts_.toolchain.release());
    if (const auto known = cache_.find(key); known != cache_.end()) {
      all.push_back(known->second);
      all.back().workload = workload->name;
      continue;
    }
    WARPMIND_TRY(auto runner, start_runner(SimulationMode::profile, kernel));
    WARPMIND_TRY(auto end, predict_plan(*judging_, runner, kernel, build, *workload));
    if (auto* failure = std::get_if<StageFailure>(&end)) {
      return StageEnd<std::vector<PlanPrediction>>(std::move(*failure));
    }
    runner.finish();
    all.push_back(std::get<PlanPrediction>(std::move(end)));
    cache_[key] = all.back();
  }
  return StageEnd<std::vector<PlanPrediction>>(std::move(all));
}

SimulatedJudging::Continue SimulatedJudging::predict() {
  begin(Stage::profile);
  WARPMIND_TRY(auto end, predict_all(candidate_, *verdict_.build));
  if (auto* failure = std::get_if<StageFailure>(&end)) {
    return stop_with(Stage::profile, std::move(*failure));
  }
  predictions_ = std::get<std::vector<PlanPrediction>>(std::move(end));
  const PlanPrediction& first = predictions_.front();
  Profile& profile = *verdict_.profile;
  RunnerReport counted;
  counted.kernels = first.kernels;
  merge_counters(profile, counted);
  WARPMIND_TRY(const Limit limit_known, limit());
  add_timed_metrics(profile, first.time_ns, limit_known);
  profile.tier = ProfileTier::t2;
  profile.lines = first.lines;
  profile.caches = CacheState::cold;  // each launch begins with empty ones
  profile.note = "simulated" + std::string(first.sampled ? " on a sample of blocks" : "") +
                 ": transactions are exact, caches and times are modelled for " + spec_.name;
  set_measurement(limit_known);
  return pass(Stage::profile, prediction_text(first, spec_));
}

void SimulatedJudging::set_measurement(const Limit& limit_known) {
  const PlanPrediction& first = predictions_.front();
  const auto factor = time_factor(first.confidence);
  Measurement measurement;
  measurement.provider = Provider::sim;
  measurement.device = *identity_;
  measurement.toolkit = parts_.toolchain.release();
  measurement.workload = first.workload;
  measurement.tier = order_.kernel.tier;
  measurement.sandboxed = parts_.sandbox.enabled();
  measurement.median_ns = first.time_ns;
  measurement.low_ns = factor ? first.time_ns / *factor : 0;
  measurement.high_ns = factor ? first.time_ns * *factor : 0;
  measurement.samples = 1;
  measurement.launches_per_sample = 1;
  measurement.harness = kSimulatorVersion;
  measurement.bound = first.bound;
  measurement.confidence = first.confidence;
  measurement.limit = limit_known;
  verdict_.measurement = std::move(measurement);
}

SimulatedJudging::Continue SimulatedJudging::check_timed_results() {
  // Seconds on large workloads: only for what would be built upon.
  if (order_.incumbent != nullptr && !is_better(verdict_)) return true;
  // A sketch of a given kernel is asked for its prediction.
  if (order_.incumbent == nullptr && order_.effort == Effort::quick) return true;
  begin(Stage::full_oracle);
  large_cases_ = true;
  const auto timed = timed_workloads(order_.task);
  for (std::size_t i = 0; i < timed.size(); ++i) {
    if (!timed[i]->timed) continue;  // none is marked: the last one was checked with the small ones
    if (is_sampled_ && timed[i] == &smallest_workload(order_.task)) continue;
    const double ginst = predictions_[i].thread_instructions / kGiga;
    const bool whole = ginst <= parts_.settings.lab.simulated_ginst;
    WARPMIND_TRY(const bool right, whole ? check_timed_whole(*timed[i])
                                         : check_timed_part(*timed[i], predictions_[i]));
    if (!right) return false;
  }
  const Correctness& all = *verdict_.correctness;
  if (!all.unchecked.empty()) verdict_.reason += "; partly checked";
  return pass(Stage::full_oracle, std::to_string(all.cases) + " cases, " +
                                      std::to_string(all.elements) + " elements" +
                                      (all.unchecked.empty() ? "" : "; " + all.unchecked));
}

SimulatedJudging::Continue SimulatedJudging::check_timed_whole(const Workload& workload) {
  OracleOrder order{{&workload}, 1, order_.baseline_error, kLargeCaseSeconds};
  order.inputs = InputChoice::uneven;
  WARPMIND_TRY(auto runner, start_runner(SimulationMode::run, candidate_));
  WARPMIND_TRY(auto end, run_oracle(*judging_, runner, candidate_, order));
  if (end.correctness.cases > 0) merge(*verdict_.correctness, end.correctness);
  if (end.failure) return refuse_timed(std::move(*end.failure));
  runner.finish();
  return true;
}

SimulatedJudging::Continue SimulatedJudging::check_timed_part(const Workload& workload,
                                                              const PlanPrediction& prediction) {
  const std::string name = "workload '" + workload.name + "', which needs " +
                           fixed(prediction.thread_instructions / kGiga, 1) +
                           " G thread instructions, ";
  auto obstacle = part_obstacle(prediction);
  if (is_given_too_long(workload)) {
    obstacle = "the given kernel, which is the reference, would have to run as a whole";
  }
  if (obstacle) {
    note_unchecked(name + "was not run: " + *obstacle);
    return true;
  }
  OracleOrder order{{&workload}, 1, order_.baseline_error, kLargeCaseSeconds};
  order.inputs = InputChoice::uneven;
  WARPMIND_TRY(const std::uint64_t seed, draw_block_seed());
  const double instructions = parts_.settings.lab.simulated_ginst * kGiga * kPartShare / kWarpLanes;
  order.blocks = BlockSample{seed, static_cast<std::uint64_t>(std::max(1.0, instructions))};
  WARPMIND_TRY(auto runner, start_runner(SimulationMode::run, candidate_));
  WARPMIND_TRY(auto end, run_oracle(*judging_, runner, candidate_, order));
  const std::int64_t compared = end.correctness.elements;
  if (end.correctness.cases > 0) merge(*verdict_.correctness, end.correctness);
  if (end.failure) {
    // Of several launches, the later ones may have met what the left out blocks did not write.
    const bool certain = end.failure->outcome == Outcome::wrong ||
                         (end.failure->outcome == Outcome::crashed && is_one_launch(prediction));
    if (certain) return refuse_timed(std::move(*end.failure));
    verdict_.correctness->passed = true;
    note_unchecked(name + "could not be run in part: " + end.failure->reason);
    return true;
  }
  runner.finish();
  WARPMIND_TRY(const std::int64_t elements, output_elements(order_.task, workload));
  if (compared < elements) {
    note_unchecked("of " + name + std::to_string(compared) + " of " + std::to_string(elements) +
                   " elements were compared, those of a sample of blocks");
  }
  return true;
}

std::optional<std::string> SimulatedJudging::part_obstacle(const PlanPrediction& prediction) const {
  const auto& launches = order_.kernel.plan.launches;
  if (std::any_of(launches.begin(), launches.end(),
                  [](const auto& one) { return one.cooperative; })) {
    return "its blocks may wait for each other";
  }
  if (prediction.orders_blocks) return "its blocks add to the same memory";
  const auto& scratch = order_.kernel.plan.scratch;
  if (std::any_of(scratch.begin(), scratch.end(), [](const auto& one) { return one.zeroed; })) {
    return "its blocks find zeroed scratch memory";
  }
  const bool hides_results =
      order_.kernel.tier != Tier::a || has_device_variables(order_.kernel.source);
  if (hides_results && !is_one_launch(prediction)) {
    return "its launches may hand results to each other outside of the plan's scratch memory";
  }
  return std::nullopt;
}

bool SimulatedJudging::is_given_too_long(const Workload& workload) const {
  if (!order_.task.reference.empty()) return false;
  // Mostly it was the first that was judged; else the time limit of its run says so.
  const auto known = cache_.find(
      prediction_key(*judging_, order_.task.kernel, workload, parts_.toolchain.release()));
  return known != cache_.end() && known->second.thread_instructions > kMostWholeGinst * kGiga;
}

void SimulatedJudging::note_unchecked(const std::string& what) {
  std::string& unchecked = verdict_.correctness->unchecked;
  unchecked += (unchecked.empty() ? "partly checked: " : "; ") + what;
}

bool SimulatedJudging::refuse_timed(StageFailure failure) {
  verdict_.comparison.reset();
  return stop_with(Stage::full_oracle, std::move(failure));
}

SimulatedJudging::Continue SimulatedJudging::decide() {
  if (order_.incumbent == nullptr) {
    verdict_.outcome = Outcome::same;
    verdict_.reason = "correct; " + prediction_text(predictions_.front(), spec_);
    return true;
  }
  begin(Stage::timing);
  WARPMIND_TRY(const auto comparison, compare());
  (void)comparison;
  return pass(Stage::timing, verdict_.reason);
}

Result<Comparison> SimulatedJudging::compare() {
  if (order_.incumbent == nullptr) {
    return fail(Errc::invalid_argument, "a comparison needs an incumbent");
  }
  if (!judging_) {
    for (const auto stage : {&SimulatedJudging::build, &SimulatedJudging::start_judge}) {
      WARPMIND_TRY(const bool done, (this->*stage)());
      if (!done) return fail(Errc::external_failure, verdict_.reason);
    }
    WARPMIND_TRY(auto own, predict_all(candidate_, *verdict_.build));
    if (auto* failure = std::get_if<StageFailure>(&own)) {
      return fail(Errc::external_failure, "the comparison failed: " + failure->reason);
    }
    predictions_ = std::get<std::vector<PlanPrediction>>(std::move(own));
  }
  WARPMIND_TRY(incumbent_, build_incumbent());
  WARPMIND_TRY(auto end, predict_all(*incumbent_, incumbent_build_));
  if (auto* failure = std::get_if<StageFailure>(&end)) {
    return fail(Errc::external_failure, "the incumbent cannot be predicted: " + failure->reason);
  }
  const Decision decision =
      compare_predictions(predictions_, std::get<std::vector<PlanPrediction>>(end));
  verdict_.comparison = decision.comparison;
  verdict_.outcome = decision.outcome;
  verdict_.reason = sentence_of(decision);
  return decision.comparison;
}

}  // namespace warpmind::profilers
