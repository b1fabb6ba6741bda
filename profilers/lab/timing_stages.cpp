/// \file
/// Stages timing, promotion and profile on a GPU: docs/measuring.md has the rules.

#include "base/sequence.h"
#include "base/text.h"
#include "profilers/lab/device_floors.h"
#include "profilers/lab/given_work.h"
#include "profilers/lab/kernel_judging.h"
#include "profilers/lab/profiling.h"

#include <chrono>
#include <string>
#include <utility>

namespace warpmind::profilers {
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

}  // namespace warpmind::profilers
