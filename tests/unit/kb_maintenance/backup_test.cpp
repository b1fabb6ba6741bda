// Backups, what they bring back, and what they refuse.

#include "knowledge_base/base_copy.h"
#include "knowledge_base/maintenance/backups.h"
#include "knowledge_base/maintenance/restore.h"
#include "tests/unit/kb_maintenance/maintenance_fixture.h"

#include <atomic>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>

namespace warpmind::knowledge_base {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class BackupTest : public MaintenanceFixture {
 protected:
  [[nodiscard]] fs::path backups() const { return scratch() / "backups"; }
  [[nodiscard]] fs::path target() const { return scratch() / "target"; }
  [[nodiscard]] StoreLocation at(const fs::path& where) const {
    auto place = location();
    place.directory = where;
    return place;
  }
};

TEST_F(BackupTest, BringsBackEveryByteAndOpensWritable) {
  std::map<std::string, std::map<std::string, std::string>> before;
  {
    const auto base = open_base();
    (void)teach(*base);
    before = all_rows(*base);
    const auto info = create_backup(*base, backups(), 3).value();
    EXPECT_EQ(info.id, 1);
    EXPECT_EQ(info.sequence, static_cast<std::int64_t>(before["log"].size()));
    EXPECT_GT(info.bytes, 1000);
    EXPECT_THAT(info.at, testing::MatchesRegex("....-..-..T..:..:..Z"));
  }

  const auto info = restore_backup(location(), backups(), 0, target()).value();

  EXPECT_EQ(info.id, 1);
  const auto base = OpenBase::open(at(target())).value();
  EXPECT_EQ(all_rows(*base), before);
  EXPECT_EQ(verify(*base).problems, 0);
  EXPECT_FALSE(teach(*base, 1).empty());
}

TEST_F(BackupTest, KeepsTheNewestAndTellsThemApart) {
  const auto base = open_base();
  std::vector<Episode> episodes;
  for (int i = 0; i < 4; ++i) {
    RocksDbKnowledgeStore store(*base);
    episodes.push_back(learn(store).value());
    ASSERT_TRUE(create_backup(*base, backups(), 2).has_value());
  }

  const auto kept = list_backups(location(), backups()).value();

  ASSERT_EQ(kept.size(), 2U);
  EXPECT_EQ(kept[0].id, 3);
  EXPECT_EQ(kept[1].id, 4);
  EXPECT_LT(kept[0].sequence, kept[1].sequence);
  ASSERT_TRUE(restore_backup(location(), backups(), 3, target()).has_value());
  const auto restored = RocksDbKnowledgeStore::open(at(target())).value();
  EXPECT_TRUE(restored->find_episode(episodes[2].id).value().has_value());
  EXPECT_FALSE(restored->find_episode(episodes[3].id).value().has_value());
}

TEST_F(BackupTest, WorksWhileEpisodesAreCommittedAndHoldsAWholeState) {
  const auto base = open_base();
  RocksDbKnowledgeStore store(*base);
  (void)learn(store).value();
  std::atomic<bool> done = false;
  std::thread writer([&] {
    while (!done) EXPECT_TRUE(learn(store).has_value());
  });
  for (int i = 0; i < 3; ++i) {
    const auto made = create_backup(*base, backups(), 7);
    EXPECT_TRUE(made.has_value()) << made.error().message;
  }
  done = true;
  writer.join();

  const auto kept = list_backups(location(), backups()).value();
  for (const auto& info : kept) {
    fs::remove_all(target());
    const auto restored = restore_backup(location(), backups(), info.id, target());
    ASSERT_TRUE(restored.has_value()) << restored.error().message;
    EXPECT_GE(restored->sequence, info.sequence);
  }
}

TEST_F(BackupTest, RestoresInThePlaceOfTheOpenBaseAndKeepsTheOld) {
  const auto base = open_base();
  RocksDbKnowledgeStore store(*base);
  const Episode kept = learn(store).value();
  ASSERT_TRUE(create_backup(*base, backups(), 7).has_value());
  const Episode newer = learn(store).value();

  ASSERT_TRUE(restore_over(*base, backups(), 0).has_value());

  EXPECT_EQ(store.find_episode(kept.id).value(), kept);
  EXPECT_EQ(store.find_episode(newer.id).value(), std::nullopt);
  EXPECT_TRUE(learn(store).has_value());
  auto old = directory();
  old += ".before-restore-1";
  const auto before = RocksDbKnowledgeStore::open(at(old)).value();
  EXPECT_EQ(before->find_episode(newer.id).value(), newer);
}

TEST_F(BackupTest, ADamagedOneIsRefusedAndNothingIsLeft) {
  {
    const auto base = open_base();
    (void)teach(*base);
    ASSERT_TRUE(create_backup(*base, backups(), 7).has_value());
  }
  for (const auto& entry : fs::recursive_directory_iterator(backups())) {
    if (entry.path().extension() != ".log") continue;
    std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(entry.file_size() / 2));
    file << "rubbish";
  }

