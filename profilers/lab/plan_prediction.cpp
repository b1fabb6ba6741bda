#include "profilers/lab/plan_prediction.h"

#include "base/codec/json_guard.h"
#include "base/codec/model_json.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/prediction_interval.h"
#include "profilers/lab/prediction_seed.h"
#include "profilers/lab/run_case.h"
#include "profilers/simulator/prediction/metrics.h"
#include "profilers/simulator/prediction/model.h"
#include "profilers/simulator/sass/fatbin.h"

#include <algorithm>
#include <cmath>

namespace warpmind::profilers {
namespace {

constexpr std::size_t kBinaryLimit = std::size_t{256} << 20U;
/// A plan of many launches is simulated launch by launch; a second each is long.
/// lab.case_timeout_s lengthens it: on a loaded machine a second is little, and a kernel that is
/// given up for the machine's sake is judged otherwise the next time.
constexpr double kSimulationSeconds = 120;
/// Work of a host function that hides behind its launches, or is noise.
constexpr double kFreeHostNs = 30'000;
/// A launch that takes less of the plan's time does not lower the plan's confidence.
constexpr double kSmallShare = 0.1;

/// Machine code of the binary at hand, for the time model; none = PTX counts must do.
std::optional<simulator::Cubin> machine_code(const BuiltKernel& kernel, const DeviceSpec& device) {
  if (kernel.kernel->tier != Tier::a) return std::nullopt;
  const auto binary = read_file(kernel.binary, kBinaryLimit);
  if (!binary) return std::nullopt;
  const auto architecture =
      static_cast<std::uint32_t>(device.compute_major * 10 + device.compute_minor);
  const auto code = simulator::cubin_of_fatbin(std::as_bytes(std::span(*binary)), architecture);
  if (!code) return std::nullopt;
  auto cubin = simulator::read_cubin(*code);
  if (!cubin) return std::nullopt;
  return std::move(*cubin);
}

int registers_of(const BuildReport& build, const std::string& kernel) {
  for (const KernelResources& resources : build.kernels) {
    if (resources.kernel == kernel) return resources.registers;
  }
  return 0;
}

bool has_global_atomics(const simulator::LaunchRecord& launch) {
  return std::any_of(launch.instructions.begin(), launch.instructions.end(), [](const auto& one) {
    const bool is_atomic = one.opcode.starts_with("atom") || one.opcode.starts_with("red.");
    return is_atomic && one.space != simulator::Space::shared;
  });
}

/// Adds one launch to the plan.
Result<void> add_launch(const simulator::LaunchReport& report, const BuildReport& build,
                        const std::optional<simulator::Cubin>& cubin, const DeviceSpec& device,
                        PlanPrediction& plan, std::vector<simulator::Prediction>& predictions) {
  const simulator::LaunchRecord& launch = report.launch;
  std::optional<simulator::MachineCode> machine;
  if (cubin) {
    auto read = simulator::read_machine_code(*cubin, launch.kernel);
    if (read) machine = std::move(*read);
  }
  simulator::KernelCounts counts{launch};
  counts.wave = report.wave ? &*report.wave : nullptr;
  counts.machine = machine ? &*machine : nullptr;
  counts.registers_per_thread = registers_of(build, launch.kernel);
  WARPMIND_TRY(auto prediction, simulator::predict(counts, device));
  plan.time_ns += prediction.time_us * 1e3;
  plan.thread_instructions += static_cast<double>(launch.thread_instructions) * prediction.scale;
  plan.sampled = plan.sampled || launch.blocks_run < launch.blocks;
  plan.orders_blocks = plan.orders_blocks || has_global_atomics(launch);
  plan.kernels.push_back(simulator::kernel_profile(launch, device, &prediction));
  predictions.push_back(std::move(prediction));
  return {};
}

/// The longest launch names the bound; every launch that matters may lower the confidence.
void conclude(const std::vector<simulator::Prediction>& predictions, PlanPrediction& plan) {
  const auto longest =
      std::max_element(predictions.begin(), predictions.end(),
                       [](const auto& a, const auto& b) { return a.time_us < b.time_us; });
  plan.bound = name_of(longest->bound);
  simulator::Confidence least = longest->confidence;
  for (const auto& one : predictions) {
    if (one.time_us * 1e3 < kSmallShare * plan.time_ns) continue;
    least = std::min(least, one.confidence);
  }
  plan.confidence = name_of(least);
}

/// Which blocks are looked at: another choice for every kernel, the same whenever it is predicted
/// again, and known to no kernel.
std::uint64_t block_seed(const Judging& judging, const Kernel& kernel, const Workload& workload) {
  const std::uint64_t inputs = prediction_seed(judging.prediction_secret, judging.task, workload);
  const Digest digest =
      sha256(hash_input({"blocks", std::to_string(inputs), id_of(kernel).str(), workload.name}));
  return std::max<std::uint64_t>(seed_of(digest), 1);
}

/// The job that runs the plan once, its buffers filled by the judge.
Result<StageEnd<RunnerJob>> profile_job(Judging& judging, const WorkerSession& runner,
                                        const BuiltKernel& kernel, const Workload& workload) {
  auto program = make_program(judging.task, *kernel.kernel, workload, "bin/candidate");
  if (!program) {
    return StageEnd<RunnerJob>(
        StageFailure{Outcome::build_failed, "launch plan: " + program.error().message});
  }
  WARPMIND_TRY(const auto cases, prepare_cases(judging, runner, workload, 1, CaseUse::predicted));
  RunnerJob job;
  job.mode = JobMode::profile;
  job.blocks.seed = block_seed(judging, *kernel.kernel, workload);
  RunCase& one = job.cases.emplace_back();
  one.id = cases.front().id;
  one.candidate = std::move(*program);
  WARPMIND_TRY(one.buffers, make_buffers(judging.task, workload, cases.front()));
  return StageEnd<RunnerJob>(std::move(job));
}

}  // namespace

std::string prediction_key(const Judging& judging, const Kernel& kernel, const Workload& workload,
                           const std::string& toolkit) {
  const std::uint64_t seed = prediction_seed(judging.prediction_secret, judging.task, workload);
  return to_hex(
      sha256(hash_input({kSimulatorVersion, id_of(kernel).str(), id_of(judging.task).str(),
                         codec::dump_json(workload.sizes), codec::dump_json(judging.task.arguments),
                         std::to_string(seed), codec::dump_json(judging.device), toolkit})));
}

double prediction_seconds(const config::LabSettings& settings) {
  return std::max(kSimulationSeconds, settings.case_timeout_s);
}

Decision compare_predictions(const std::vector<PlanPrediction>& candidate,
                             const std::vector<PlanPrediction>& incumbent) {
  double log_ratio = 0;
  std::optional<double> factor = 1;
  const std::size_t count = std::min(candidate.size(), incumbent.size());
  for (std::size_t i = 0; i < count; ++i) {
    log_ratio += std::log(incumbent[i].time_ns / candidate[i].time_ns);
    const auto own = gain_factor(candidate[i].confidence, incumbent[i].confidence);
    factor = factor && own ? std::optional(std::max(*factor, *own)) : std::nullopt;
  }
  Decision decision;
  Comparison& comparison = decision.comparison;
  comparison.ratio = std::exp(log_ratio / static_cast<double>(std::max<std::size_t>(count, 1)));
  comparison.low = factor ? comparison.ratio / *factor : 0;
  comparison.high = factor ? comparison.ratio * *factor : 0;
  comparison.confidence = kPredictionCoverage;
  comparison.processes = 0;
  if (claims_gain(comparison)) {
    decision.outcome = Outcome::improved;
  } else if (claims_loss(comparison)) {
    decision.outcome = Outcome::regressed;
  } else if (std::abs(comparison.ratio - 1) <= kSameBand) {
    decision.outcome = Outcome::same;
  }
  return decision;
}

Result<StageEnd<PlanPrediction>> predict_plan(Judging& judging, WorkerSession& runner,
                                              const BuiltKernel& kernel, const BuildReport& build,
                                              const Workload& workload) {
  using End = StageEnd<PlanPrediction>;
  WARPMIND_TRY(auto job, profile_job(judging, runner, kernel, workload));
  if (auto* failure = std::get_if<StageFailure>(&job)) return End(std::move(*failure));
  const double seconds = prediction_seconds(judging.settings);
  WARPMIND_TRY(const auto answer, runner.run_job(std::get<RunnerJob>(job), seconds, judging.stop));
  if (!answer.report) {
    return End(explained_by_report(runner, StageFailure{answer.outcome, answer.reason}));
  }
  const auto launches = read_simulation(runner);
  if (!launches) return End(StageFailure{Outcome::crashed, launches.error().message});
  if (auto stopped = stop_of(*launches)) return End(std::move(*stopped));
  if (!answer.report->ok) return End(StageFailure{Outcome::crashed, answer.report->error});
  if (launches->empty()) {
    return End(StageFailure{Outcome::crashed, "the plan launched no kernel on the simulator"});
  }

  PlanPrediction plan;
  plan.workload = workload.name;
  plan.launches = launches->size();
  const auto cubin = machine_code(kernel, judging.device);
  std::vector<simulator::Prediction> predictions;
  std::vector<simulator::LaunchRecord> records;
  for (const auto& launch : *launches) {
    const auto added = add_launch(launch, build, cubin, judging.device, plan, predictions);
    if (!added) return End(StageFailure{Outcome::crashed, added.error().message});
    records.push_back(launch.launch);
  }
  // What launches fit into costs nothing more: the device is busy meanwhile.
  plan.time_ns += std::max(0.0, answer.report->host_ns - kFreeHostNs);
  simulator::share_time(plan.kernels);
  plan.lines = simulator::line_profiles(records, judging.device);
  conclude(predictions, plan);
  return End(std::move(plan));
}

}  // namespace warpmind::profilers
