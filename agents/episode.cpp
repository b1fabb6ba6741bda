#include "agents/episode.h"

#include "agents/insight_advice.h"
#include "base/model/verdict_reading.h"
#include "base/prediction_interval.h"
#include "base/text.h"

#include <algorithm>

namespace warpmind::agents {
namespace {

/// Candidates that the simulator's checks kept from the device.
std::size_t stopped_by_simulator(const Episode& episode) {
  return static_cast<std::size_t>(
      std::count_if(episode.steps.begin(), episode.steps.end(), [](const Step& step) {
        const auto& stages = step.verdict.stages;
        return !stages.empty() && stages.back().stage == Stage::simulation && !stages.back().passed;
      }));
}

/// "; a fault of warpmind …", or "" where it refused none of its own rewrites.
std::string own_faults_text(const Episode& episode) {
  std::size_t faults = 0;
  std::int64_t first = 0;
  for (const Step& step : episode.steps) {
    if (!is_own_fault(step.candidate, step.verdict)) continue;
    if (faults++ == 0) first = step.index;
  }
  if (faults == 0) return {};
  return "; a fault of warpmind spoiled " +
         count_noun(static_cast<std::int64_t>(faults), "candidate") +
         " of the built-in agent and was not learnt from: please report what warpmind why " +
         episode.id.str() + " " + std::to_string(first) + " prints";
}

bool from_memory(const Step& step) { return step.candidate.proposer == "memory"; }

std::string improvement_text(const Comparison& comparison) {
  const std::string text = fixed(comparison.ratio, 2) + "x faster than the given kernel (";
  if (!has_interval(comparison)) return text + "low confidence)";
  return text + fixed(100 * comparison.confidence, 0) + " % interval " + fixed(comparison.low, 2) +
         " to " + fixed(comparison.high, 2) + ")";
}

/// The better kernel is kept; that it is faster is not claimed.
std::string better_prediction_text(const Comparison& comparison) {
  const std::string text = "a better kernel, predicted " + fixed(comparison.ratio, 2) +
                           "x the given one, which is within what predictions may be off by";
  if (!has_interval(comparison)) return text + " (low confidence)";
  return text + " (" + fixed(comparison.low, 2) + " to " + fixed(comparison.high, 2) + ")";
}

}  // namespace

Episode start_episode(const Job& job, Provider provider, UnixMillis now) {
  Episode episode;
  const std::string& number = job.id.str();
  episode.id = EpisodeId("e" + (number.empty() ? std::string("-0") : number.substr(1)));
  episode.task = job.request.task.id;
  episode.task_name = job.request.task.name;
  episode.operator_family = job.request.task.operator_family;
  episode.split = job.request.task.split;
  episode.provider = provider;
  episode.started = now;
  episode.policy = job.request.policy;
  episode.proposer = job.request.proposer;
  const auto seed = static_cast<std::uint64_t>(job.request.seed.value_or(0));
  episode.seed = seed != 0 ? seed : seed_of(episode.id, 0);
  return episode;
}

Episode blocked_episode(const Job& job, std::string reason, UnixMillis now) {
  Episode episode = start_episode(job, job.request.provider, now);
  Step step;
  step.candidate.kernel = job.request.task.kernel;
  step.candidate.proposer = "task";
  step.verdict.outcome = Outcome::blocked;
  step.verdict.reason = std::move(reason);
  episode.steps.push_back(std::move(step));
  episode.finished = now;
  conclude(episode, {}, false);
  return episode;
}

void conclude(Episode& episode, const Advice& advice, bool stopped) {
  const Verdict& baseline = episode.steps.front().verdict;
  if (baseline.outcome != Outcome::same) {
    episode.outcome = baseline.outcome;
    episode.summary = baseline.outcome == Outcome::unjudgeable
                          ? "the given kernel cannot be judged: " + baseline.reason
                          : "the given kernel: " + baseline.reason;
    return;
  }
  const auto& best = episode.best_against_baseline;
  const bool better = best && claims_gain(*best);
  const bool stays = best && is_better(*best);
  episode.outcome = better ? Outcome::improved : stays ? Outcome::inconclusive : Outcome::same;
  const std::size_t candidates = episode.steps.size() - 1;
  const std::string after =
      " after " + count_noun(static_cast<std::int64_t>(candidates), "candidate");
  episode.summary = better  ? improvement_text(*best) + after
                    : stays ? better_prediction_text(*best) + after
                            : "nothing better than the given kernel was found" + after;
  if (const std::size_t defective = stopped_by_simulator(episode); defective > 0) {
    episode.summary += "; the simulator's checks stopped " +
                       count_noun(static_cast<std::int64_t>(defective), "candidate");
  }
  episode.summary += own_faults_text(episode);
  if (baseline.effort == Effort::quick) {
    episode.summary += "; judged with effort quick, which is not enough for full trust";
  }
  if (episode.provider == Provider::sim) {
    const auto& measured = episode.steps.front().verdict.measurement;
    episode.summary += "; predicted" +
                       (measured ? " for " + measured->device.name : std::string()) +
                       " by the simulator, nothing was measured on a GPU";
  }
  const auto memory = std::find_if(episode.steps.begin(), episode.steps.end(), from_memory);
  if (memory != episode.steps.end() && advice.episodes_seen > 0) {
    episode.summary += memory->accepted ? "; started from the kernel that memory held"
                                        : "; the kernel that memory held did not help this time";
  }
  if (stopped) episode.summary += "; stopped early on request";
}

Candidate remembered_candidate(const RememberedKernel& remembered, KernelId parent) {
  Candidate candidate;
  candidate.kernel = remembered.kernel;
  candidate.parent = std::move(parent);
  candidate.proposer = "memory";
  candidate.technique = "remembered_kernel";
  for (const auto& technique : remembered.techniques) {
    candidate.parameters += (candidate.parameters.empty() ? "" : "+") + technique;
  }
  candidate.rationale = "best kernel of " + remembered.episode.str() + ", " +
                        fixed(remembered.speedup, 2) + "x faster there on " + remembered.device;
  candidate.predicted_gain = remembered.speedup;
  candidate.predicted_low = remembered.speedup;
  candidate.predicted_high = remembered.speedup;
  return candidate;
}

std::string limit_text(double headroom) {
  return "the best kernel takes " + fixed(headroom, 2) + " times the limit";
}

std::string label(const Candidate& candidate) {
  return candidate.parameters.empty() ? candidate.technique
                                      : candidate.technique + " " + candidate.parameters;
}

std::string doing(Stage stage, Provider provider) {
  const bool simulated = provider == Provider::sim;
  switch (stage) {
    case Stage::static_checks: return "reading the source";
    case Stage::build: return "building";
    case Stage::simulation: return "looking for races";
    case Stage::tiny_oracle:
    case Stage::full_oracle: return "checking results";
    case Stage::hidden_oracle: return "checking hidden cases";
    case Stage::sanitizer: return "checking memory accesses";
    case Stage::timing: return simulated ? "predicting" : "measuring";
    case Stage::profile: return simulated ? "predicting" : "profiling";
    case Stage::promotion: return "measuring again";
    case Stage::library: return "timing the best library";
  }
  return "judging";
}

std::string describe_memory(const Advice& advice) {
  std::size_t known = 0;
  for (const auto& technique : advice.techniques) known += technique.observations > 0 ? 1 : 0;
  if (advice.episodes_seen == 0 && known == 0) {
    return "memory: nothing about this task or this bottleneck yet";
  }
  std::string text = "memory: " + count_noun(advice.episodes_seen, "earlier episode") +
                     " of this task, " + count_noun(static_cast<std::int64_t>(known), "technique") +
                     " with evidence";
  for (const auto& technique : advice.techniques) {
    if (technique.observations == 0) continue;
    text += "; first: " + technique.technique + " " + technique.why;
    break;
  }
  if (advice.remembered) {
    text += "; starts from the best kernel of " + advice.remembered->episode.str() + " (" +
            fixed(advice.remembered->speedup, 2) + "x there)";
  }
  return text;
}

double device_seconds(const Verdict& verdict, Provider provider) {
  if (provider != Provider::gpu) return 0;
  double seconds = 0;
  for (const auto& stage : verdict.stages) {
    switch (stage.stage) {
      case Stage::static_checks:
      case Stage::build:
      case Stage::simulation:
      case Stage::library: break;  // about the task, not about a kernel
      default: seconds += stage.seconds;
    }
  }
  return seconds;
}

void EpisodeBudget::judged(double device_seconds) {
  ++evaluations_;
  device_seconds_ += device_seconds;
  candidate_seconds_ += device_seconds;
}

double EpisodeBudget::expected_device_seconds() const {
  // Before the first candidate, what the baseline took.
  return evaluations_ == 0 ? device_seconds_
                           : candidate_seconds_ / static_cast<double>(evaluations_);
}

std::string EpisodeBudget::refusal(std::int64_t under_way) const {
  if (under_way >= evaluations_left()) {
    return "the budget of " + std::to_string(budget_.evaluations) + " candidates is spent";
  }
  const std::chrono::duration<double> passed = clock_.monotonic() - start_;
  if (passed.count() + before_.seconds >= budget_.seconds) {
    return "the budget of " + fixed(budget_.seconds, 0) + " s is spent";
  }
  const double used = before_.gpu_seconds + device_seconds_;
  const double device = used + static_cast<double>(under_way + 1) * expected_device_seconds();
  if (budget_.gpu_seconds > 0 && device > budget_.gpu_seconds) {
    return "one more candidate would exceed the budget of " + fixed(budget_.gpu_seconds, 1) +
           " s of device time (" + fixed(used, 1) + " s are spent)";
  }
  if (budget_.tokens > 0 && before_.tokens + spending_.tokens() >= budget_.tokens) {
    return "the budget of " + std::to_string(budget_.tokens) + " tokens is spent";
  }
  if (budget_.micro_usd > 0 && before_.micro_usd + spending_.micro_usd >= budget_.micro_usd) {
    return "the budget of " + fixed(static_cast<double>(budget_.micro_usd) * 1e-6, 2) +
           " USD is spent";
  }
  return {};
}

}  // namespace warpmind::agents
