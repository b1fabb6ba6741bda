// Child of the kill tests: writes episodes as fast as it can and acknowledges each on descriptor 3,
// until it is killed. Meanwhile other threads ask for advice, and copy the base.
//   kb_episode_writer DIRECTORY THREADS

#include "knowledge_base/base_copy.h"
#include "knowledge_base/open_base.h"
#include "knowledge_base/rocksdb_knowledge_store.h"
#include "tests/fakes/sample_episodes.h"
#include "tests/unit/knowledge_base/acknowledgement.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

using namespace warpmind;
using namespace warpmind::knowledge_base;

constexpr int kAckFd = 3;

void write_episodes(KnowledgeStore& store) {
  const Task task = fakes::sample_task("scale");
  while (true) {
    auto job = store.add_job(fakes::sample_request(task), {1});
    if (!job) break;
    const auto number = std::stoll(job->id.str().substr(2));
    job->state = JobState::running;
    if (!store.update_job(*job)) break;
    job->state = JobState::done;
    const auto receipt = store.commit(episode_for(number, task), *job);
    if (!receipt) break;
    const auto frame = acknowledge(number, receipt->sequence);
    // Shorter than PIPE_BUF: whole or not at all, also from several threads.
    if (::write(kAckFd, &frame, sizeof frame) != sizeof frame) break;
  }
  std::fprintf(stderr, "kb_episode_writer: a write was refused\n");
  std::_Exit(3);
}

/// Every job that it sees has ended with a whole episode or has none.
void read_along(const KnowledgeStore& store) {
  const Task task = fakes::sample_task("scale");
  const std::vector<std::string> techniques{"block_size", "unroll"};
  while (true) {
    const auto advice = store.recall(
        {task, BottleneckClass::low_occupancy, fakes::h200(), Provider::gpu, techniques});
    const auto jobs = store.recent_jobs(8);
    bool sound = advice && jobs;
    for (std::size_t i = 0; sound && i < jobs->size(); ++i) {
      sound = jobs->at(i).episode.has_value() == (jobs->at(i).state == JobState::done);
    }
    if (sound) continue;
    std::fprintf(stderr, "kb_episode_writer: a reader saw half a change\n");
    std::_Exit(5);
  }
}

void copy_again_and_again(const OpenBase& base) {
  auto target = base.location().directory;
  target += ".copy";
  while (true) {
    const auto copied = base.read([&](const Database& database, const std::string&) {
      return copy_base(database, base.location(), target);
    });
    if (!copied && copied.error().code != Errc::conflict) std::_Exit(6);
    if (!remove_tree(target)) std::_Exit(6);
    ::usleep(20'000);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const SystemClock clock;
  auto base = OpenBase::open({.directory = argv[1], .reserve_bytes = 0, .clock = clock});
  if (!base) {
    std::fprintf(stderr, "kb_episode_writer: %s\n", base.error().message.c_str());
    return 4;
  }
  RocksDbKnowledgeStore store(**base);
  std::vector<std::thread> threads;
  for (long i = std::strtol(argv[2], nullptr, 10); i > 0; --i) {
    threads.emplace_back([&store] { write_episodes(store); });
  }
  threads.emplace_back([&store] { read_along(store); });
  threads.emplace_back([&base] { copy_again_and_again(**base); });
  for (auto& thread : threads) thread.join();
  return 0;
}
