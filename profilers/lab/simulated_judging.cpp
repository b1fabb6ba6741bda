#include "profilers/lab/simulated_judging.h"

#include "base/model/kernel.h"
#include "base/model/verdict_reading.h"
#include "base/text.h"
#include "profilers/lab/profiling.h"
#include "profilers/lab/run_case.h"
#include "profilers/lab/verification.h"

#include <algorithm>
#include <cmath>

namespace warpmind::profilers {
namespace {

/// lab.simulated_ginst instructions of a busy machine: it must not look like an endless loop.
constexpr double kLargeCaseSeconds = 180;
constexpr double kGiga = 1e9;

std::string sentence_of(const Decision& decision) {
  const Comparison& c = decision.comparison;
  const bool stays = decision.outcome != Outcome::improved && is_better(c);
  return (stays ? std::string("better, predicted: ")
                : std::string(name_of(decision.outcome)) + " (predicted): ") +
         fixed(c.ratio, 3) + "x, model bounds " + fixed(c.low, 3) + " … " + fixed(c.high, 3);
}

std::string prediction_text(const PlanPrediction& prediction, const DeviceSpec& device) {
  return fixed(prediction.time_ns / 1e3, 2) + " µs a run predicted for " + device.name +
         ", bound by " + prediction.bound + ", confidence " + prediction.confidence;
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
        static_cast<StageFunction>(&SimulatedJudging::start_judge), &SimulatedJudging::verify,
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

SimulatedJudging::Continue SimulatedJudging::verify() {
  begin(Stage::simulation);
  WARPMIND_TRY(auto end, verify_simulated(*judging_, candidate_,
                                          {*parts_.simulator, spec_.key,
                                           small_workloads(order_.task), order_.baseline_error}));
  verdict_.findings = std::move(end.findings);
  if (end.defect) return stop_with(Stage::simulation, std::move(*end.defect));
  if (end.failure) return stop_with(Stage::simulation, std::move(*end.failure));
  return pass(Stage::simulation, describe_verified(verdict_.findings));
}

SimulatedJudging::Continue SimulatedJudging::check_results() {
  WARPMIND_TRY(auto runner, start_runner(SimulationMode::run, candidate_));
  WARPMIND_TRY(const bool tiny, run_tiny_oracle(runner));
  if (!tiny) return false;
  WARPMIND_TRY(const bool full, run_full_oracle(runner, small_workloads(order_.task)));
  runner.finish();
  return full;
}

SimulatedJudging::Continue SimulatedJudging::check_hidden() {
  return run_hidden_stage([this] { return start_runner(SimulationMode::run, candidate_); });
}

Result<StageEnd<std::vector<PlanPrediction>>> SimulatedJudging::predict_all(
    const BuiltKernel& kernel, const BuildReport& build) {
  std::vector<PlanPrediction> all;
  const std::string id = id_of(*kernel.kernel).str();
  for (const Workload* workload : timed_workloads(order_.task)) {
    const auto known = cache_.find({id, workload->name});
    if (known != cache_.end()) {
      all.push_back(known->second);
      continue;
    }
    WARPMIND_TRY(auto runner, start_runner(SimulationMode::profile, kernel));
    WARPMIND_TRY(auto end, predict_plan(*judging_, runner, kernel, build, *workload));
    if (auto* failure = std::get_if<StageFailure>(&end)) {
      return StageEnd<std::vector<PlanPrediction>>(std::move(*failure));
    }
    runner.finish();
    all.push_back(std::get<PlanPrediction>(std::move(end)));
    cache_[{id, workload->name}] = all.back();
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
  add_timed_metrics(profile, first.time_ns, order_.task, primary(), spec_);
  profile.tier = ProfileTier::t2;
  profile.lines = first.lines;
  profile.note = "simulated" + std::string(first.sampled ? " on a sample of blocks" : "") +
                 ": transactions are exact, caches and times are modelled for " + spec_.name;
  set_measurement();
  return pass(Stage::profile, prediction_text(first, spec_));
}

void SimulatedJudging::set_measurement() {
  const PlanPrediction& first = predictions_.front();
  const double factor = uncertainty_of(first.confidence);
  Measurement measurement;
  measurement.provider = Provider::sim;
  measurement.device = *identity_;
  measurement.toolkit = parts_.toolchain.release();
  measurement.workload = first.workload;
  measurement.tier = order_.kernel.tier;
  measurement.sandboxed = parts_.sandbox.enabled();
  measurement.median_ns = first.time_ns;
  measurement.low_ns = first.time_ns / factor;
  measurement.high_ns = first.time_ns * factor;
  measurement.samples = 1;
  measurement.launches_per_sample = 1;
  measurement.harness = kSimulatorVersion;
  measurement.bound = first.bound;
  measurement.confidence = first.confidence;
  verdict_.measurement = std::move(measurement);
}

SimulatedJudging::Continue SimulatedJudging::check_timed_results() {
  // Seconds on large workloads: only for what would be built upon.
  if (order_.incumbent != nullptr && !is_better(verdict_)) return true;
  // A sketch of a given kernel is asked for its prediction.
  if (order_.incumbent == nullptr && order_.effort == Effort::quick) return true;
  std::vector<const Workload*> affordable;
  std::string left_out;
  const auto timed = timed_workloads(order_.task);
  for (std::size_t i = 0; i < timed.size(); ++i) {
    if (!timed[i]->timed) continue;  // none is marked: the last one was checked with the small ones
    const double ginst = predictions_[i].thread_instructions / kGiga;
    if (ginst <= parts_.settings.lab.simulated_ginst) {
      affordable.push_back(timed[i]);
    } else {
      left_out += "; '" + timed[i]->name + "' needs " + fixed(ginst, 1) +
                  " G thread instructions and was simulated in part";
    }
  }
  Correctness small = *verdict_.correctness;
  if (!affordable.empty()) {
    begin(Stage::full_oracle);
    large_cases_ = true;
    WARPMIND_TRY(auto runner, start_runner(SimulationMode::run, candidate_));
    const OracleOrder order{std::move(affordable), 1, order_.baseline_error, kLargeCaseSeconds};
    WARPMIND_TRY(auto end, run_oracle(*judging_, runner, candidate_, order));
    if (end.correctness.cases > 0) merge(small, end.correctness);
    verdict_.correctness = small;
    if (end.failure) {
      verdict_.comparison.reset();
      return stop_with(Stage::full_oracle, std::move(*end.failure));
    }
    runner.finish();
  }
  return pass(Stage::full_oracle, std::to_string(small.cases) + " cases, " +
                                      std::to_string(small.elements) + " elements" + left_out);
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