  const auto restored = restore_backup(location(), backups(), 0, target());

  ASSERT_FALSE(restored.has_value());
  EXPECT_EQ(restored.error().code, Errc::corrupt_data);
  EXPECT_FALSE(fs::exists(target()));
}

TEST_F(BackupTest, RefusesBadPlacesWithASentence) {
  const auto base = open_base();
  const auto refused = [&](const Result<BackupInfo>& made, Errc code, const std::string& why) {
    ASSERT_FALSE(made.has_value());
    EXPECT_EQ(made.error().code, code);
    EXPECT_THAT(made.error().message, HasSubstr(why));
  };
  refused(create_backup(*base, "relative", 7), Errc::invalid_argument, "relative path");
  refused(create_backup(*base, directory() / "backups", 7), Errc::invalid_argument,
          "inside the knowledge base");
  refused(create_backup(*base, backups(), 0), Errc::invalid_argument, "at least 1");
  refused(restore_backup(location(), backups(), 0, target()), Errc::not_found, "no backups");
  ASSERT_TRUE(create_backup(*base, backups(), 7).has_value());
  refused(restore_backup(location(), backups(), 5, target()), Errc::not_found, "here: 1");
  refused(restore_backup(location(), backups(), -1, target()), Errc::invalid_argument,
          "numbered from 1");
  refused(restore_backup(location(), backups(), 0, directory()), Errc::conflict, "exists");
  refused(restore_backup(location(), backups(), 0, "here"), Errc::invalid_argument, "relative");
}

TEST_F(BackupTest, RefusesABaseThatLacksWhatWasAcknowledged) {
  (void)learn(*open()).value();
  fs::copy(directory() / "rocksdb", scratch() / "older", fs::copy_options::recursive);
  (void)learn(*open()).value();
  fs::remove_all(directory() / "rocksdb");
  fs::copy(scratch() / "older", directory() / "rocksdb", fs::copy_options::recursive);

  const auto made = create_backup(*open_base(), backups(), 1);

  ASSERT_FALSE(made.has_value());
  EXPECT_THAT(made.error().message, HasSubstr("lacks changes"));
}

TEST_F(BackupTest, ACopyIsABaseOfItsOwn) {
  const auto base = open_base();
  (void)teach(*base);
  const auto before = all_rows(*base);
  const auto copied = base->read([&](const Database& database, const std::string&) {
    return copy_base(database, base->location(), target());
  });
  ASSERT_TRUE(copied.has_value()) << copied.error().message;
  (void)teach(*base, 1);

  const auto copy = OpenBase::open(at(target())).value();

  EXPECT_EQ(all_rows(*copy), before);
  EXPECT_EQ(verify(*copy).problems, 0);
  EXPECT_FALSE(teach(*copy, 1).empty());
}

}  // namespace
}  // namespace warpmind::knowledge_base
