#include "profilers/lab/kernel_judging.h"

#include <utility>

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

}  // namespace warpmind::profilers
