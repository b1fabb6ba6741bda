#include "sample_episodes.h"

#include "base/file.h"
#include "base/hash.h"

#include <cstdlib>

namespace warpmind::agents::samples {
namespace {

constexpr double kBaselineNs = 100'000;

Kernel kernel(int seed, std::size_t launches = 1) {
  Kernel made;
  made.source = kernel_source(seed);
  for (std::size_t i = 0; i < launches; ++i) {
    Launch launch;
    launch.kernel = "run";
    launch.arguments = {"x", "y"};
    made.plan.launches.push_back(launch);
  }
  return made;
}

Measurement measured(double median_ns) {
  Measurement m;
  m.device.name = "NVIDIA H200";
  m.device.compute_major = 9;
  m.device.driver = "580.159.04";
  m.toolkit = "13.0";
  m.workload = "large";
  m.median_ns = median_ns;
  m.low_ns = median_ns * 0.99;
  m.high_ns = median_ns * 1.01;
  m.harness = "1";
  return m;
}

Step judged(int seed, std::int64_t index, std::int64_t edited, const Try& made) {
  Step step;
  step.index = index;
  step.edited = edited;
  step.candidate.kernel = kernel(seed);
  step.candidate.proposer = "llm";
  step.candidate.model = "writer-1";
  step.candidate.technique = "vectorized_loads";
  step.candidate.rationale = "eight halves a load.";
  step.before.primary = BottleneckClass::memory_bandwidth;
  step.verdict.outcome = made.outcome;
  step.verdict.reason = "as scripted";
  if (made.outcome == Outcome::improved || made.outcome == Outcome::same) {
    step.verdict.measurement = measured(kBaselineNs / made.speedup);
  }
  return step;
}

std::string words(int count, int seed) {
  std::string text;
  for (int i = 0; i < count; ++i) text += (i == 0 ? "w" : " w") + std::to_string((seed + i) % 90);
  return text;
}

}  // namespace

std::string kernel_source(int seed) {
  const std::string name = "v" + std::to_string(seed) + "_";
  std::string text = "extern \"C\" __global__ void run(const float* x, float* y) {\n";
  for (int i = 0; i < 6; ++i) {
    const std::string n = std::to_string(i);
    text += "  float " + name + n + " = x[threadIdx.x * " + std::to_string(seed) + " + " + n +
            "] * " + name + "scale;\n";
  }
  return text + "  y[threadIdx.x] = " + name + "0;\n}\n";
}

SourceEpisode episode(int number, const std::string& task, const std::vector<Try>& tries) {
  SourceEpisode source;
  Episode& e = source.episode;
  const std::string digits = std::to_string(number);
  e.id = EpisodeId("e-" + std::string(10 - digits.size(), '0') + digits);
  e.task = TaskId("t-" + short_hash(task));
  source.heldout_twin = TaskId("t-" + short_hash(task + " held out"));
  e.task_name = task;
  e.operator_family = "softmax";
  e.steps.push_back(judged(number * 100, 0, -1, {Outcome::same, 1, 0}));
  source.exchanges.emplace_back();
  for (const auto& made : tries) {
    const auto index = std::ssize(e.steps);
    const int seed = number * 100 + static_cast<int>(index);
    e.steps.push_back(judged(seed, index, 0, made));
    auto& exchanges = source.exchanges.emplace_back();
    if (made.words == 0) continue;
    exchanges.push_back({.purpose = "proposal",
                         .model = "writer-1",
                         .prompt_hash = "0",
                         .prompt = "Make it faster: " + task,
                         .reasoning = words(made.words, seed),
                         .answer = "…"});
  }
  return source;
}

std::vector<SourceEpisode> six_tasks() {
  using enum Outcome;
  std::vector<SourceEpisode> all{
      episode(1, "shortest_is_fastest",
              {{improved, 2.0, 12},
               {improved, 1.7, 40},
               {improved, 1.3, 50},
               {same, 1.0, 60},
               {wrong, 1, 90}}),
      episode(2, "shortest_is_not_fastest",
              {{improved, 1.1, 10},
               {improved, 1.4, 40},
               {improved, 1.3, 50},
               {same, 1.0, 60},
               {wrong, 1, 90}}),
      episode(3, "threshold_only",
              {{improved, 1.05, 10},
               {improved, 1.8, 80},
               {improved, 1.6, 70},
               {improved, 1.55, 60},
               {build_failed, 1, 30}}),
      episode(4, "wrong_but_short",
              {{wrong, 1, 5},
               {improved, 1.3, 20},
               {improved, 1.2, 30},
               {same, 1.0, 40},
               {same, 1.0, 0}}),
      episode(5, "exploit_flagged",
              {{cheating, 9, 4},
               {same, 1.0, 20},
               {improved, 1.4, 30},
               {improved, 1.2, 40},
               {timed_out, 1, 50}}),
      episode(6, "held_out",
              {{improved, 3.0, 10},
               {improved, 2.0, 20},
               {improved, 1.9, 30},
               {same, 1.0, 40},
               {same, 1.0, 50}}),
  };
  for (const int fused : {2, 3}) {
    auto& given = all[static_cast<std::size_t>(fused)].episode.steps.front().candidate.kernel;
    given.plan.launches.push_back(given.plan.launches.front());
  }
  all.back().episode.split = Split::heldout;
  return all;
}

SourceEpisode four_turns() {
  using enum Outcome;
  SourceEpisode source = episode(
      7, "four_turns", {{wrong, 1, 3}, {same, 1.0, 3}, {build_failed, 1, 3}, {improved, 2.0, 3}});
  for (std::size_t at = 1; at <= 4; ++at) {
    source.episode.steps[at].edited = static_cast<std::int64_t>(at) - 1;
  }
  return source;
}

std::string golden(const std::string& name, const std::string& text) {
  const std::string path = std::string(WARPMIND_TEST_DATA) + "/export/" + name;
  if (std::getenv("UPDATE_GOLDEN") != nullptr) {
    if (!write_file_atomic(path, text)) return "cannot write " + path;
  }
  const auto read = read_file(path, std::size_t{1} << 20U);
  return read ? *read : read.error().message;
}

}  // namespace warpmind::agents::samples
