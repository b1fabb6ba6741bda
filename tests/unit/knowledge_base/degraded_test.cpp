// What a base does that holds less than was acknowledged, or was written by a newer build.

#include "knowledge_base/database.h"
#include "knowledge_base/key_codec.h"
#include "knowledge_base/record_codec.h"
#include "knowledge_base/watermark.h"
#include "tests/unit/knowledge_base/store_fixture.h"

#include <fstream>
#include <map>

#include <gmock/gmock.h>

namespace warpmind::knowledge_base {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class DegradedTest : public StoreFixture {
 protected:
  [[nodiscard]] fs::path database() const { return directory() / "rocksdb"; }
  [[nodiscard]] fs::path mark() const { return directory() / "WATERMARK"; }

  void save(const fs::path& from, const std::string& name) const {
    fs::copy(from, scratch() / name, fs::copy_options::recursive);
  }
  void put_back(const std::string& name, const fs::path& to) const {
    fs::remove_all(to);
    fs::copy(scratch() / name, to, fs::copy_options::recursive);
  }
  void accept_the_loss() const {
    ASSERT_TRUE(write_file_atomic(directory() / "ACCEPT_LOSS", "").has_value());
  }
  /// Both copies of the record in it.
  void damage_slot(std::streamoff slot) const {
    std::fstream file(mark(), std::ios::in | std::ios::out | std::ios::binary);
    for (const std::streamoff copy : {0, 2048}) {
      file.seekp(slot * 4096 + copy + 16);
      file << "rubbish";
    }
  }
  void wipe_slot(std::streamoff slot) const {
    std::fstream file(mark(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(slot * 4096);
    file << std::string(4096, '\0');
  }
  [[nodiscard]] std::streamoff newest_slot() const {
    return static_cast<std::streamoff>(read_watermark(mark()).value().newest->generation % 2);
  }
  /// Name and content of every file, as one value.
  [[nodiscard]] std::map<std::string, std::string> content() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(directory())) {
      if (!entry.is_regular_file() || entry.path().filename() == "LOCK.pid") continue;
      files[entry.path().string()] = read_file(entry.path(), 1U << 28U).value();
    }
    return files;
  }
  void expect_degraded(KnowledgeStore& store, const std::string& why) {
    const auto statistics = store.statistics().value();
    EXPECT_TRUE(statistics.degraded);
    EXPECT_THAT(statistics.note, HasSubstr(why));
    EXPECT_THAT(statistics.note, HasSubstr("ACCEPT_LOSS"));
    const auto refused = learn(store);
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code, Errc::unavailable);
    EXPECT_EQ(refused.error().message, statistics.note);
  }
};

TEST_F(DegradedTest, AnOlderDatabaseIsReadOnlyAndNamesTheMissingRange) {
  const Episode kept = learn(*open()).value();
  save(database(), "older");
  const Episode lost = learn(*open()).value();
  put_back("older", database());

  const auto store = open();

  expect_degraded(*store, "changes 3 to 4 were acknowledged and cannot be found");
  EXPECT_EQ(store->find_episode(kept.id).value(), kept);
  EXPECT_EQ(store->find_episode(lost.id).value(), std::nullopt);
}

TEST_F(DegradedTest, OpeningADegradedBaseChangesNoByteOfTheEvidence) {
  ASSERT_TRUE(learn(*open()).has_value());
  save(database(), "older");
  ASSERT_TRUE(learn(*open()).has_value());
  put_back("older", database());
  const auto before = content();

  expect_degraded(*open(), "cannot be found");

  EXPECT_EQ(content(), before);
}

TEST_F(DegradedTest, ALossThatAPersonAcceptedIsOver) {
  const Episode kept = learn(*open()).value();
  save(database(), "older");
  ASSERT_TRUE(learn(*open()).has_value());
  put_back("older", database());
  accept_the_loss();

  EXPECT_TRUE(learn(*open()).has_value());

  const auto store = open();
  EXPECT_FALSE(store->statistics().value().degraded);
  EXPECT_EQ(store->find_episode(kept.id).value(), kept);
  EXPECT_FALSE(fs::exists(directory() / "ACCEPT_LOSS"));
}

TEST_F(DegradedTest, AWriteAheadLogCutShortIsFoundOut) {
  {
    const auto store = open();
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(learn(*store).has_value());
  }
  for (const auto& entry : fs::directory_iterator(database())) {
    if (entry.path().extension() != ".log") continue;
    fs::resize_file(entry.path(), entry.file_size() / 2);
  }

  expect_degraded(*open(), "acknowledged and cannot be found");
}

TEST_F(DegradedTest, ADatabaseAheadOfItsWatermarkIsAnOrdinaryCrash) {
  ASSERT_TRUE(learn(*open()).has_value());
  save(mark(), "older-mark");
  const Episode last = learn(*open()).value();
  put_back("older-mark", mark());

  const auto store = open();

  EXPECT_FALSE(store->statistics().value().degraded) << store->statistics().value().note;
  EXPECT_EQ(store->find_episode(last.id).value(), last);
  EXPECT_TRUE(learn(*store).has_value());
}

