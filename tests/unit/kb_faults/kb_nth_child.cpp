// Does one thing to a base while the n-th operation on the disk fails, then again on a sound disk.
//   kb_nth_child put|commit|open|migrate|backup|copy DIR BACKUPS N eio|enospc|short once|persistent
// Exit status: 0 the fault was never reached; 10 refused with a sentence, and done afterwards;
// 11 done in spite of it; anything else is wrong.

#include "knowledge_base/maintenance/backups.h"
#include "knowledge_base/open_base.h"
#include "knowledge_base/rocksdb_knowledge_store.h"
#include "tests/fakes/faults.h"
#include "tests/fakes/sample_episodes.h"
#include "tests/unit/kb_faults/failing_file_system.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <rocksdb/env.h>

namespace {

using namespace warpmind;
using namespace warpmind::knowledge_base;

Result<void> put(KnowledgeStore& store) {
  const auto added = store.add_job(fakes::sample_request(fakes::sample_task("scale")), {1});
  if (!added) return fail(added.error());
  if (!store.find_job(added->id).value())
    return fail(Errc::corrupt_data, "acknowledged and absent");
  return {};
}

Result<void> commit(KnowledgeStore& store, Job job) {
  const auto number = std::stoll(job.id.str().substr(2));
  const Episode episode = fakes::sample_episode(number, fakes::sample_task("scale"), 2);
  job.state = JobState::done;
  const auto committed = store.commit(episode, job);
  // A commit that failed may have reached the disk all the same: then it is there, whole.
  if (!committed && committed.error().code != Errc::conflict) return fail(committed.error());
  if (store.find_episode(episode.id).value() != episode) {
    return fail(Errc::corrupt_data, "acknowledged and absent");
  }
  return {};
}

struct Orders {
  std::string mode;
  StoreLocation location;
  std::string backups;
};

Result<void> open_once(const Orders& orders, std::unique_ptr<OpenBase>& base) {
  WARPMIND_TRY(base, OpenBase::open(orders.location));
  // A base that could not be opened for writing says so.
  return base->read([](const Database&, const std::string& note) -> Result<void> {
    if (!note.empty()) return fail(Errc::unavailable, note);
    return {};
  });
}

/// The thing itself.
Result<void> act(const Orders& orders, std::unique_ptr<OpenBase>& base, const Job& job) {
  if (orders.mode == "open" || orders.mode == "migrate") {
    base.reset();
    return open_once(orders, base);
  }
  RocksDbKnowledgeStore store(*base);
  if (orders.mode == "put") return put(store);
  if (orders.mode == "commit") return commit(store, job);
  if (orders.mode == "backup") {
    const auto made = create_backup(*base, orders.backups, 7);
    if (!made) return fail(made.error());
    return {};
  }
  const auto copied = checkpoint_to(*base, orders.backups);
  if (!copied) return fail(copied.error());
  return {};
}

Fault fault_of(const std::string& name) {
  if (name == "enospc") return Fault::no_space;
  return name == "short" ? Fault::short_write : Fault::io_error;
}

int run(const Orders& orders, OperationCounter& counter, int n, bool persistent) {
  std::unique_ptr<OpenBase> base;
  Job job;
  if (orders.mode != "migrate" && orders.mode != "open") {
    if (!open_once(orders, base)) return 4;
    RocksDbKnowledgeStore store(*base);
    if (orders.mode == "commit") {
      job = store.add_job(fakes::sample_request(fakes::sample_task("scale")), {1}).value();
    }
  }
  counter.arm(n, persistent);
  const auto first = act(orders, base, job);
  counter.disarm();
  if (first && !counter.struck()) return 0;
  if (first) return 11;
  if (first.error().message.empty() || first.error().code == Errc::corrupt_data) {
    std::fprintf(stderr, "a bad error: %s\n", first.error().message.c_str());
    return 5;
  }
  const auto second = act(orders, base, job);
  if (second) return 10;
  std::fprintf(stderr, "first: %s\nthen, on a sound disk: %s\n", first.error().message.c_str(),
               second.error().message.c_str());
  return 6;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() != 6) return 2;
  OperationCounter counter;
  const Fault fault = fault_of(words[4]);
  const auto system = std::make_shared<FailingFileSystem>(counter, fault);
  const auto env = rocksdb::NewCompositeEnv(system);
  fakes::on_operation([&counter, fault](const char*) {
    if (!counter.next()) return 0;
    return fault == Fault::no_space ? ENOSPC : EIO;
  });
  const SystemClock clock;
  StoreLocation location{.directory = words[1], .reserve_bytes = 0, .clock = clock};
  location.env = env.get();
  return run({words[0], location, words[2]}, counter, std::atoi(words[3].c_str()),
             words[5] == "persistent");
}
