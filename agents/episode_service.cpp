#include "agents/episode_service.h"

#include "agents/builtin/builtin_proposer.h"
#include "agents/builtin/skills/skill_library.h"
#include "agents/episode_loop.h"
#include "agents/replay_proposer.h"
#include "base/job_names.h"
#include "base/log.h"
#include "base/model/attempts.h"
#include "base/model/spent_arithmetic.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

namespace warpmind::agents {
namespace {

void log_step(const JobId& job, const Episode& episode, const Step& step) {
  log::info("agents", "step",
            {{"job", job},
             {"task", episode.task},
             {"episode", episode.id},
             {"step", step.index},
             {"technique", step.candidate.technique},
             {"parameters", step.candidate.parameters},
             {"bottleneck", name_of(step.before.primary)},
             {"outcome", name_of(step.verdict.outcome)},
             {"reason", step.verdict.reason}});
}

/// What the episode cost; `active` is the time of work, without rests.
Spent cost_of(const Episode& episode, std::chrono::steady_clock::duration active) {
  Spent spent;
  spent.seconds = std::chrono::duration<double>(active).count();
  for (const auto& step : episode.steps) {
    spent.gpu_seconds += device_seconds(step.verdict, episode.provider);
  }
  spent.evaluations = std::max<std::int64_t>(std::ssize(episode.steps) - 1, 0);
  spent.tokens = episode.spending.tokens();
  spent.micro_usd = episode.spending.micro_usd;
  return spent;
}

}  // namespace

Result<Writers> make_writers(const JobRequest& request) {
  return make_writers_with(builtin::SkillLibrary::shipped(), request);
}

Result<Writers> make_writers_with(const builtin::SkillLibrary& library, const JobRequest& request) {
  Writers writers;
  if (request.proposer == kBuiltinProposer) {
    writers.proposer =
        std::make_unique<builtin::BuiltinProposer>(builtin::techniques_with(library));
    return writers;
  }
  if (request.proposer == kReplayProposer) {
    WARPMIND_TRY(ReplayProposer replay, ReplayProposer::open(request.replay_file, request.task));
    writers.proposer = std::make_unique<ReplayProposer>(std::move(replay));
    return writers;
  }
  return fail(Errc::invalid_argument, "no proposer named '" + request.proposer +
                                          "'; known: builtin, llm, external, replay");
}

EpisodeService::EpisodeService(knowledge_base::KnowledgeStore& store,
                               const config::DeviceTable& devices, LabSource labs,
                               const Clock& clock, MemoryUse memory, WriterSource writers)
    : store_(store),
      devices_(devices),
      labs_(std::move(labs)),
      clock_(clock),
      memory_(memory),
      writers_(std::move(writers)) {}

/// One run of a job: what earlier starts left, and the time of this one.
struct EpisodeService::Start {
  const Job& job;
  std::chrono::steady_clock::time_point from;
  std::chrono::steady_clock::duration rested{};
  std::optional<Draft> draft = {};  ///< of an earlier start
  bool is_taken_up = false;
  std::optional<Error> refused = {};  ///< a draft, because the lease is lost
  std::size_t logged = 0;             ///< steps that the log has
  std::optional<Spent> kept = {};     ///< cost of the newest draft that the store has

