#include "agents/episode_runner.h"

#include "agents/diagnosis.h"
#include "agents/episode_text.h"
#include "agents/search/greedy_policy.h"
#include "knowledge_base/evidence.h"

#include <set>
#include <utility>

namespace warpmind::agents {

/// What one episode carries from step to step.
struct EpisodeRunner::State {
  const Job& job;
  const RunControl& control;
  DeviceSpec device;
  DeviceIdentity identity;
  Episode episode;
  Bottleneck bottleneck;  ///< of the incumbent
  Advice advice;          ///< for that bottleneck
  GreedyPolicy policy;
  std::set<KernelId> seen;  ///< judged kernels: duplicates are never measured twice
  std::int64_t accepted = 0;
  double best_ratio = 1;

  [[nodiscard]] const Task& task() const { return job.request.task; }
  [[nodiscard]] const Step& incumbent() const {
    return episode.steps[static_cast<std::size_t>(episode.best_step)];
  }
  [[nodiscard]] double baseline_error() const {
    const auto& correctness = episode.steps.front().verdict.correctness;
    return correctness ? correctness->baseline_error : 0;
  }
  [[nodiscard]] std::int64_t evaluations() const {
    return static_cast<std::int64_t>(episode.steps.size()) - 1;
  }
};

Result<Episode> EpisodeRunner::run(const Job& job, const RunControl& control) {
  State state{job, control, {}, {}, {}, {}, {}, {}, {}, 0, 1};
  const auto deadline =
      parts_.clock.monotonic() + std::chrono::duration<double>(job.request.budget.seconds);
  state.episode = start_episode(job, parts_.lab.provider(), parts_.clock.wall());
  WARPMIND_CHECK(judge_baseline(state));

  if (state.incumbent().verdict.outcome == Outcome::same) {
    WARPMIND_CHECK(refresh_advice(state));
    report(state, describe_memory(state.advice));
    WARPMIND_CHECK(try_remembered(state));
    while (state.evaluations() < job.request.budget.evaluations &&
           parts_.clock.monotonic() < deadline && !control.stop.stop_requested()) {
      WARPMIND_TRY(const bool more, try_next_move(state));
      if (!more) break;
    }
    WARPMIND_CHECK(compare_best(state));
  }
  state.episode.finished = parts_.clock.wall();
  conclude(state.episode, state.advice, control.stop.stop_requested());
  report(state, state.episode.summary);
  return std::move(state.episode);
}

Result<void> EpisodeRunner::judge_baseline(State& state) {
  report(state, "judging the given kernel");
  Step step;
  step.candidate.kernel = state.task().kernel;
  step.candidate.proposer = "task";
  step.candidate.rationale = "the kernel as given";
  profilers::JudgeOrder order{state.task(), state.task().kernel};
  order.on_stage = [&](const StageReport& stage) { report(state, describe(stage)); };
  WARPMIND_TRY(step.verdict, parts_.lab.judge(order, state.control.stop));
  step.accepted = true;
  state.seen.insert(id_of(state.task().kernel));
  state.episode.steps.push_back(std::move(step));
  const auto identity = parts_.lab.device();
  if (identity) {
    state.identity = *identity;
    if (const auto spec = parts_.devices.match(*identity)) state.device = *spec;
  }
  return {};
}

Result<void> EpisodeRunner::refresh_advice(State& state) {
  const Step& incumbent = state.incumbent();
  const DiagnosisInput input{state.task(), incumbent.candidate.kernel, incumbent.verdict,
                             state.device};
  state.bottleneck = diagnose(input);
  report(state, "bottleneck: " + state.bottleneck.explanation);
  WARPMIND_CHECK(recall(state));
  if (parts_.memory.insights) report(state, describe_insights(state.advice));
  return {};
}

/// Once a step: what is withheld is drawn anew, or no insight's worth could be told.
Result<void> EpisodeRunner::recall(State& state) {
  const Step& incumbent = state.incumbent();
  const auto techniques = parts_.proposer.techniques();
  knowledge_base::RecallQuery query{state.task(), state.bottleneck.primary, state.identity,
                                    parts_.lab.provider(), techniques};
  query.previous_technique = knowledge_base::technique_behind(incumbent.candidate);
  if (incumbent.verdict.measurement) query.toolkit = incumbent.verdict.measurement->toolkit;
  if (parts_.memory.insights) {
    const ProposalContext context{state.task(), incumbent.candidate.kernel, state.bottleneck,
                                  state.advice, state.device};
    query.insights = situation_of(context, incumbent.verdict, state.identity);
    query.insights->techniques = techniques;
    query.insights->seed = seed_of(state.episode.id, state.evaluations() + 1);
    query.insights->withhold = parts_.memory.withhold;
  }
  WARPMIND_TRY(state.advice, parts_.store.recall(query));
  return {};
}

Result<void> EpisodeRunner::try_remembered(State& state) {
  if (!state.advice.remembered || state.control.stop.stop_requested()) return {};
  const RememberedKernel& remembered = *state.advice.remembered;
  if (state.job.request.budget.evaluations < 1 || state.seen.contains(id_of(remembered.kernel))) {
    return {};
  }
  return judge_candidate(state, remembered_candidate(remembered, id_of(state.task().kernel)));
}

Result<bool> EpisodeRunner::try_next_move(State& state) {
  WARPMIND_CHECK(recall(state));
  const ProposalContext context{state.task(), state.incumbent().candidate.kernel, state.bottleneck,
                                state.advice, state.device};
  const auto move = state.policy.next(parts_.proposer.moves(context), state.advice);
  if (!move) return false;
  state.policy.tried(*move);
  WARPMIND_TRY(auto candidate, parts_.proposer.write(*move, context, state.control.stop));
  if (!candidate || state.seen.contains(id_of(candidate->kernel))) return true;
  const std::int64_t before = state.episode.best_step;
  WARPMIND_CHECK(judge_candidate(state, std::move(*candidate)));
  state.policy.learned(*move, state.episode.best_step != before);
  return true;
}

Result<void> EpisodeRunner::judge_candidate(State& state, Candidate candidate) {
  Step step;
  step.index = static_cast<std::int64_t>(state.episode.steps.size());
  step.before = state.bottleneck;
  step.exposures = exposures_of(state.advice.insights);
  step.candidate = std::move(candidate);
  state.seen.insert(id_of(step.candidate.kernel));
  report(state, "judging " + label(step.candidate));
  profilers::JudgeOrder order{state.task(), step.candidate.kernel,
                              &state.incumbent().candidate.kernel, state.baseline_error()};
  order.on_stage = [&](const StageReport& stage) {
    report(state, label(step.candidate) + ": " + describe(stage));
  };
  auto verdict = parts_.lab.judge(order, state.control.stop);
  // A stop in the middle of a candidate loses that candidate only.
  if (!verdict && verdict.error().code == Errc::cancelled) return {};
  if (!verdict) return fail(std::move(verdict).error());
  step.verdict = std::move(*verdict);
  step.accepted = step.verdict.outcome == Outcome::improved;
  if (step.accepted && step.verdict.comparison) state.best_ratio *= step.verdict.comparison->ratio;
  report(state, label(step.candidate) + ": " + step.verdict.reason);
  const bool accepted = step.accepted;
  if (accepted) state.episode.best_step = step.index;
  state.episode.steps.push_back(std::move(step));
  if (!accepted) return {};
  ++state.accepted;
  state.policy.incumbent_changed();
  return refresh_advice(state);
}

Result<void> EpisodeRunner::compare_best(State& state) {
  const Step& best = state.incumbent();
  if (state.accepted == 1) state.episode.best_against_baseline = best.verdict.comparison;
  if (state.accepted < 2) return {};
  report(state, "comparing the best kernel with the given one");
  const profilers::JudgeOrder order{
      state.task(), best.candidate.kernel, &state.task().kernel, state.baseline_error(), {}};
  // A cancelled episode still deserves its headline: this comparison runs to its end.
  auto comparison = parts_.lab.compare(order, std::stop_token());
  if (!comparison) return fail(std::move(comparison).error());
  state.episode.best_against_baseline = *comparison;
  return {};
}

void EpisodeRunner::report(const State& state, std::string line) const {
  if (!state.control.progress) return;
  const EpisodeProgress progress{std::max<std::int64_t>(state.evaluations(), 0),
                                 state.job.request.budget.evaluations, state.best_ratio,
                                 std::move(line)};
  state.control.progress(progress);
}

}  // namespace warpmind::agents
