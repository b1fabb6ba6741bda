// A base that an older build wrote is brought up to date once, whole, and keeps what it knew.

#include "knowledge_base/database.h"
#include "knowledge_base/key_codec.h"
#include "knowledge_base/maintenance/old_lessons.h"
#include "knowledge_base/maintenance/rebuild.h"
#include "knowledge_base/record_codec.h"
#include "knowledge_base/schema_migration.h"
#include "tests/unit/kb_maintenance/maintenance_fixture.h"
#include "tests/unit/kb_maintenance/old_base.h"

#include <atomic>

#include <gmock/gmock.h>

namespace warpmind::knowledge_base {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kOldChanges = 27;
constexpr std::int64_t kOldEpisodes = 8;

class MigrationTest : public MaintenanceFixture {
 protected:
  MigrationTest() { put_old_base(directory()); }

  static std::int64_t schema(const OpenBase& base) {
    return decode_number(rows(base, Family::meta).at(schema_key())).value();
  }
  static StoreState state(const OpenBase& base) {
    return decode_state(rows(base, Family::meta).at(state_key())).value();
  }
  /// What Maintenance::finish_interrupted does.
  static void finish(OpenBase& base) {
    ASSERT_TRUE(teach_old_episodes(base).has_value());
    ASSERT_TRUE(rebuild_projections(base).has_value());
  }
};

class MigrationOfStatistics : public MaintenanceFixture {};

TEST_F(MigrationTest, KeepsWhatTheOldBaseHeld) {
  const auto base = open_base();

  EXPECT_EQ(schema(*base), kSchemaVersion);
  EXPECT_EQ(state(*base).base_id.size(), 16U);
  EXPECT_EQ(state(*base).last_sequence, kOldChanges + 1);
  EXPECT_TRUE(rebuild_is_owed(*base).value());
  RocksDbKnowledgeStore store(*base);
  EXPECT_FALSE(store.statistics().value().degraded);
  EXPECT_EQ(store.statistics().value().records.at("episodes"), kOldEpisodes);
  EXPECT_EQ(store.unfinished_jobs().value().size(), 1U);
  const auto episode = store.find_episode(EpisodeId("e-0000000006")).value().value();
  EXPECT_EQ(episode.task_name, "add");
  EXPECT_EQ(episode.steps.at(1).candidate.technique, "vectorize");
  EXPECT_EQ(episode.steps.at(1).verdict.measurement->device.name, "NVIDIA H100 80GB HBM3");
  EXPECT_THAT(episode.steps.at(1).candidate.kernel.source, testing::HasSubstr("add vectorize 1"));
  const std::vector<std::string> techniques{"block_size", "unroll"};
  const auto advice = store.recall({fakes::sample_task("scale"), BottleneckClass::low_occupancy,
                                    fakes::h200(), Provider::gpu, techniques});
  EXPECT_EQ(advice.value().episodes_seen, 5);
  EXPECT_EQ(advice.value().techniques.at(0).observations, 5);
  EXPECT_NEAR(advice.value().remembered->speedup, 1.4, 1e-12);
}

TEST_F(MigrationTest, OldEpisodesTeachTheirInsightsOnce) {
  const auto base = open_base();
  finish(*base);

  EXPECT_FALSE(rebuild_is_owed(*base).value());
  const auto insights = state(*base).records.at("insights");
  EXPECT_GT(insights, 0);
  EXPECT_GT(state(*base).records.at("edges"), 0);
  EXPECT_EQ(verify(*base).problems, 0) << verify(*base).notes.front();
  const auto before = state(*base).last_sequence;
  ASSERT_TRUE(teach_old_episodes(*base).has_value());
  EXPECT_EQ(state(*base).last_sequence, before) << "nothing is taught twice";
  const auto again = rebuild_projections(*base).value();
  EXPECT_TRUE(again.identical) << testing::PrintToString(again.differences);
}

TEST_F(MigrationTest, TheOldBaseIsKeptAndStillHasItsVersion) {
  (void)open_base();

  const auto copy = copy_before_migration(location(), 1, kOldChanges);
  const auto raw = Database::open(copy / "rocksdb", Database::Mode::read_only, nullptr).value();
  EXPECT_EQ(decode_number(raw->get(Family::meta, schema_key()).value().value()).value(), 1);
  EXPECT_EQ(read_watermark(copy / "WATERMARK").value().newest->last_sequence, kOldChanges);
}

/// Statistics of version 2 hold gains alone; what was expected of them is in the episodes.
TEST_F(MigrationOfStatistics, GetsWhatEpisodesExpected) {
  std::map<std::string, std::string> made;
  {
    const auto base = open_base();
    teach(*base);
    made = rows(*base, Family::posteriors);
  }
  {
    const auto raw =
        Database::open(directory() / "rocksdb", Database::Mode::read_write, nullptr).value();
    rocksdb::WriteBatch batch;
    std::size_t with_surprise = 0;
    for (const auto& [key, value] : made) {
      auto counts = decode_posterior(value);
      if (!counts) continue;  // counts of lift stand beside them
      with_surprise += counts->surprise.weight > 0 ? 1 : 0;
      counts->surprise = {};
      counts->standing = {};
      ASSERT_TRUE(
          batch.Put(raw->column(Family::posteriors), key, encode_posterior(*counts).value()).ok());
    }
    ASSERT_GT(with_surprise, 0U);
    ASSERT_TRUE(batch.Put(raw->column(Family::meta), schema_key(), encode_number(2).value()).ok());
    ASSERT_TRUE(raw->write(batch).has_value());
  }
  const auto base = open_base();
  EXPECT_NE(rows(*base, Family::posteriors), made);
  ASSERT_TRUE(rebuild_is_owed(*base).value());

  ASSERT_TRUE(rebuild_projections(*base).has_value());

  EXPECT_EQ(rows(*base, Family::posteriors), made);
}

TEST_F(MigrationTest, ASecondOpeningFindsNothingToDo) {
  (void)open_base();
  const auto before = all_rows(*open_base());

  EXPECT_EQ(all_rows(*open_base()), before);
}

TEST_F(MigrationTest, OnANearlyFullDiskTheOldBaseIsServedAndMigratedLater) {
  std::atomic<std::int64_t> free = 10LL << 20;
  auto place = location();
  place.reserve_bytes = 256LL << 20;
  place.free_space = [&free](const fs::path&) -> Result<std::int64_t> { return free.load(); };
  const auto base = OpenBase::open(place).value();
  RocksDbKnowledgeStore store(*base);
  EXPECT_EQ(store.find_episode(EpisodeId("e-0000000006")).value()->task_name, "add");
  EXPECT_EQ(schema(*base), 1);

  free = 1LL << 40;
  ASSERT_TRUE(learn(store).has_value());

  EXPECT_EQ(schema(*base), kSchemaVersion);
}

}  // namespace
}  // namespace warpmind::knowledge_base
