#include "agents/episode_service.h"

#include "agents/builtin/builtin_proposer.h"
#include "agents/episode_budget.h"
#include "agents/episode_runner.h"
#include "agents/episode_text.h"
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

void log_step(const Episode& episode, const Step& step) {
  log::info("agents", "step",
            {{"task", episode.task},
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
  Writers writers;
  if (request.proposer == kBuiltinProposer) {
    writers.proposer = std::make_unique<builtin::BuiltinProposer>();
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

Result<Episode> EpisodeService::run_episode(const Job& job, const RunControl& control) {
  WARPMIND_TRY(const std::shared_ptr<profilers::KernelLab> lab, labs_(job.request));
  WARPMIND_TRY(const Writers writers, writers_(job.request));
  EpisodeRunner runner(
      {*lab, store_, *writers.proposer, devices_, clock_, memory_, writers.critic.get()});
  return runner.run(job, control);
}

Result<void> EpisodeService::run(Job job, const RunControl& control) {
  log::info("agents", "episode starts",
            {{"job", job.id}, {"task", job.request.task.id}, {"name", job.request.task.name}});
  const auto started = clock_.monotonic();
  std::chrono::steady_clock::duration rested{};
  RunControl watched = control;
  if (control.between_steps) {
    watched.between_steps = [&] {
      const auto from = clock_.monotonic();
      control.between_steps();
      rested += clock_.monotonic() - from;
    };
  }
  auto episode = run_episode(job, watched);
  const auto active = clock_.monotonic() - started - rested;
  const bool stopped = control.stop.stop_requested();
  if (stopped && control.parking && control.parking()) {
    return fail(Errc::cancelled, "parked; it will be run again");
  }
  // A machine that lacks something is an outcome, not a failure of ours.
  if (!episode && !stopped && episode.error().code == Errc::unavailable) {
    episode = blocked_episode(job, episode.error().message, clock_.wall());
  }
  if (!episode) {
    job.state = stopped ? JobState::cancelled : JobState::failed;
    job.error = stopped ? "cancelled before the given kernel was judged" : episode.error().message;
    job.spent += cost_of({}, active);
    close_attempt(job, clock_.wall(), job.error);
    log::warn("agents", "episode failed",
              {{"job", job.id}, {"task", job.request.task.id}, {"error", episode.error().message}});
    return store_.update_job(job);
  }
  for (const auto& step : episode->steps) log_step(*episode, step);
  job.state = stopped ? JobState::cancelled : JobState::done;
  job.spent += cost_of(*episode, active);
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