TEST_F(DegradedTest, AnotherHistoryThanTheAcknowledgedOneIsFoundOut) {
  ASSERT_TRUE(open()->add_job(fakes::sample_request(fakes::sample_task("one")), {1}).has_value());
  save(mark(), "mark-of-one");
  fs::remove_all(directory());
  ASSERT_TRUE(open()->add_job(fakes::sample_request(fakes::sample_task("two")), {1}).has_value());
  put_back("mark-of-one", mark());

  expect_degraded(*open(), "change 1 is not the one that was acknowledged");
}

TEST_F(DegradedTest, TheOlderSlotDamagedIsIgnored) {
  const Episode kept = learn(*open()).value();
  damage_slot(1 - newest_slot());

  const auto store = open();

  EXPECT_FALSE(store->statistics().value().degraded);
  EXPECT_EQ(store->find_episode(kept.id).value(), kept);
  EXPECT_TRUE(learn(*store).has_value());
}

TEST_F(DegradedTest, TheNewestSlotDamagedIsAsAfterACrash) {
  const Episode kept = learn(*open()).value();
  damage_slot(newest_slot());

  const auto store = open();

  EXPECT_FALSE(store->statistics().value().degraded) << store->statistics().value().note;
  EXPECT_EQ(store->find_episode(kept.id).value(), kept);
  EXPECT_TRUE(learn(*store).has_value());
}

TEST_F(DegradedTest, OneDamagedByteCostsNothing) {
  const Episode kept = learn(*open()).value();
  for (const std::streamoff slot : {0, 1}) {
    std::fstream file(mark(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(slot * 4096 + 40);
    file << "x";
  }

  const auto store = open();

  EXPECT_FALSE(store->statistics().value().degraded) << store->statistics().value().note;
  EXPECT_EQ(store->find_episode(kept.id).value(), kept);
}

TEST_F(DegradedTest, TheNewestSlotGoneTogetherWithExactlyItsChangeIsFoundOut) {
  ASSERT_TRUE(learn(*open()).has_value());
  save(database(), "older");
  ASSERT_TRUE(open()->add_job(fakes::sample_request(fakes::sample_task("two")), {1}).has_value());
  put_back("older", database());
  for (const bool wiped : {false, true}) {
    save(mark(), "mark" + std::to_string(static_cast<int>(wiped)));
    if (wiped) {
      wipe_slot(newest_slot());
    } else {
      damage_slot(newest_slot());
    }

    expect_degraded(*open(), "a newer change may have been acknowledged");

    put_back("mark" + std::to_string(static_cast<int>(wiped)), mark());
  }
}

TEST_F(DegradedTest, BothSlotsDamagedMakeItReadOnly) {
  const Episode kept = learn(*open()).value();
  damage_slot(0);
  damage_slot(1);
  {
    const auto store = open();
    expect_degraded(*store, "no slot of the watermark can be read");
    EXPECT_EQ(store->find_episode(kept.id).value(), kept);
  }
  accept_the_loss();

  EXPECT_TRUE(learn(*open()).has_value());
  EXPECT_TRUE(learn(*open()).has_value());
}

TEST_F(DegradedTest, AMissingWatermarkMakesItReadOnly) {
  ASSERT_TRUE(learn(*open()).has_value());
  fs::remove(mark());

  expect_degraded(*open(), "the watermark file is missing");
}

TEST_F(DegradedTest, AMissingDatabaseIsNeverReplacedByAnEmptyOne) {
  ASSERT_TRUE(learn(*open()).has_value());
  fs::remove_all(database());

  const auto opened = try_open();

  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(opened.error().code, Errc::corrupt_data);
  EXPECT_THAT(opened.error().message, HasSubstr("2 changes were acknowledged"));
  EXPECT_FALSE(fs::exists(database()));
}

TEST_F(DegradedTest, ACrashWhileTheBaseWasMadeIsFinishedByTheNextOpening) {
  open();
  fs::remove_all(database());

  EXPECT_TRUE(learn(*open()).has_value());
}

TEST_F(DegradedTest, ANewerSchemaIsRefusedAndNoByteChanged) {
  ASSERT_TRUE(learn(*open()).has_value());
  {
    const auto raw = Database::open(database(), Database::Mode::read_write, nullptr).value();
    rocksdb::WriteBatch batch;
    ASSERT_TRUE(batch.Put(raw->column(Family::meta), schema_key(), encode_number(99).value()).ok());
    ASSERT_TRUE(raw->write(batch).has_value());
  }
  const auto before = content();

  const auto opened = try_open();

  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(opened.error().code, Errc::conflict);
  EXPECT_THAT(opened.error().message, HasSubstr("schema version 99"));
  EXPECT_THAT(opened.error().message, HasSubstr("reads up to " + std::to_string(kSchemaVersion)));
  EXPECT_EQ(content(), before);
}

}  // namespace
}  // namespace warpmind::knowledge_base
