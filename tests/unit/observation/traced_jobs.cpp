#include "tests/unit/observation/traced_jobs.h"

#include <string>

namespace warpmind::tests {
namespace {

Step step_of(std::int64_t index, Outcome outcome) {
  const std::string canary(kCanary);
  Step step;
  step.index = index;
  step.candidate.kernel.source = "// " + canary;
  step.candidate.rationale = canary;
  step.candidate.technique = index == 0 ? "" : "vectorized_loads";
  step.candidate.predicted_gain = 2;
  step.candidate.predicted_low = 1.5;
  step.candidate.predicted_high = 3;
  step.verdict.outcome = outcome;
  step.verdict.reason = canary;
  step.verdict.build = BuildReport{true, false, "sm_90", {}, canary};
  step.verdict.stages = {{Stage::build, 0.5, true, canary}, {Stage::timing, 1.5, true, canary}};
  return step;
}

}  // namespace

Job traced_job() {
  const std::string canary(kCanary);
  Job job;
  job.id = JobId("j-0000000007");
  job.state = JobState::done;
  job.submitted = UnixMillis{1'000};
  job.request.task.name = "row_sum";
  job.request.task.kernel.source = canary;
  job.request.provider = Provider::sim;
  job.attempts = 1;
  job.history = {{1, "lane 0", UnixMillis{11'000}, UnixMillis{20'000}, canary}};
  job.spent.seconds = 9;
  job.spent.gpu_seconds = 4;
  Episode episode;
  episode.id = EpisodeId("e-0000000007");
  episode.provider = Provider::sim;
  episode.started = UnixMillis{12'000};
  episode.finished = UnixMillis{19'000};
  episode.outcome = Outcome::improved;
  episode.summary = canary;
  episode.best_against_baseline = Comparison{.ratio = 2.5};
  episode.steps = {step_of(0, Outcome::inconclusive), step_of(1, Outcome::improved)};
  Step& written = episode.steps.back();
  written.verdict.comparison = Comparison{.ratio = 2.5};
  written.candidate.model = "m-1";
  written.exchanges = {{"proposal", "m-1", "hash", canary, canary, canary}};
  constexpr TokenCounts kTokens{.input_tokens = 100, .cached_tokens = 40, .output_tokens = 30};
  constexpr std::int64_t kReasoning = 10;
  written.spending = {kTokens, 1, kReasoning, 2'500'000, 2};
  episode.spending = written.spending;
  job.episode = std::move(episode);
  return job;
}

}  // namespace warpmind::tests
