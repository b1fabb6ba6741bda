// The process dies at every named place between two steps of a change: nothing acknowledged is
// lost, nothing is torn, and the same thing done again succeeds. KILL_POINT_HITS: deaths a place.

#include "knowledge_base/base_copy.h"
#include "knowledge_base/maintenance/backups.h"
#include "knowledge_base/maintenance/rebuild.h"
#include "knowledge_base/maintenance/restore.h"
#include "knowledge_base/maintenance/verify.h"
#include "knowledge_base/open_base.h"
#include "tests/fakes/child_process.h"
#include "tests/unit/kb_maintenance/old_base.h"
#include "tests/unit/knowledge_base/acknowledgement.h"
#include "tests/unit/knowledge_base/store_fixture.h"

#include <csignal>
#include <fstream>

namespace warpmind::knowledge_base {
namespace {

namespace fs = std::filesystem;

/// What the child does when it dies, to which kind of base.
struct PointCase {
  const char* point;
  const char* mode;
};

std::ostream& operator<<(std::ostream& out, const PointCase& wanted) {
  return out << wanted.point << " in " << wanted.mode;
}

class KillPointTest : public StoreFixture, public testing::WithParamInterface<PointCase> {
 protected:
  [[nodiscard]] fs::path backups() const { return scratch() / "backups"; }
  [[nodiscard]] fs::path target() const { return scratch() / "target"; }

  /// The base that the child is let loose on.
  void prepare(const std::string& mode) {
    if (mode == "create") return;
    if (mode == "migrate" || mode == "finish") {
      put_old_base(directory());
      return;
    }
    for (int i = 0; i < 3; ++i) kept_.push_back(learn(*open(), 2).value());
    if (mode == "adopt") put_back_the_mark();
    if (mode == "accept") make_it_lack_something();
    if (mode == "rebuild") plant_a_stale_row();
    if (mode.starts_with("restore")) {
      const auto base = OpenBase::open(location()).value();
      ASSERT_TRUE(create_backup(*base, backups(), 7).has_value());
    }
  }

  /// The watermark of one change before, as if the process had died before advancing it.
  void put_back_the_mark() {
    fs::copy(directory() / "WATERMARK", scratch() / "mark");
    kept_.push_back(learn(*open(), 2).value());
    fs::copy(scratch() / "mark", directory() / "WATERMARK", fs::copy_options::overwrite_existing);
  }
  void make_it_lack_something() {
    fs::copy(directory() / "rocksdb", scratch() / "older", fs::copy_options::recursive);
    ASSERT_TRUE(learn(*open(), 2).has_value());
    fs::remove_all(directory() / "rocksdb");
    fs::copy(scratch() / "older", directory() / "rocksdb", fs::copy_options::recursive);
    std::ofstream(directory() / "ACCEPT_LOSS") << "";
  }
  void plant_a_stale_row() {
    const auto base = OpenBase::open(location()).value();
    const auto plant = [](ChangeSet& change) -> Result<void> {
      for (int i = 0; i < 2000; ++i) {
        change.put(Family::edges, "\7 stale " + std::to_string(i), std::string(1000, 'x'));
      }
      change.describe("test", {});
      return {};
    };
    ASSERT_TRUE(base->write(1 << 20, plant).has_value());
  }

  [[nodiscard]] std::vector<std::string> words(const std::string& mode) const {
    const std::string base = directory().string();
    if (mode == "write") return {"kb_fault_child", "write", base, "20"};
    if (mode == "rebuild" || mode == "finish") return {"kb_fault_child", mode, base};
    if (mode == "copy") return {"kb_fault_child", "copy", base, target().string()};
    if (mode == "backup" || mode == "restore_here") {
      return {"kb_fault_child", mode, base, backups().string()};
    }
    if (mode == "restore") {
      return {"kb_fault_child", mode, base, backups().string(), target().string()};
    }
    return {"kb_fault_child", "open", base};
  }

  /// Lets it die at the `hit`-th time at the point; collects what it acknowledged.
  void die_at(const PointCase& wanted, int hit) {
    fakes::ChildProcess child(words(wanted.mode), {std::string("FAULT_POINT=") + wanted.point,
                                                   "FAULT_HIT=" + std::to_string(hit)});
    Acknowledgement frame;
    while (child.read(&frame, sizeof frame)) {
      ASSERT_TRUE(is_genuine(frame));
      kept_.push_back(episode_for(frame.number, fakes::sample_task("scale")));
    }
    const auto ending = child.wait();
    ASSERT_EQ(ending.signal, SIGKILL)
        << "never reached; exit status " << ending.status << ": " << ending.errors;
  }

