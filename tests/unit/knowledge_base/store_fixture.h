#pragma once
/// \file
/// A base in a fresh folder, for tests that look behind the interface.

#include "base/file.h"
#include "knowledge_base/open_base.h"
#include "knowledge_base/rocksdb_knowledge_store.h"
#include "tests/fakes/sample_episodes.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace warpmind::knowledge_base {

class StoreFixture : public testing::Test {
 protected:
  StoreFixture()
      : scratch_(ScratchDirectory::create(std::filesystem::temp_directory_path(), "kb").value()) {}

  [[nodiscard]] std::filesystem::path directory() const { return scratch_.path() / "kb"; }
  [[nodiscard]] std::filesystem::path scratch() const { return scratch_.path(); }
  /// Without a reserve: the space of the machine that runs the test decides nothing.
  [[nodiscard]] StoreLocation location() const {
    return {.directory = directory(), .reserve_bytes = 0, .clock = clock_};
  }

  Result<std::unique_ptr<KnowledgeStore>> try_open() {
    return RocksDbKnowledgeStore::open(location());
  }
  std::unique_ptr<KnowledgeStore> open() { return try_open().value(); }

  /// Adds a job and ends it with an episode of `steps` steps; returns the episode.
  static Result<Episode> learn(KnowledgeStore& store, int steps = 2) {
    const Task task = fakes::sample_task("scale");
    WARPMIND_TRY(auto job, store.add_job(fakes::sample_request(task), {1}));
    const auto number = std::stoll(job.id.str().substr(2));
    Episode episode = fakes::sample_episode(number, task, steps);
    job.state = JobState::done;
    WARPMIND_TRY(const auto receipt, store.commit(episode, job));
    static_cast<void>(receipt);
    return episode;
  }

 private:
  ScratchDirectory scratch_;
  SystemClock clock_;
};

}  // namespace warpmind::knowledge_base
