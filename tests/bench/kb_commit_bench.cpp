// How many episodes a second the base acknowledges, and how long one takes.
//   kb_commit_bench [DIRECTORY] [EPISODES_PER_WRITER]
// One commit = one synced batch and one watermark for a 6-step episode with all that it teaches
// (posteriors, edges, insights, search documents); adding its job before is not timed. The folder
// decides the figures: give one on the disk that the base will live on.

#include "base/file.h"
#include "knowledge_base/rocksdb_knowledge_store.h"
#include "tests/fakes/sample_episodes.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>
#include <vector>

namespace {

using namespace warpmind;
using Milliseconds = std::chrono::duration<double, std::milli>;

constexpr int kSteps = 5;
constexpr int kRounds = 5;

struct Round {
  double episodes_per_s = 0;
  std::vector<double> latencies_ms;
};

struct Prepared {
  Job job;
  Episode episode;
};

[[noreturn]] void give_up(const Error& error) {
  std::fprintf(stderr, "kb_commit_bench: %s\n", error.message.c_str());
  std::exit(1);
}

std::vector<Prepared> prepare(knowledge_base::KnowledgeStore& store, const Task& task, int count) {
  std::vector<Prepared> prepared;
  for (int i = 0; i < count; ++i) {
    auto job = store.add_job(fakes::sample_request(task), {1});
    if (!job) give_up(job.error());
    job->state = JobState::done;
    const auto number = std::strtoll(job->id.str().c_str() + 2, nullptr, 10);
    prepared.push_back({std::move(*job), fakes::sample_episode(number, task, kSteps)});
  }
  return prepared;
}

std::vector<double> commit_all(knowledge_base::KnowledgeStore& store,
                               const std::vector<Prepared>& prepared) {
  std::vector<double> latencies;
  latencies.reserve(prepared.size());
  for (const auto& [job, episode] : prepared) {
    const auto start = std::chrono::steady_clock::now();
    const auto receipt = store.commit(episode, job);
    if (!receipt) give_up(receipt.error());
    latencies.push_back(Milliseconds(std::chrono::steady_clock::now() - start).count());
  }
  return latencies;
}

Round run_round(knowledge_base::KnowledgeStore& store, const Task& task, int writers, int each) {
  std::vector<std::vector<Prepared>> work;
  work.reserve(static_cast<std::size_t>(writers));
  for (int i = 0; i < writers; ++i) work.push_back(prepare(store, task, each));
  std::vector<std::vector<double>> latencies(work.size());
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < work.size(); ++i) {
    threads.emplace_back(
        [&store, &work, &latencies, i] { latencies[i] = commit_all(store, work[i]); });
  }
  for (auto& thread : threads) thread.join();
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  Round round;
  round.episodes_per_s = writers * each / wall.count();
  for (const auto& part : latencies) {
    round.latencies_ms.insert(round.latencies_ms.end(), part.begin(), part.end());
  }
  return round;
}

double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
}

/// Median rate over the rounds; prints it with its spread and the latencies of all rounds.
Round measure(knowledge_base::KnowledgeStore& store, const Task& task, int writers, int each) {
  std::vector<double> rates;
  Round all;
  for (int i = 0; i < kRounds; ++i) {
    auto round = run_round(store, task, writers, each);
    rates.push_back(round.episodes_per_s);
    all.latencies_ms.insert(all.latencies_ms.end(), round.latencies_ms.begin(),
                            round.latencies_ms.end());
  }
  all.episodes_per_s = quantile(rates, 0.5);
  std::printf(
      "%d writer%s: %.0f durable episodes/s (median of %d rounds, %.0f to %.0f), "
      "commit p50 %.2f ms, p99 %.2f ms (%zu commits)\n",
      writers, writers == 1 ? "" : "s", all.episodes_per_s, kRounds, quantile(rates, 0),
      quantile(rates, 1), quantile(all.latencies_ms, 0.5), quantile(all.latencies_ms, 0.99),
      all.latencies_ms.size());
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  const std::filesystem::path parent =
      argc > 1 ? std::filesystem::path(argv[1]) : std::filesystem::temp_directory_path();
  const int each = argc > 2 ? std::max(1, std::atoi(argv[2])) : 100;
  const auto scratch = ScratchDirectory::create(parent, "kb-bench");
  if (!scratch) give_up(scratch.error());
  const SystemClock clock;
  const auto store = knowledge_base::RocksDbKnowledgeStore::open(
      {.directory = scratch->path() / "kb", .clock = clock});
  if (!store) give_up(store.error());
  const Task task = fakes::sample_task("scale");
  const Round one = measure(**store, task, 1, each);
  const Round four = measure(**store, task, 4, std::max(1, each / 2));
  const Round sixteen = measure(**store, task, 16, std::max(1, each / 4));
  std::printf(
      "RESULT episodes_per_s_1=%.0f episodes_per_s_4=%.0f episodes_per_s_16=%.0f p50_ms=%.3f "
      "p99_ms=%.3f p50_ms_16=%.3f p99_ms_16=%.3f\n",
      one.episodes_per_s, four.episodes_per_s, sixteen.episodes_per_s,
      quantile(one.latencies_ms, 0.5), quantile(one.latencies_ms, 0.99),
      quantile(sixteen.latencies_ms, 0.5), quantile(sixteen.latencies_ms, 0.99));
  return 0;
}
