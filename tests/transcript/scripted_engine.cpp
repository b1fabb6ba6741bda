#include "tests/transcript/scripted_engine.h"

#include "knowledge_base/knowledge_store.h"

#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <unistd.h>

namespace warpmind::tests {
namespace {

class ScriptedEngine final : public daemon::JobEngine, public daemon::JobRunner {
 public:
  ScriptedEngine(knowledge_base::KnowledgeStore& store, const Clock& clock)
      : store_(store), clock_(clock) {}

  daemon::JobRunner& runner() override { return *this; }
  daemon::DeviceView device() override {
    // As a driver that never answers.
    while (std::getenv("SCRIPTED_STUCK_DEVICE") != nullptr) ::pause();
    return {"fixture", "scripted", "no lab in this program"};
  }

  Result<void> run_job(Job job, const JobControl& control) override {
    const std::int64_t steps = job.request.budget.evaluations;
    control.progress({1, steps, 1.25, "judging"});
    if (job.request.budget.seconds == 13) (void)::kill(::getpid(), SIGKILL);
    if (job.request.budget.seconds == 14) return fail(Errc::external_failure, "scripted failure");
    if (steps == 0) {
      wait_for_stop(control.stop);
      if (control.parking()) return fail(Errc::cancelled, "parked");
      job.state = JobState::cancelled;
      return store_.update_job(job);
    }
    for (std::int64_t step = 2; step <= steps; ++step) {
      control.progress({step, steps, 1.25, "judging"});
    }
    job.state = JobState::done;
    WARPMIND_TRY(const auto receipt, store_.commit(scripted_episode(job, clock_.wall()), job));
    return {};
  }

 private:
  static void wait_for_stop(const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any stopped;
    std::unique_lock lock(mutex);
    stopped.wait(lock, stop, [] { return false; });
  }

  knowledge_base::KnowledgeStore& store_;
  const Clock& clock_;
};

}  // namespace

Episode scripted_episode(const Job& job, UnixMillis now) {
  Episode episode;
  episode.id = EpisodeId("e-" + job.id.str().substr(2));
  episode.task = job.request.task.id;
  episode.task_name = job.request.task.name;
  episode.operator_family = job.request.task.operator_family;
  episode.provider = job.request.provider;
  episode.started = now;
  episode.finished = now;
  Step baseline;
  baseline.candidate.kernel = job.request.task.kernel;
  baseline.candidate.proposer = "builtin";
  baseline.verdict.outcome = Outcome::same;
  baseline.verdict.reason = "scripted";
  episode.steps.push_back(baseline);
  episode.outcome = Outcome::same;
  episode.summary = "scripted: nothing better was looked for";
  return episode;
}

Result<std::unique_ptr<daemon::JobEngine>> make_scripted_engine(
    knowledge_base::KnowledgeBase& base, const config::Settings& /*settings*/, const Clock& clock) {
  return std::unique_ptr<daemon::JobEngine>(std::make_unique<ScriptedEngine>(base.store(), clock));
}

}  // namespace warpmind::tests
