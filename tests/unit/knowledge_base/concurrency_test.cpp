// Many writers at once: no update is lost. Readers meanwhile: each sees whole changes.

#include "tests/unit/knowledge_base/store_fixture.h"

#include <atomic>
#include <set>
#include <thread>

namespace warpmind::knowledge_base {
namespace {

class ConcurrencyTest : public StoreFixture {
 protected:
  Advice advise(const KnowledgeStore& store) {
    const std::vector<std::string> techniques{"block_size"};
    return store
        .recall({task_, BottleneckClass::low_occupancy, fakes::h200(), Provider::gpu, techniques})
        .value();
  }
  /// Every job that can be seen has ended with a whole episode, or has none.
  static bool sees_whole_changes(const KnowledgeStore& store) {
    const auto jobs = store.recent_jobs(32);
    if (!jobs) return false;
    for (const auto& job : *jobs) {
      const bool ended = job.state == JobState::done;
      if (job.episode.has_value() != ended || job.receipt.has_value() != ended) return false;
      if (ended && job.receipt->steps != static_cast<std::int64_t>(job.episode->steps.size())) {
        return false;
      }
    }
    return true;
  }

  const Task task_ = fakes::sample_task("scale");
};

TEST_F(ConcurrencyTest, SixteenWritersLoseNoUpdateAndReadersSeeWholeChanges) {
  constexpr int kWriters = 16;
  constexpr int kReaders = 3;
  constexpr int kEach = 8;
  const auto store = open();
  std::atomic<bool> done = false;
  std::atomic<int> looks = 0;
  std::atomic<bool> torn = false;
  std::vector<std::thread> readers;
  for (int i = 0; i < kReaders; ++i) {
    readers.emplace_back([&] {
      do {
        if (!sees_whole_changes(*store)) torn = true;
        ++looks;
      } while (!done);
    });
  }
  std::vector<std::thread> writers;
  for (int i = 0; i < kWriters; ++i) {
    writers.emplace_back([&] {
      for (int k = 0; k < kEach; ++k) EXPECT_TRUE(learn(*store, 1).has_value());
    });
  }
  for (auto& writer : writers) writer.join();
  done = true;
  for (auto& reader : readers) reader.join();

  EXPECT_FALSE(torn);
  EXPECT_GE(looks, kReaders);
  const auto advice = advise(*store);
  EXPECT_EQ(advice.techniques.at(0).observations, kWriters * kEach);
  EXPECT_EQ(advice.episodes_seen, kWriters * kEach);
  const auto statistics = store->statistics().value();
  EXPECT_EQ(statistics.records.at("episodes"), kWriters * kEach);
  EXPECT_EQ(statistics.last_sequence, 2 * kWriters * kEach) << "a job and an episode each";
  std::set<std::int64_t> sequences;
  const auto jobs = store->recent_jobs(1000).value();
  for (const auto& job : jobs) sequences.insert(job.receipt->sequence);
  EXPECT_EQ(sequences.size(), static_cast<std::size_t>(kWriters * kEach));
}

TEST_F(ConcurrencyTest, ALoneWriterKeepsOthersWaitingAndReadersGoing) {
  const auto base = OpenBase::open(location()).value();
  RocksDbKnowledgeStore store(*base);
  const Episode kept = learn(store).value();
  std::atomic<bool> added = false;
  std::thread other;

  const auto ended = base->alone([&](const SoleWriter& writer) -> Result<void> {
    other = std::thread([&] { added = learn(store).has_value(); });
    EXPECT_EQ(store.find_episode(kept.id).value(), kept) << "readers go on";
    for (int i = 0; i < 3; ++i) {
      WARPMIND_CHECK(writer.write(100, [](ChangeSet& change) -> Result<void> {
        change.describe("test", {});
        return {};
      }));
    }
    EXPECT_FALSE(added);
    return {};
  });

  other.join();
  EXPECT_TRUE(ended.has_value());
  EXPECT_TRUE(added);
  EXPECT_EQ(store.statistics().value().last_sequence, 2 + 3 + 2);
}

}  // namespace
}  // namespace warpmind::knowledge_base
