// Known mistakes are put back one at a time; for each the suite must notice, and must notice
// nothing without it. The table is in docs/storage.md, section 9.

#include "knowledge_base/database.h"
#include "knowledge_base/key_codec.h"
#include "knowledge_base/maintenance/backups.h"
#include "knowledge_base/maintenance/rebuild.h"
#include "knowledge_base/maintenance/restore.h"
#include "knowledge_base/maintenance/verify.h"
#include "knowledge_base/open_base.h"
#include "knowledge_base/record_codec.h"
#include "tests/fakes/child_process.h"
#include "tests/fakes/faults.h"
#include "tests/unit/kb_maintenance/old_base.h"
#include "tests/unit/knowledge_base/power_loss_file_system.h"
#include "tests/unit/knowledge_base/store_fixture.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <fstream>
#include <functional>
#include <ostream>
#include <thread>

#include <rocksdb/env.h>

namespace warpmind::knowledge_base {
namespace {

namespace fs = std::filesystem;

/// What went wrong; nullopt when all is well.
using Finding = std::optional<std::string>;

class SeededBugFixture : public StoreFixture {
 protected:
  [[nodiscard]] fs::path database() const { return directory() / "rocksdb"; }
  [[nodiscard]] fs::path mark() const { return directory() / "WATERMARK"; }

  static void copy(const fs::path& from, const fs::path& to) {
    fs::remove_all(to);
    fs::copy(from, to, fs::copy_options::recursive);
  }
  /// Whether the base opens, is writable, fits together, and has these episodes.
  Finding look(const std::vector<Episode>& wanted, rocksdb::Env* env = nullptr) {
    auto place = location();
    place.env = env;
    auto base = OpenBase::open(place);
    if (!base) return "does not open: " + base.error().message;
    RocksDbKnowledgeStore store(**base);
    const auto statistics = store.statistics();
    if (!statistics) return statistics.error().message;
    if (statistics->degraded) return "degraded: " + statistics->note;
    for (const auto& episode : wanted) {
      const auto found = store.find_episode(episode.id);
      if (!found) return found.error().message;
      if (*found != episode) return "lost: " + episode.id.str();
    }
    const auto report = (*base)->read([&](const Database& opened, const std::string&) {
      return verify_base(opened, place, VerifyDepth::files);
    });
    if (!report) return report.error().message;
    if (report->problems > 0) return report->notes.front();
    return std::nullopt;
  }
  /// The child dies at the `hit`-th time at `point`, with the mistake that is seeded here.
  Finding die(const std::vector<std::string>& words, const std::string& point, int hit) {
    const auto ending =
        fakes::run(words, {"FAULT_POINT=" + point, "FAULT_HIT=" + std::to_string(hit),
                           "FAULT_BUG=" + std::to_string(static_cast<int>(seeded_))});
    if (ending.signal == SIGKILL) return std::nullopt;
    return "the child did not die at " + point + ": " + ending.errors;
  }
  void seed(SeededBug bug) {
    seeded_ = bug;
    fakes::seed(bug);
  }

  Finding power_loss();
  Finding failed_sync();
  Finding next_write_after_a_failed_one();
  Finding death_between_batches();
  Finding older_database();
  Finding death_before_the_batch();
  Finding newest_block_wiped();
  Finding torn_tail();
  Finding sixteen_writers();
  Finding exact_statistics();
  Finding second_end_of_a_job();
  Finding unfinished_jobs();
  Finding nearly_full_disk();
  Finding newer_schema();
  Finding death_in_a_migration();
  Finding missing_database();
  Finding stale_projection();
  Finding restored_backup();
  Finding death_in_a_restore();
  Finding second_process();

 private:
  SeededBug seeded_ = SeededBug::none;
};

/// A disk that can lose its power.
struct Disk {
  std::shared_ptr<PowerLossFileSystem> system = std::make_shared<PowerLossFileSystem>();
  std::unique_ptr<rocksdb::Env> env = rocksdb::NewCompositeEnv(system);
  std::mt19937_64 random{5};

