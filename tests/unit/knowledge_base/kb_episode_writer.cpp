// Child of the kill tests: writes episodes as fast as it can and acknowledges each on a descriptor
// of its own, until it is killed.
//   kb_episode_writer DIRECTORY ACK_FD THREADS

#include "knowledge_base/rocksdb_knowledge_store.h"
#include "tests/fakes/sample_episodes.h"
#include "tests/unit/knowledge_base/acknowledgement.h"

#include <cstdio>
#include <cstdlib>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

using namespace warpmind;

void write_episodes(knowledge_base::KnowledgeStore& store, int ack_fd) {
  const Task task = fakes::sample_task("scale");
  while (true) {
    auto job = store.add_job(fakes::sample_request(task), {1});
    if (!job) break;
    const auto number = std::stoll(job->id.str().substr(2));
    job->state = JobState::running;
    if (!store.update_job(*job)) break;
    job->state = JobState::done;
    const auto receipt = store.commit(knowledge_base::episode_for(number, task), *job);
    if (!receipt) break;
    const auto frame = knowledge_base::acknowledge(number, receipt->sequence);
    // Shorter than PIPE_BUF: whole or not at all, also from several threads.
    if (::write(ack_fd, &frame, sizeof frame) != sizeof frame) break;
  }
  std::fprintf(stderr, "kb_episode_writer: a write was refused\n");
  std::_Exit(3);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const SystemClock clock;
  auto store = knowledge_base::RocksDbKnowledgeStore::open(
      {.directory = argv[1], .reserve_bytes = 0, .clock = clock});
  if (!store) {
    std::fprintf(stderr, "kb_episode_writer: %s\n", store.error().message.c_str());
    return 4;
  }
  const auto ack_fd = static_cast<int>(std::strtol(argv[2], nullptr, 10));
  std::vector<std::thread> threads;
  for (long i = std::strtol(argv[3], nullptr, 10); i > 0; --i) {
    threads.emplace_back([&store, ack_fd] { write_episodes(**store, ack_fd); });
  }
  for (auto& thread : threads) thread.join();
  return 0;
}
