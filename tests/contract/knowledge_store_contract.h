#pragma once
/// \file
/// What every KnowledgeStore promises, held against the durable one and the one in memory: the
/// fixture. Tests stand by theme in knowledge_store_*_test.cpp.

#include "base/file.h"
#include "knowledge_base/rocksdb_knowledge_store.h"
#include "tests/fakes/memory_knowledge_store.h"
#include "tests/fakes/sample_episodes.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace warpmind::contract {

using fakes::EpisodeSketch;
using knowledge_base::KnowledgeStore;

/// Gives a store, and the same one again after it was closed where that means something.
class StoreSource {
 public:
  virtual ~StoreSource() = default;
  virtual KnowledgeStore& store() = 0;
  virtual void reopen() = 0;
};

class MemorySource final : public StoreSource {
 public:
  KnowledgeStore& store() override { return store_; }
  void reopen() override {}  // what it holds ends with it: nothing to open again

 private:
  fakes::MemoryKnowledgeStore store_;
};

class RocksDbSource final : public StoreSource {
 public:
  RocksDbSource()
      : scratch_(ScratchDirectory::create(std::filesystem::temp_directory_path(), "kb").value()) {
    reopen();
  }
  KnowledgeStore& store() override { return *store_; }
  void reopen() override {
    store_.reset();
    auto opened = knowledge_base::RocksDbKnowledgeStore::open(
        {.directory = scratch_.path() / "kb", .reserve_bytes = 0, .clock = clock_});
    if (!opened) throw std::runtime_error(opened.error().message);
    store_ = std::move(*opened);
  }

 private:
  ScratchDirectory scratch_;
  SystemClock clock_;
  std::unique_ptr<KnowledgeStore> store_;
};

struct Kind {
  std::string name;
  std::function<std::unique_ptr<StoreSource>()> make;
};

inline std::ostream& operator<<(std::ostream& out, const Kind& kind) { return out << kind.name; }

class KnowledgeStoreContract : public testing::TestWithParam<Kind> {
 protected:
  KnowledgeStore& store() { return source_->store(); }
  void reopen() { source_->reopen(); }

  Job add_job(const Task& task) {
    return store().add_job(fakes::sample_request(task), {1'700'000'000'000}).value();
  }
  /// One that runs under the lease `epoch`.
  Job running_job(const Task& task, std::int64_t epoch) {
    Job job = add_job(task);
    job.state = JobState::running;
    job.epoch = epoch;
    EXPECT_TRUE(store().update_job(job).has_value());
    return job;
  }
  Result<WriteBackReceipt> commit(const Episode& episode, Job job) {
    job.state = JobState::done;
    return store().commit(episode, job);
  }
  /// Adds a job for `task` and ends it with `sketch`'s episode.
  WriteBackReceipt learn(const Task& task, const EpisodeSketch& sketch) {
    return commit(sketch.finish(), add_job(task)).value();
  }
  /// One block size for 1.8x and another for 0.5x, in one episode.
  void learn_sweep(std::int64_t number, const Task& task) {
    Episode episode = EpisodeSketch(number, task)
                          .step({.ratio = 1.8})
                          .step({.outcome = Outcome::regressed, .ratio = 0.5})
                          .finish();
    episode.steps[1].candidate.parameters = "block=32x1x1";
    episode.steps[2].candidate.parameters = "block=512x1x1";
    ASSERT_TRUE(commit(episode, add_job(task)).has_value());
  }
  std::vector<MoveAdvice> recall_moves(
      const Task& task, const DeviceIdentity& device,
      std::vector<std::pair<std::string, std::string>> moves,
      BottleneckClass bottleneck = BottleneckClass::low_occupancy) {
    const std::vector<std::string> techniques;
    knowledge_base::RecallQuery query{task, bottleneck, device, Provider::gpu, techniques};
    query.moves = std::move(moves);
    return store().recall(query).value().moves;
  }
  Advice recall(const Task& task, const DeviceIdentity& device,
                const std::vector<std::string>& techniques, Provider provider = Provider::gpu) {
    return store()
        .recall({task, BottleneckClass::low_occupancy, device, provider, techniques})
        .value();
  }

 private:
  std::unique_ptr<StoreSource> source_ = GetParam().make();
};

/// Values for INSTANTIATE_TEST_SUITE_P.
inline auto each_store() {
  return testing::Values(Kind{"Memory", [] { return std::make_unique<MemorySource>(); }},
                         Kind{"RocksDb", [] { return std::make_unique<RocksDbSource>(); }});
}
inline std::string kind_name(const testing::TestParamInfo<Kind>& kind) { return kind.param.name; }

}  // namespace warpmind::contract
