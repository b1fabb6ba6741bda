// Child of the queue test: runs the unfinished jobs of a base as the daemon does, and dies while it
// does. Threads claim a job (state running, one attempt more), work, and commit its episode; some
// commit twice, some after the job was ended by another. One poison job kills whoever claims it;
// after three attempts it is given up.
//   kb_queue_worker DIRECTORY SEED DEATHS_IN_1000 POISON_JOB

#include "knowledge_base/open_base.h"
#include "knowledge_base/rocksdb_knowledge_store.h"
#include "tests/fakes/sample_episodes.h"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

using namespace warpmind;
using namespace warpmind::knowledge_base;

constexpr int kThreads = 4;
constexpr std::int64_t kMostAttempts = 3;

[[noreturn]] void die() {
  ::kill(::getpid(), SIGKILL);
  std::_Exit(9);
}

std::int64_t number_in(const JobId& id) { return std::stoll(id.str().substr(2)); }

struct Orders {
  std::uint64_t seed = 0;
  std::uint64_t deaths_in_1000 = 0;
  std::int64_t poison = 0;
};

Result<void> run(KnowledgeStore& store, Job job, const Orders& orders, std::mt19937_64& random) {
  const auto may_die = [&] {
    if (random() % 4000 < orders.deaths_in_1000) die();
  };
  const auto number = number_in(job.id);
  if (job.attempts >= kMostAttempts && number == orders.poison) {
    job.state = JobState::failed;
    job.error = "given up after 3 attempts";
    return store.update_job(job);
  }
  const Job before = job;
  job.state = JobState::running;
  ++job.attempts;
  ++job.epoch;
  WARPMIND_CHECK(store.update_job(job));
  may_die();
  if (number == orders.poison) die();
  const Task task = fakes::sample_task("scale");
  const Episode episode = fakes::sample_episode(number, task, 1);
  job.state = JobState::done;
  may_die();
  if (before.epoch > 0 && random() % 4 == 0) {
    // Whoever held it before comes back.
    Job late = before;
    late.state = JobState::done;
    const auto taken = store.commit(episode, late);
    if (taken || taken.error().code != Errc::conflict) {
      return fail(Errc::conflict, "a result of an older lease was taken");
    }
  }
  WARPMIND_TRY(const auto receipt, store.commit(episode, job));
  (void)receipt;
  may_die();
  // Nobody heard of the end: the same again, and a late result of another run.
  if (random() % 8 == 0) {
    const auto again = store.commit(episode, job);
    if (again || again.error().code != Errc::conflict) {
      return fail(Errc::conflict, "the same episode was taken twice");
    }
    const Episode late = fakes::sample_episode(1'000'000 + number, task, 1);
    const auto other = store.commit(late, job);
    if (other || other.error().code != Errc::conflict) {
      return fail(Errc::conflict, "a late result was taken");
    }
  }
  may_die();
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const Orders orders{std::strtoull(argv[2], nullptr, 10), std::strtoull(argv[3], nullptr, 10),
                      std::strtoll(argv[4], nullptr, 10)};
  const SystemClock clock;
  auto base = OpenBase::open({.directory = argv[1], .reserve_bytes = 0, .clock = clock});
  if (!base) {
    std::fprintf(stderr, "kb_queue_worker: %s\n", base.error().message.c_str());
    return 4;
  }
  RocksDbKnowledgeStore store(**base);
  const auto jobs = store.unfinished_jobs();
  if (!jobs) return 4;
  std::atomic<std::size_t> next = 0;
  std::vector<std::thread> threads;
  for (std::uint64_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      std::mt19937_64 random{orders.seed * kThreads + i};
      for (std::size_t at = next++; at < jobs->size(); at = next++) {
        const auto done = run(store, (*jobs)[at], orders, random);
        if (done) continue;
        std::fprintf(stderr, "kb_queue_worker: %s\n", done.error().message.c_str());
        std::_Exit(3);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  return 0;
}
