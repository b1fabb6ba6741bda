// What the queue costs: how long a durable submission takes, how long the choice among all that
// wait takes, and how long the lane stands still between two jobs (result settled, next job chosen
// and marked, all durable).
//   queue_bench [DIRECTORY] [JOBS]
// The folder decides the figures: give one on the disk that the base will live on.

#include "base/file.h"
#include "daemon/scheduler/scheduler.h"
#include "knowledge_base/knowledge_base.h"
#include "tests/transcript/scripted_engine.h"

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

namespace {

using namespace warpmind;
using namespace warpmind::daemon;
using BenchClock = std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;

constexpr std::size_t kTurns = 300;  // jobs that are run while the others wait
constexpr int kWriters = 16;

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  const auto place = static_cast<std::size_t>(share * static_cast<double>(values.size() - 1));
  return values[place];
}

/// Holds the first job until it is told to go; then each ends at once with a result.
class BenchRunner final : public JobRunner {
 public:
  BenchRunner(knowledge_base::KnowledgeStore& store, const Clock& clock)
      : store_(store), clock_(clock) {}

  Result<void> run_job(Job job, const JobControl& control) override {
    {
      std::unique_lock lock(mutex_);
      if (ended_ != BenchClock::time_point()) {
        gaps_ms_.push_back(Milliseconds(BenchClock::now() - ended_).count());
        changed_.notify_all();
      }
      changed_.wait(lock, control.stop, [this] { return left_ > 0; });
      if (control.stop.stop_requested()) return fail(Errc::cancelled, "parked");
      --left_;
    }
    job.state = JobState::done;
    WARPMIND_TRY(const auto receipt,
                 store_.commit(tests::scripted_episode(job, clock_.wall()), job));
    const std::scoped_lock lock(mutex_);
    ended_ = BenchClock::now();
    changed_.notify_all();
    return {};
  }
  std::vector<double> go(std::size_t jobs) {
    std::unique_lock lock(mutex_);
    left_ = jobs;
    changed_.notify_all();
    changed_.wait(lock, [&] { return left_ == 0 && gaps_ms_.size() >= jobs; });
    return gaps_ms_;
  }

 private:
  knowledge_base::KnowledgeStore& store_;
  const Clock& clock_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::size_t left_ = 0;
  BenchClock::time_point ended_;
  std::vector<double> gaps_ms_;
};

JobRequest request_of(int number) {
  JobRequest request;
  request.task.name = "task" + std::to_string(number % 40);
  request.task.id = TaskId("t-0123456789abcdef");
  request.task.kernel.source = std::string(4000, 'k');
  request.terms.background = true;
  request.terms.user = "user" + std::to_string(number % 5);
  request.terms.priority = number % 3;
  return request;
}

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "queue_bench: %s\n", why.c_str());
  std::exit(1);
}

std::vector<double> submit_all(Scheduler& scheduler, int jobs) {
  std::vector<double> latencies;
  std::mutex mutex;
  std::vector<std::thread> writers;
  for (int writer = 0; writer < kWriters; ++writer) {
    writers.emplace_back([&, writer] {
      for (int i = writer; i < jobs; i += kWriters) {
        const JobRequest request = request_of(i);
        const auto from = BenchClock::now();
        if (!scheduler.submit(request)) give_up("a submission was refused");
        const double took = Milliseconds(BenchClock::now() - from).count();
        const std::scoped_lock lock(mutex);
        latencies.push_back(took);
      }
    });
  }
  for (auto& writer : writers) writer.join();
  return latencies;
}

std::vector<double> claim_all(int jobs) {
  NightQueue queue;
  for (int i = 0; i < jobs; ++i) {
    WaitingJob job;
    const std::string digits = std::to_string(i + 1);
    job.id = JobId("j-" + std::string(10 - digits.size(), '0') + digits);
    job.terms = request_of(i).terms;
    queue.put(std::move(job));
  }
  const SystemClock clock;
  const Moment now = moment_at(clock.monotonic(), clock.wall());
  std::vector<double> latencies;
  for (std::size_t i = 0; i < kTurns; ++i) {
    const auto from = BenchClock::now();
    const auto lease = queue.claim(now);
    latencies.push_back(Milliseconds(BenchClock::now() - from).count());
    if (!lease) give_up("nothing to claim");
    Spent cost;
    cost.seconds = 1;
    if (!queue.settle(lease->id, lease->epoch, cost)) give_up("a lease was lost");
  }
  return latencies;
}