  /// Those that are new.
  void log_steps(const Episode& episode) {
    for (; logged < episode.steps.size(); ++logged) {
      log_step(job.id, episode, episode.steps[logged]);
    }
  }
  /// Cost of the episode so far, with that of the starts that it goes on from.
  [[nodiscard]] Spent cost(const Episode& episode, const Clock& clock) const {
    Spent spent = cost_of(episode, clock.monotonic() - from - rested);
    if (is_taken_up) spent.seconds += draft->cost.seconds;
    return spent;
  }
  /// The same without an episode: of what was kept of it, and the time.
  [[nodiscard]] Spent cost_without_result(const Clock& clock) const {
    Spent spent = kept ? *kept : is_taken_up ? draft->cost : Spent{};
    spent.seconds = cost({}, clock).seconds;
    return spent;
  }
  [[nodiscard]] bool has_steps() const { return kept || is_taken_up; }
  /// What the job has cost when the episode has cost `cost`.
  [[nodiscard]] Spent job_spent(const Spent& cost) const {
    Spent spent = job.spent;
    if (is_taken_up) spent -= draft->cost;
    spent += cost;
    return spent;
  }
};

/// The draft of an earlier start, if there is one that can be read.
Result<std::optional<Draft>> EpisodeService::earlier_draft(const Job& job) const {
  if (job.attempts <= 1 && job.history.size() <= 1) return std::optional<Draft>();
  auto draft = store_.find_draft(start_episode(job, job.request.provider, {}).id);
  if (draft || draft.error().code != Errc::corrupt_data) return draft;
  log::warn("agents", "a draft cannot be read; the episode starts from the beginning",
            {{"job", job.id}, {"why", draft.error().message}});
  return std::optional<Draft>();
}

Result<Episode> EpisodeService::run_episode(Start& start, RunControl control) {
  const Job& job = start.job;
  WARPMIND_TRY(const std::shared_ptr<profilers::KernelLab> lab, labs_(job.request));
  WARPMIND_TRY(start.draft, earlier_draft(job));
  JobRequest request = job.request;
  if (start.draft) {
    const auto obstacle = obstacle_to_resume(*start.draft, job, *lab);
    start.is_taken_up = obstacle.empty();
    take_up(start, control, obstacle);
    // Whoever writes counts for itself, from now on.
    const auto rest = [](std::int64_t limit, std::int64_t used) {
      return limit > 0 ? std::max<std::int64_t>(limit - used, 1) : limit;
    };
    request.budget.tokens = rest(request.budget.tokens, start.draft->cost.tokens);
    request.budget.micro_usd = rest(request.budget.micro_usd, start.draft->cost.micro_usd);
  }
  control.keep = [this, &start](Draft draft) { return keep(start, std::move(draft)); };
  WARPMIND_TRY(const Writers writers, writers_(request));
  EpisodeLoop loop(
      {*lab, store_, *writers.proposer, devices_, clock_, memory_, writers.critic.get()});
  return loop.run_episode(job, control);
}

/// Tells the loop to go on from the draft, or charges what it cost when `obstacle` forbids that.
void EpisodeService::take_up(Start& start, RunControl& control, const std::string& obstacle) {
  const Draft& draft = *start.draft;
  const auto steps = static_cast<std::int64_t>(draft.episode.steps.size()) - 1;
  std::string line = "goes on after step " + std::to_string(steps) + " of an earlier start";
  if (start.is_taken_up) {
    start.logged = draft.episode.steps.size();
    control.past = &draft;
    control.before.seconds = draft.cost.seconds;
  } else {
    control.before = draft.cost;
    line = "starts from the beginning: the earlier start cannot be taken up, " + obstacle;
  }
  log::info("agents", "an episode was interrupted",
            {{"job", start.job.id}, {"steps", steps}, {"now", line}});
  if (!control.progress) return;
  control.progress({steps, start.job.request.budget.evaluations, 1, line, steps, {}, {}, true});
}

Result<void> EpisodeService::keep(Start& start, Draft draft) {
  draft.epoch = start.job.epoch;
  draft.cost = start.cost(draft.episode, clock_);
  draft.job_spent = start.job_spent(draft.cost);
  auto saved = store_.save_draft(draft);
  if (saved) {
    start.log_steps(draft.episode);
    start.kept = draft.cost;
    return {};
  }
  if (saved.error().code == Errc::conflict || saved.error().code == Errc::not_found) {
    start.refused = saved.error();
    return saved;
  }
  // The work goes on: what is lost with a crash is the way here, not the episode.
  log::warn("agents", "the episode so far could not be kept",
            {{"job", start.job.id}, {"why", saved.error().message}});
  return {};
}

Result<void> EpisodeService::run_job(Job job, const JobControl& control) {
  log::info("agents", "episode starts",
            {{"job", job.id}, {"task", job.request.task.id}, {"name", job.request.task.name}});
  Start start{job, clock_.monotonic()};
  RunControl watched{control};
  if (control.between_steps) {
    watched.between_steps = [&] {
      const auto from = clock_.monotonic();
      control.between_steps();
      start.rested += clock_.monotonic() - from;
    };
  }
  auto episode = run_episode(start, watched);
  if (start.refused) return fail(*start.refused);
  const bool stopped = control.stop.stop_requested();
  if (stopped && control.parking && control.parking()) {
    return fail(Errc::cancelled, "parked; it will be run again");
  }
  // With steps that another start can go on from, a machine that fails is no result yet.
  const bool was_lost = !episode && !stopped && episode.error().code == Errc::unavailable;
  if (was_lost && start.has_steps() && control.may_start_again) return fail(episode.error());
  // A machine that lacks something is an outcome, not a failure of ours.
  if (was_lost) {
    episode = blocked_episode(job, episode.error().message, clock_.wall());
  }
  if (!episode) {
    job.state = stopped ? JobState::cancelled : JobState::failed;
    job.error = stopped ? "cancelled before the given kernel was judged" : episode.error().message;
    job.spent = start.job_spent(start.cost_without_result(clock_));
    close_attempt(job, clock_.wall(), job.error);
    log::warn("agents", "episode failed",
              {{"job", job.id}, {"task", job.request.task.id}, {"error", episode.error().message}});
    return store_.update_job(job);
  }
  start.log_steps(*episode);
  job.state = stopped ? JobState::cancelled : JobState::done;
  job.spent = start.job_spent(start.cost(*episode, clock_));
  close_attempt(job, clock_.wall(), episode->summary);
  WARPMIND_TRY(const WriteBackReceipt receipt, store_.commit(*episode, job));
  log::info("agents", "episode written back",
            {{"task", episode->task},
             {"episode", episode->id},
             {"sequence", receipt.sequence},
             {"outcome", name_of(episode->outcome)},
             {"summary", episode->summary}});
  return {};
}

}  // namespace warpmind::agents
