// Does one thing to a base with the build that has fault points, for tests that let it die there.
//   kb_fault_child open|rebuild|finish DIR        finish: what a start owes after a migration
//   kb_fault_child write DIR EPISODES             acknowledges on descriptor 3
//   kb_fault_child backup|restore_here DIR BACKUPS
//   kb_fault_child restore DIR BACKUPS TARGET
//   kb_fault_child copy DIR TARGET
//   kb_fault_child fill DIR                       large jobs until a write is refused
// FAULT_POINT, FAULT_HIT and FAULT_BUG: tests/fakes/faults.h. Exit status: 0 done, 3 refused,
// 4 the base could not be opened.

#include "knowledge_base/maintenance/backups.h"
#include "knowledge_base/maintenance/old_lessons.h"
#include "knowledge_base/maintenance/rebuild.h"
#include "knowledge_base/maintenance/restore.h"
#include "knowledge_base/open_base.h"
#include "knowledge_base/rocksdb_knowledge_store.h"
#include "tests/fakes/faults.h"
#include "tests/unit/knowledge_base/acknowledgement.h"

#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

using namespace warpmind;
using namespace warpmind::knowledge_base;

constexpr int kAckFd = 3;

template <class T>
Result<void> ignoring(const Result<T>& result) {
  if (!result) return fail(result.error());
  return {};
}

Result<void> write_episodes(OpenBase& base, int episodes) {
  RocksDbKnowledgeStore store(base);
  const Task task = fakes::sample_task("scale");
  for (int i = 0; i < episodes; ++i) {
    WARPMIND_TRY(auto job, store.add_job(fakes::sample_request(task), {1}));
    const auto number = std::stoll(job.id.str().substr(2));
    job.state = JobState::done;
    WARPMIND_TRY(const auto receipt, store.commit(episode_for(number, task), job));
    const auto frame = acknowledge(number, receipt.sequence);
    if (::write(kAckFd, &frame, sizeof frame) != sizeof frame) break;
  }
  return {};
}

Result<void> fill(OpenBase& base) {
  RocksDbKnowledgeStore store(base);
  JobRequest request = fakes::sample_request(fakes::sample_task("scale"));
  std::mt19937_64 random{11};
  while (true) {
    request.task.kernel.source.clear();  // digits of noise: nothing to compress
    while (request.task.kernel.source.size() < 256 * 1024) {
      request.task.kernel.source += std::to_string(random());
    }
    WARPMIND_TRY(const auto job, store.add_job(request, {1}));
    const auto frame = acknowledge(std::stoll(job.id.str().substr(2)), 0);
    if (::write(kAckFd, &frame, sizeof frame) != sizeof frame) return {};
  }
}

Result<void> act(OpenBase& base, const std::vector<std::string>& words) {
  const std::string& mode = words.at(0);
  if (mode == "open") return {};
  if (mode == "finish") {
    WARPMIND_CHECK(teach_old_episodes(base));
    return ignoring(rebuild_projections(base));
  }
  if (mode == "rebuild") return ignoring(rebuild_projections(base));
  if (mode == "fill") return fill(base);
  const std::string& first = words.at(2);
  if (mode == "write") return write_episodes(base, std::atoi(first.c_str()));
  if (mode == "backup") return ignoring(create_backup(base, first, 7));
  if (mode == "restore_here") return ignoring(restore_over(base, first, 0));
  if (mode == "restore") {
    return ignoring(restore_backup(base.location(), first, 0, words.at(3)));
  }
  if (mode == "copy") return ignoring(checkpoint_to(base, first));
  return fail(Errc::invalid_argument, "no such mode: " + mode);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() < 2) return 2;
  fakes::arm_from_environment();
  const SystemClock clock;
  auto base = OpenBase::open({.directory = words.at(1), .reserve_bytes = 0, .clock = clock});
  if (!base) {
    std::fprintf(stderr, "kb_fault_child: %s\n", base.error().message.c_str());
    return 4;
  }
  const auto done = act(**base, words);
  if (done) return 0;
  std::fprintf(stderr, "kb_fault_child: %s\n", done.error().message.c_str());
  return 3;
}
