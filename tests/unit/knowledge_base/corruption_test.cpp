// A damaged file anywhere: an answer is right, or there is an error or a read-only base. Never a
// wrong value, never a silent absence, never a crash. CORRUPTIONS: how many mutations.

#include "knowledge_base/maintenance/backups.h"
#include "knowledge_base/maintenance/restore.h"
#include "tests/fakes/child_process.h"
#include "tests/unit/knowledge_base/store_fixture.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <random>

namespace warpmind::knowledge_base {
namespace {

namespace fs = std::filesystem;

enum class Damage { flipped_bit, cut_short, wiped_block, swapped_file };

/// What came of a mutation.
enum class Fate { noticed, harmless };

std::string kind_of(const fs::path& file) {
  const auto name = file.filename().string();
  if (file.extension() == ".sst") return "SST";
  if (file.extension() == ".log") return "WAL";
  if (name.starts_with("MANIFEST")) return "MANIFEST";
  if (name == "CURRENT" || name == "WATERMARK") return name;
  return "other";
}

class CorruptionTest : public StoreFixture {
 protected:
  /// A base with rows in table files (written by recovery) and in a WAL, and a backup of it. The
  /// backup is made by the last opening: one more would empty the WAL.
  void make_base() {
    for (int opening = 0; opening < 3; ++opening) {
      const auto base = OpenBase::open(location()).value();
      RocksDbKnowledgeStore store(*base);
      for (int i = 0; i < 4; ++i) episodes_.push_back(learn(store).value());
      if (opening < 2) continue;
      jobs_ = store.recent_jobs(100).value();
      advice_ = advise(store).value();
      (void)create_backup(*base, scratch() / "backups", 1).value();
    }
  }
  [[nodiscard]] static Result<Advice> advise(const KnowledgeStore& store) {
    static const Task task = fakes::sample_task("scale");
    static const std::vector<std::string> techniques{"block_size", "unroll"};
    return store.recall(
        {task, BottleneckClass::low_occupancy, fakes::h200(), Provider::gpu, techniques});
  }

  /// Files of one kind, so that each kind gets its share of mutations.
  static std::map<std::string, std::vector<fs::path>> files_under(const fs::path& root) {
    std::map<std::string, std::vector<fs::path>> found;
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
      if (!entry.is_regular_file() || entry.file_size() == 0) continue;
      const auto kind = kind_of(entry.path());
      if (kind != "other" || root.filename() == "backups") found[kind].push_back(entry.path());
    }
    for (auto& [kind, files] : found) std::sort(files.begin(), files.end());
    return found;
  }

  void damage(const fs::path& victim, const std::vector<fs::path>& same_kind, Damage how) {
    const auto size = fs::file_size(victim);
    const auto at = static_cast<std::streamoff>(random_() % size);
    if (how == Damage::cut_short) return fs::resize_file(victim, static_cast<std::uintmax_t>(at));
    if (how == Damage::swapped_file) {
      const auto& other = same_kind[random_() % same_kind.size()];
      if (other != victim) {
        fs::copy_file(other, victim, fs::copy_options::overwrite_existing);
        return;
      }
    }
    std::fstream file(victim, std::ios::in | std::ios::out | std::ios::binary);
    if (how == Damage::wiped_block) {
      const auto block = at / 4096 * 4096;
      const auto length = std::min<std::streamoff>(4096, static_cast<std::streamoff>(size) - block);
      file.seekp(block);
      file << std::string(static_cast<std::size_t>(length), '\0');
      return;
    }
    file.seekg(at);
    const auto byte = static_cast<unsigned>(file.get()) ^ (1U << (random_() % 8));
    file.seekp(at);
    file.put(static_cast<char>(byte));
  }