  /// Everything kept is there, and everything there fits together.
  void expect_sound(const fs::path& where) {
    StoreLocation place = location();
    place.directory = where;
    const auto base = OpenBase::open(place);
    ASSERT_TRUE(base.has_value()) << base.error().message;
    RocksDbKnowledgeStore store(**base);
    EXPECT_FALSE(store.statistics().value().degraded) << store.statistics().value().note;
    for (const auto& episode : kept_) {
      ASSERT_EQ(store.find_episode(episode.id).value(), episode) << "lost: " << episode.id.str();
    }
    if (rebuild_is_owed(**base).value()) {
      ASSERT_TRUE(rebuild_projections(**base).has_value());
    }
    const auto report = (*base)->read([&](const Database& database, const std::string&) {
      return verify_base(database, place, VerifyDepth::files);
    });
    EXPECT_EQ(report.value().problems, 0) << report.value().notes.front();
    EXPECT_TRUE(learn(store).has_value());
  }

  std::vector<Episode> kept_;
};

TEST_P(KillPointTest, LosesNothingTearsNothingAndCanBeDoneAgain) {
  const auto& wanted = GetParam();
  const std::string mode = wanted.mode;
  const int deaths = fakes::number_from_environment("KILL_POINT_HITS", 1);
  for (int death = 0; death < deaths; ++death) {
    SCOPED_TRACE("death " + std::to_string(death));
    for (const auto& entry : fs::directory_iterator(scratch())) fs::remove_all(entry.path());
    kept_.clear();
    ASSERT_NO_FATAL_FAILURE(prepare(mode));
    // In a stream of 40 changes, another one each time.
    const int hit = mode == "write" ? 1 + 7 * death % 36 : 1;
    ASSERT_NO_FATAL_FAILURE(die_at(wanted, hit));
    const bool makes_target = mode == "copy" || mode == "restore";
    EXPECT_FALSE(makes_target && fs::exists(target())) << "half a copy";
    const auto again = fakes::run(words(mode));
    EXPECT_EQ(again.status, 0) << again.errors;
    ASSERT_NO_FATAL_FAILURE(expect_sound(directory()));
    if (mode == "backup") {
      ASSERT_TRUE(restore_backup(location(), backups(), 0, target()).has_value());
    }
    if (makes_target || mode == "backup") {
      ASSERT_NO_FATAL_FAILURE(expect_sound(target()));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Places, KillPointTest,
    testing::Values(
        PointCase{"create.mark_written", "create"}, PointCase{"create.before_batch", "create"},
        PointCase{"watermark.half_written", "create"}, PointCase{"commit.before_batch", "write"},
        PointCase{"commit.before_watermark", "write"}, PointCase{"commit.before_reply", "write"},
        PointCase{"watermark.before_write", "write"}, PointCase{"watermark.half_written", "write"},
        PointCase{"open.before_adopting", "adopt"}, PointCase{"watermark.half_written", "adopt"},
        PointCase{"accept_loss.between_slots", "accept"},
        PointCase{"watermark.half_written", "accept"}, PointCase{"migrate.before_copy", "migrate"},
        PointCase{"copy.database_done", "migrate"}, PointCase{"copy.before_rename", "migrate"},
        PointCase{"migrate.before_batch", "migrate"}, PointCase{"migrate.after_batch", "migrate"},
        PointCase{"migrate.episode_taught", "finish"}, PointCase{"rebuild.part_written", "finish"},
        PointCase{"copy.database_done", "copy"}, PointCase{"copy.before_rename", "copy"},
        PointCase{"backup.before_copy", "backup"}, PointCase{"backup.copied", "backup"},
        PointCase{"restore.before_copy", "restore"}, PointCase{"restore.copied", "restore"},
        PointCase{"restore.before_rename", "restore"}, PointCase{"restore.copied", "restore_here"},
        PointCase{"restore.before_ready", "restore_here"},
        PointCase{"restore.ready", "restore_here"}, PointCase{"restore.moved_away", "restore_here"},
        PointCase{"restore.moved_in", "restore_here"}, PointCase{"rebuild.copy_made", "rebuild"},
        PointCase{"rebuild.part_written", "rebuild"}, PointCase{"rebuild.before_end", "rebuild"}),
    [](const testing::TestParamInfo<PointCase>& place) {
      std::string name = std::string(place.param.point) + "_" + place.param.mode;
      for (char& c : name) {
        if (c == '.') c = '_';
      }
      return name;
    });

}  // namespace
}  // namespace warpmind::knowledge_base
