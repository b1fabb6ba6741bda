#include "tests/fakes/sample_episodes.h"

#include <array>
#include <cstdio>
#include <utility>

namespace warpmind::fakes {
namespace {

constexpr double kBaselineNs = 100'000;

DeviceIdentity device(std::string name, int major, int minor, int sm_count) {
  DeviceIdentity identity;
  identity.name = std::move(name);
  identity.compute_major = major;
  identity.compute_minor = minor;
  identity.sm_count = sm_count;
  identity.memory_bytes = 80LL * 1024 * 1024 * 1024;
  identity.driver = "580.159.04";
  identity.runtime = "13.0";
  return identity;
}

EpisodeId episode_id(std::int64_t number) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "e-%010lld", static_cast<long long>(number));
  return EpisodeId(text.data());
}

bool was_measured(Outcome outcome) {
  return outcome == Outcome::improved || outcome == Outcome::same ||
         outcome == Outcome::regressed || outcome == Outcome::inconclusive;
}

}  // namespace

DeviceIdentity h200() { return device("NVIDIA H200", 9, 0, 132); }
DeviceIdentity h100() { return device("NVIDIA H100 80GB HBM3", 9, 0, 132); }
DeviceIdentity a100() { return device("NVIDIA A100-SXM4-80GB", 8, 0, 108); }

Kernel sample_kernel(const std::string& marker) {
  Kernel kernel;
  kernel.source = "// " + marker +
                  "\nextern \"C\" __global__ void scale(const float* x, float* y, int n) {\n"
                  "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                  "  if (i < n) y[i] = 2.0f * x[i];\n}\n";
  kernel.plan.constants["block_x"] = 256;
  Launch launch;
  launch.kernel = "scale";
  launch.grid = {"(n + block_x - 1) / block_x", "1", "1"};
  launch.block = {"256", "1", "1"};
  launch.arguments = {"x", "y", "i32:n"};
  kernel.plan.launches.push_back(launch);
  kernel.build_flags = {"-O3"};
  return kernel;
}

Task sample_task(const std::string& name, Split split) {
  Task task;
  task.name = name;
  task.operator_family = "elementwise";
  task.split = split;
  Argument x;
  x.name = "x";
  x.shape = {"n"};
  Argument y = x;
  y.name = "y";
  y.kind = ArgumentKind::out;
  task.arguments = {x, y};
  task.workloads = {{"main", {{"n", 1 << 20}}, true}};
  task.cost = {"8 * n", "n"};
  task.reference = "// reference of " + name;
  task.kernel = sample_kernel("baseline of " + name);
  task.id = id_of(task);
  return task;
}

JobRequest sample_request(const Task& task) {
  JobRequest request;
  request.task = task;
  return request;
}

Measurement sample_measurement(const DeviceIdentity& device, double median_ns) {
  Measurement measurement;
  measurement.device = device;
  measurement.toolkit = "13.0";
  measurement.workload = "main";
  measurement.median_ns = median_ns;
  measurement.low_ns = median_ns * 0.99;
  measurement.high_ns = median_ns * 1.01;
  measurement.samples = 70;
  measurement.launches_per_sample = 20;
  measurement.harness = "1";
  return measurement;
}

EpisodeSketch::EpisodeSketch(std::int64_t number, const Task& task, DeviceIdentity device)
    : device_(std::move(device)) {
  episode_.id = episode_id(number);
  episode_.task = task.id;
  episode_.task_name = task.name;
  episode_.operator_family = task.operator_family;
  episode_.split = task.split;
  episode_.started = {1'700'000'000'000 + number};
  episode_.finished = {1'700'000'060'000 + number};
  Step baseline;
  baseline.candidate.kernel = task.kernel;
  baseline.verdict.outcome = Outcome::same;
  baseline.verdict.measurement = sample_measurement(device_, kBaselineNs);
  baseline.accepted = true;
  episode_.steps.push_back(baseline);
}

EpisodeSketch& EpisodeSketch::step(const StepSketch& sketch) {
  const auto position = static_cast<std::int64_t>(episode_.steps.size());
  const auto& incumbent = episode_.steps[static_cast<std::size_t>(episode_.best_step)];
  Step step;
  step.index = position;
  step.candidate.parent = id_of(incumbent.candidate.kernel);
  step.candidate.proposer = sketch.proposer;
  step.candidate.technique = sketch.technique;
  step.candidate.kernel = sample_kernel(
      !sketch.marker.empty() ? sketch.marker
                             : episode_.task_name + " " + sketch.technique + " " +
                                   std::to_string(position) + " of " + episode_.id.str());
  step.before.primary = sketch.bottleneck;
  step.verdict.outcome = sketch.outcome;
  step.verdict.reason = "as sketched";
  step.accepted = sketch.outcome == Outcome::improved && sketch.processes > 1;
  if (sketch.processes > 0) {
    step.verdict.comparison = Comparison{sketch.ratio, sketch.ratio * 0.98, sketch.ratio * 1.02,
                                         0.99,         sketch.processes,    sketch.processes * 10};
  }
  if (step.accepted) speedup_ *= sketch.ratio;
  if (was_measured(sketch.outcome)) {
    step.verdict.correctness = Correctness{true, 30, 1 << 20, 0.25, 0, ""};
    step.verdict.measurement =
        sample_measurement(device_, kBaselineNs / (step.accepted ? speedup_ : sketch.ratio));
  }
  if (step.accepted) episode_.best_step = position;
  episode_.steps.push_back(std::move(step));
  return *this;
}

EpisodeSketch& EpisodeSketch::provider(Provider provider) {
  episode_.provider = provider;
  for (auto& step : episode_.steps) {
    if (step.verdict.measurement) step.verdict.measurement->provider = provider;
  }
  return *this;
}

Episode EpisodeSketch::finish() const {
  Episode episode = episode_;
  episode.outcome = episode.best_step > 0 ? Outcome::improved : Outcome::same;
  if (episode.best_step > 0) {
    episode.best_against_baseline =
        Comparison{speedup_, speedup_ * 0.98, speedup_ * 1.02, 0.99, 7, 70};
  }
  episode.summary = "an episode of " + episode.task_name;
  return episode;
}

Episode sample_episode(std::int64_t number, const Task& task, int steps) {
  EpisodeSketch sketch(number, task);
  for (int i = 0; i < steps; ++i) {
    sketch.step(i == 0 ? StepSketch{}
                       : StepSketch{.technique = "unroll",
                                    .outcome = Outcome::regressed,
                                    .ratio = 0.9,
                                    .processes = 1});
  }
  return sketch.finish();
}

}  // namespace warpmind::fakes