/// Jobs of 50 ms on a GPU's lane and the simulator's: the share of the time in which they work.
class PacedRunner final : public JobRunner {
 public:
  PacedRunner(knowledge_base::KnowledgeStore& store, const Clock& clock)
      : store_(store), clock_(clock) {}
  Result<void> run_job(Job job, const JobControl& /*control*/) override {
    constexpr std::chrono::milliseconds kWork{50};
    std::this_thread::sleep_for(kWork);
    job.state = JobState::done;
    WARPMIND_TRY(const auto receipt,
                 store_.commit(tests::scripted_episode(job, clock_.wall()), job));
    return {};
  }

 private:
  knowledge_base::KnowledgeStore& store_;
  const Clock& clock_;
};

double busy_share(const Clock& clock) {
  constexpr int kJobs = 80;
  auto home = ScratchDirectory::create(std::filesystem::temp_directory_path(), "queue_bench");
  if (!home) give_up(home.error().message);
  auto fresh = knowledge_base::KnowledgeBase::open(
      {.directory = home->path() / "base", .reserve_bytes = 0, .clock = clock});
  if (!fresh) give_up(fresh.error().message);
  PacedRunner runner((*fresh)->store(), clock);
  Scheduler scheduler(
      {(*fresh)->store(),
       (*fresh)->queue(),
       runner,
       clock,
       {{"gpu 0", "GPU-0", "", {true, false, false}}, {"sim", "", "", {false, true, true}}}},
      [](const JobEvent&) {});
  for (int i = 0; i < kJobs; ++i) {
    auto request = request_of(i);
    request.provider = i % 2 == 0 ? Provider::gpu : Provider::sim;
    if (!(*fresh)->store().add_job(request, clock.wall())) give_up("a job was refused");
  }
  if (!scheduler.start()) give_up("the scheduler did not start");
  double share = 0;
  while (scheduler.summary().queued > 0) {
    share = 0;
    for (const auto& lane : scheduler.lanes()) share += lane.busy / 2;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return share;
}

}  // namespace

int main(int argc, char** argv) {
  auto home = ScratchDirectory::create(
      argc > 1 ? argv[1] : std::filesystem::temp_directory_path().string(), "queue_bench");
  if (!home) give_up(home.error().message);
  const int jobs = argc > 2 ? std::atoi(argv[2]) : 10'000;
  if (jobs < static_cast<int>(2 * kTurns)) give_up("JOBS must be at least 600");
  const SystemClock clock;
  auto base = knowledge_base::KnowledgeBase::open(
      {.directory = home->path() / "base", .reserve_bytes = 0, .clock = clock});
  if (!base) give_up(base.error().message);
  BenchRunner runner((*base)->store(), clock);
  Scheduler scheduler({(*base)->store(), (*base)->queue(), runner, clock}, [](const JobEvent&) {});
  if (!scheduler.start()) give_up("the scheduler did not start");

  const auto alone = [&] {
    std::vector<double> latencies;
    for (std::size_t i = 0; i < kTurns; ++i) {
      const auto from = BenchClock::now();
      if (!scheduler.submit(request_of(static_cast<int>(i)))) give_up("a submission was refused");
      latencies.push_back(Milliseconds(BenchClock::now() - from).count());
    }
    return latencies;
  }();
  const auto from = BenchClock::now();
  const auto many = submit_all(scheduler, jobs - static_cast<int>(kTurns));
  const double all_s = std::chrono::duration<double>(BenchClock::now() - from).count();
  const auto claims = claim_all(jobs);
  const auto gaps = runner.go(kTurns);
  const double busy = busy_share(clock);
  std::printf(
      "RESULT queue_bench jobs=%d submit_p50_ms=%.3f submit_p99_ms=%.3f "
      "submit16_p99_ms=%.3f submit16_total_s=%.2f claim_p50_ms=%.3f claim_p99_ms=%.3f "
      "job_to_job_p50_ms=%.3f job_to_job_p99_ms=%.3f lanes=2 lanes_busy_share=%.3f\n",
      jobs, quantile(alone, 0.5), quantile(alone, 0.99), quantile(many, 0.99), all_s,
      quantile(claims, 0.5), quantile(claims, 0.99), quantile(gaps, 0.5), quantile(gaps, 0.99),
      busy);
  return 0;
}