  void lose_power(std::unique_ptr<KnowledgeStore> store) {
    system->freeze();
    store.reset();
    system->lose_power(false, random);
  }
};

Finding SeededBugFixture::power_loss() {
  Disk disk;
  auto place = location();
  place.env = disk.env.get();
  auto store = RocksDbKnowledgeStore::open(place).value();
  std::vector<Episode> acknowledged;
  for (int i = 0; i < 3; ++i) acknowledged.push_back(learn(*store).value());
  disk.lose_power(std::move(store));
  return look(acknowledged, disk.env.get());
}

Finding SeededBugFixture::failed_sync() {
  Disk disk;
  auto place = location();
  place.env = disk.env.get();
  auto store = RocksDbKnowledgeStore::open(place).value();
  const Episode kept = learn(*store).value();
  disk.system->fail_syncs(1);
  const auto job = store->add_job(fakes::sample_request(fakes::sample_task("scale")), {1});
  disk.lose_power(std::move(store));
  if (const auto found = look({kept}, disk.env.get())) return found;
  if (!job) return std::nullopt;
  store = RocksDbKnowledgeStore::open(place).value();
  if (store->find_job(job->id).value()) return std::nullopt;
  return "lost: " + job->id.str();
}

Finding SeededBugFixture::next_write_after_a_failed_one() {
  Disk disk;
  auto place = location();
  place.env = disk.env.get();
  auto store = RocksDbKnowledgeStore::open(place).value();
  std::vector<Episode> acknowledged{learn(*store).value()};
  disk.system->fail_syncs(1);
  (void)learn(*store);
  const auto next = learn(*store);
  if (!next) return "writes do not go on: " + next.error().message;
  acknowledged.push_back(*next);
  disk.lose_power(std::move(store));
  return look(acknowledged, disk.env.get());
}

Finding SeededBugFixture::death_between_batches() {
  for (int hit = 2; hit < 8; ++hit) {
    fs::remove_all(directory());
    const auto died =
        die({"kb_fault_child", "write", directory().string(), "5"}, "commit.before_reply", hit);
    if (died) return died;
    const auto store = open();
    const auto jobs = store->recent_jobs(100).value();
    for (const auto& job : jobs) {
      const auto episode = store->find_episode(EpisodeId("e" + job.id.str().substr(1))).value();
      if (episode.has_value() != (job.state == JobState::done)) {
        return "torn: the episode of " + job.id.str() + " is there and the job has not ended";
      }
    }
  }
  return std::nullopt;
}

Finding SeededBugFixture::older_database() {
  {
    const auto store = open();
    (void)learn(*store).value();
  }
  copy(database(), scratch() / "older");
  const Episode lost = learn(*open()).value();
  copy(scratch() / "older", database());
  const auto store = open();
  if (store->statistics().value().degraded) return std::nullopt;
  return "silently without " + lost.id.str();
}

Finding SeededBugFixture::death_before_the_batch() {
  const auto died =
      die({"kb_fault_child", "write", directory().string(), "5"}, "commit.before_batch", 3);
  return died ? died : look({});
}

Finding SeededBugFixture::newest_block_wiped() {
  std::vector<Episode> acknowledged;
  {
    const auto store = open();
    for (int i = 0; i < 2; ++i) acknowledged.push_back(learn(*store).value());
  }
  // A write of the mark that the power cut short: neither copy in its block can be read.
  const auto generation = read_watermark(mark()).value().newest->generation;
  std::fstream file(mark(), std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>((generation % 2) * 4096));
  file << std::string(4096, '\x55');
  file.close();
  return look(acknowledged);
}

Finding SeededBugFixture::torn_tail() {
  std::vector<Episode> acknowledged;
  {
    const auto store = open();
    acknowledged.push_back(learn(*store).value());
    fs::copy(mark(), scratch() / "mark", fs::copy_options::overwrite_existing);
    (void)learn(*store).value();
  }
  // The last change was never acknowledged, and half of it reached the disk.
  fs::copy(scratch() / "mark", mark(), fs::copy_options::overwrite_existing);
  fs::path newest;
  for (const auto& entry : fs::directory_iterator(database())) {
    if (entry.path().extension() == ".log" && entry.path() > newest) newest = entry.path();
  }
  fs::resize_file(newest, fs::file_size(newest) - 20);
  return look(acknowledged);
}

Finding SeededBugFixture::sixteen_writers() {
  constexpr int kWriters = 16;
  constexpr int kEach = 4;
  const auto store = open();
  std::atomic<int> refused = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kWriters; ++i) {
    threads.emplace_back([&store, &refused] {
      for (int k = 0; k < kEach; ++k) {
        if (!learn(*store, 1)) ++refused;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  if (refused > 0) return std::to_string(refused) + " episodes were refused";
  const std::vector<std::string> techniques{"block_size"};
  const auto advice = store->recall({fakes::sample_task("scale"), BottleneckClass::low_occupancy,
                                     fakes::h200(), Provider::gpu, techniques});
  const auto seen = advice.value().techniques.at(0).observations;
  if (seen == kWriters * kEach && advice.value().episodes_seen == kWriters * kEach) {
    return std::nullopt;
  }
  return "lost updates: " + std::to_string(seen) + " observations";
}

Finding SeededBugFixture::exact_statistics() {
  const auto store = open();
  for (int i = 0; i < 3; ++i) (void)learn(*store, 1).value();
  const std::vector<std::string> techniques{"block_size"};
  const auto advice = store->recall({fakes::sample_task("scale"), BottleneckClass::low_occupancy,
                                     fakes::h200(), Provider::gpu, techniques});
  const auto seen = advice.value().techniques.at(0).observations;
  if (seen == 3) return std::nullopt;
  return std::to_string(seen) + " observations of 3 episodes";
}

Finding SeededBugFixture::second_end_of_a_job() {
  const auto store = open();
  const Episode first = learn(*store).value();
  auto job = store->recent_jobs(1).value().at(0);
  const Episode late = fakes::sample_episode(999, fakes::sample_task("scale"), 1);
  const auto again = store->commit(late, job);
  if (!again && again.error().code == Errc::conflict) return std::nullopt;
  return "a job that ended with " + first.id.str() + " ended again";
}

Finding SeededBugFixture::unfinished_jobs() {
  const auto store = open();
  (void)learn(*store).value();
  const auto jobs = store->unfinished_jobs().value();
  if (jobs.empty()) return std::nullopt;
  return "an ended job would be run again: " + jobs.front().id.str();
}

Finding SeededBugFixture::nearly_full_disk() {
  std::atomic<std::int64_t> free = 1LL << 30;
  auto place = location();
  place.reserve_bytes = 256LL << 20;
  place.free_space = [&free](const fs::path&) -> Result<std::int64_t> { return free.load(); };
  const auto store = RocksDbKnowledgeStore::open(place).value();
  free = 255LL << 20;
  if (!learn(*store)) return std::nullopt;
  return "wrote into the reserve";
}

Finding SeededBugFixture::newer_schema() {
  (void)learn(*open()).value();
  {
    const auto raw = Database::open(database(), Database::Mode::read_write, nullptr).value();
    rocksdb::WriteBatch batch;
    (void)batch.Put(raw->column(Family::meta), schema_key(), encode_number(99).value());
    (void)raw->write(batch);
  }
  const auto opened = try_open();
  if (!opened && opened.error().code == Errc::conflict) return std::nullopt;
  return "opened a base of a newer schema";
}

Finding SeededBugFixture::death_in_a_migration() {
  put_old_base(directory());
  // Without the mistake there is no such place, and the child migrates.
  (void)die({"kb_fault_child", "open", directory().string()}, "migrate.between_batches", 1);
  const auto base = OpenBase::open(location());
  if (!base) return base.error().message;
  const auto state = (*base)->read([](const Database& opened, const std::string&) {
    return decode_state(opened.get(Family::meta, state_key()).value().value());
  });
  if (!state.value().base_id.empty()) return std::nullopt;
  return "a new schema without what belongs to it";
}

Finding SeededBugFixture::missing_database() {
  (void)learn(*open()).value();
  fs::remove_all(database());
  if (!try_open()) return std::nullopt;
  return "an empty base in the place of a full one";
}

Finding SeededBugFixture::stale_projection() {
  const auto base = OpenBase::open(location()).value();
  RocksDbKnowledgeStore store(*base);
  (void)learn(store).value();
  const std::string key =
      posterior_key({PosteriorLevel::technique, Provider::gpu, "bogus", "", "", ""});
  const auto plant = [&key](ChangeSet& change) -> Result<void> {
    WARPMIND_TRY(auto bytes, encode_posterior({}));
    change.add(Family::posteriors, key, std::move(bytes));
    change.describe("test", {});
    return {};
  };
  (void)base->write(1000, plant);
  const auto report = rebuild_projections(*base);
  if (!report) return report.error().message;
  const auto left = base->read([&key](const Database& opened, const std::string&) {
    return opened.get(Family::posteriors, key);
  });
  if (left.value()) return "a row that no episode made survived the rebuild";
  return std::nullopt;
}

Finding SeededBugFixture::restored_backup() {
  const Episode kept = learn(*open()).value();
  {
    const auto base = OpenBase::open(location()).value();
    const auto made = create_backup(*base, scratch() / "backups", 7);
    if (!made) return made.error().message;
  }
  fs::remove_all(directory());
  const auto restored = restore_backup(location(), scratch() / "backups", 0, directory());
  if (!restored) return restored.error().message;
  return look({kept});
}

Finding SeededBugFixture::death_in_a_restore() {
  (void)learn(*open()).value();
  (void)create_backup(*OpenBase::open(location()).value(), scratch() / "backups", 7).value();
  const auto target = scratch() / "target";
  const auto died = die({"kb_fault_child", "restore", directory().string(),
                         (scratch() / "backups").string(), target.string()},
                        "restore.copied", 1);
  if (died) return died;
  if (fs::exists(target)) return "a half-made base stands where a whole one is expected";
  return std::nullopt;
}

Finding SeededBugFixture::second_process() {
  const auto base = OpenBase::open(location()).value();
  const auto ending = fakes::run({"kb_fault_child", "open", directory().string()},
                                 {"FAULT_BUG=" + std::to_string(static_cast<int>(seeded_))});
  const std::string holder = "in use by process " + std::to_string(::getpid());
  if (ending.status == 4 && ending.errors.find(holder) != std::string::npos) return std::nullopt;
  return "the second process was not told who holds the base: " + ending.errors;
}

struct Track {
  SeededBug bug;
  const char* name;
  Finding (SeededBugFixture::*scenario)();
};
std::ostream& operator<<(std::ostream& out, const Track& track) { return out << track.name; }

class SeededBugTest : public SeededBugFixture, public testing::WithParamInterface<Track> {
 protected:
  /// Reaches the protected scenarios.
  Finding play(const Track& track) {
    for (const auto& entry : fs::directory_iterator(scratch())) fs::remove_all(entry.path());
    return (this->*track.scenario)();
  }
};

struct Tracks : SeededBugFixture {
  void TestBody() override {}
  static std::vector<Track> all() {
    using Self = Tracks;
    return {
        {SeededBug::unsynced_batch, "unsynced_batch", &Self::power_loss},
        {SeededBug::error_taken_for_success, "error_taken_for_success", &Self::failed_sync},
        {SeededBug::two_batches, "two_batches", &Self::death_between_batches},
        {SeededBug::watermark_skipped, "watermark_skipped", &Self::older_database},
        {SeededBug::watermark_first, "watermark_first", &Self::death_before_the_batch},
        {SeededBug::watermark_in_one_slot, "watermark_in_one_slot", &Self::newest_block_wiped},
        {SeededBug::torn_tail_refused, "torn_tail_refused", &Self::torn_tail},
        {SeededBug::group_blind_reads, "group_blind_reads", &Self::sixteen_writers},
        {SeededBug::credited_twice, "credited_twice", &Self::exact_statistics},
        {SeededBug::unfenced_commit, "unfenced_commit", &Self::second_end_of_a_job},
        {SeededBug::ended_job_left_unfinished, "ended_job_left_unfinished", &Self::unfinished_jobs},
        {SeededBug::reserve_ignored, "reserve_ignored", &Self::nearly_full_disk},
        {SeededBug::newer_schema_opened, "newer_schema_opened", &Self::newer_schema},
        {SeededBug::schema_apart_from_state, "schema_apart_from_state",
         &Self::death_in_a_migration},
        {SeededBug::empty_base_in_its_place, "empty_base_in_its_place", &Self::missing_database},
        {SeededBug::stale_projections_kept, "stale_projections_kept", &Self::stale_projection},
        {SeededBug::backup_without_mark, "backup_without_mark", &Self::restored_backup},
        {SeededBug::restore_in_the_open, "restore_in_the_open", &Self::death_in_a_restore},
        {SeededBug::no_second_look, "no_second_look", &Self::next_write_after_a_failed_one},
        {SeededBug::lock_ignored, "lock_ignored", &Self::second_process},
    };
  }
};

TEST_P(SeededBugTest, IsCaught) {
  const auto& track = GetParam();
  seed(SeededBug::none);
  const auto control = play(track);
  EXPECT_EQ(control, std::nullopt) << "noticed without a mistake: " << control.value_or("");
  seed(track.bug);
  const auto caught = play(track);
  EXPECT_NE(caught, std::nullopt) << track.name << " went unnoticed";
  std::printf("%s: %s\n", track.name, caught.value_or("NOT CAUGHT").c_str());
}

INSTANTIATE_TEST_SUITE_P(Track, SeededBugTest, testing::ValuesIn(Tracks::all()),
                         [](const testing::TestParamInfo<Track>& track) {
                           return std::string(track.param.name);
                         });

}  // namespace
}  // namespace warpmind::knowledge_base