  /// Whether the base noticed: it did not open, is read-only, or gave an error. Every value that it
  /// does give must be right, and what is not there must have been noticed.
  Fate look() {
    auto store = try_open();
    if (!store) return Fate::noticed;
    const auto statistics = (*store)->statistics();
    bool seen = !statistics || statistics->degraded;
    for (const auto& episode : episodes_) {
      const auto found = (*store)->find_episode(episode.id);
      if (!found) {
        seen = true;
      } else if (*found) {
        EXPECT_EQ(**found, episode) << "a wrong value";
      } else {
        EXPECT_TRUE(seen) << "a silent absence of " << episode.id.str();
      }
    }
    for (const auto& job : jobs_) {
      const auto found = (*store)->find_job(job.id);
      if (!found) {
        seen = true;
      } else if (*found) {
        // Of an older state only what was noticed.
        EXPECT_TRUE(seen || **found == job) << "an older state of " << job.id.str();
      } else {
        EXPECT_TRUE(seen) << "a silent absence of " << job.id.str();
      }
    }
    const auto advice = advise(**store);
    EXPECT_TRUE(seen || !advice || *advice == advice_) << "other advice";
    return seen || !advice ? Fate::noticed : Fate::harmless;
  }
  /// The same of a backup: it restores to the whole base, or says that it does not.
  Fate look_at_backup() {
    fs::remove_all(directory());
    const auto restored = restore_backup(location(), scratch() / "backups", 0, directory());
    if (!restored) {
      EXPECT_FALSE(fs::exists(directory())) << "a half-made base";
      return Fate::noticed;
    }
    EXPECT_EQ(look(), Fate::harmless) << "restored without a word";
    return Fate::harmless;
  }
  void put_back(const fs::path& sound, const fs::path& at) {
    fs::remove_all(at);
    fs::copy(sound, at, fs::copy_options::recursive);
  }

  std::vector<Episode> episodes_;
  std::vector<Job> jobs_;
  Advice advice_;
  std::mt19937_64 random_{7};
};

TEST_F(CorruptionTest, ADamagedFileIsNoticedOrHarmless) {
  const int mutations = fakes::number_from_environment("CORRUPTIONS", 60);
  make_base();
  fs::copy(directory(), scratch() / "sound", fs::copy_options::recursive);
  const auto kinds_of_files = files_under(directory());
  for (const char* kind : {"SST", "WAL", "MANIFEST", "CURRENT", "WATERMARK"}) {
    ASSERT_TRUE(kinds_of_files.contains(kind)) << "nothing to damage: " << kind;
  }
  fs::copy(scratch() / "backups", scratch() / "sound-backups", fs::copy_options::recursive);
  ASSERT_EQ(look(), Fate::harmless) << "the sound base must be sound";
  std::map<std::string, std::array<int, 2>> fates;
  for (int i = 0; i < mutations; ++i) {
    const bool of_backup = i % 8 == 7;
    const auto root = of_backup ? scratch() / "backups" : directory();
    put_back(scratch() / (of_backup ? "sound-backups" : "sound"), root);
    const auto kinds = files_under(root);
    const auto kind =
        std::next(kinds.begin(), static_cast<std::ptrdiff_t>(random_() % kinds.size()));
    const auto& victim = kind->second[random_() % kind->second.size()];
    const auto how = static_cast<Damage>(random_() % 4);
    SCOPED_TRACE(victim.string() + ", mutation " + std::to_string(i) + ", damage " +
                 std::to_string(static_cast<int>(how)));
    damage(victim, kind->second, how);
    const Fate fate = of_backup ? look_at_backup() : look();
    ++fates[of_backup ? "backup" : kind->first].at(fate == Fate::noticed ? 0 : 1);
    ASSERT_FALSE(HasFailure());
  }
  int seen = 0;
  for (const auto& [kind, counts] : fates) {
    std::printf("%-9s %4d noticed, %4d harmless\n", kind.c_str(), counts[0], counts[1]);
    seen += counts[0];
  }
  std::printf("%d mutations, 0 wrong values, 0 silent absences\n", mutations);
  EXPECT_GT(seen, 0) << "a test that damages nothing proves nothing";
}

}  // namespace
}  // namespace warpmind::knowledge_base
