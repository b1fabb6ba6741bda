// One damaged byte anywhere: an answer is right, or there is an error or a degraded base. Never a
// wrong value, never a silent absence, never a crash.

#include "tests/unit/knowledge_base/store_fixture.h"

#include <cstdlib>
#include <fstream>
#include <random>

namespace warpmind::knowledge_base {
namespace {

namespace fs = std::filesystem;

class CorruptionTest : public StoreFixture {
 protected:
  /// A base with rows in table files (written by recovery) and in a WAL.
  std::vector<Episode> make_base() {
    std::vector<Episode> episodes;
    for (int opening = 0; opening < 3; ++opening) {
      const auto store = open();
      for (int i = 0; i < 4; ++i) episodes.push_back(learn(*store).value());
    }
    return episodes;
  }
  [[nodiscard]] std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(directory() / "rocksdb")) {
      const auto name = entry.path().filename().string();
      const bool holds_rows = entry.path().extension() == ".sst" ||
                              entry.path().extension() == ".log" || name.starts_with("MANIFEST");
      if (holds_rows && entry.file_size() > 0) found.push_back(entry.path());
    }
    std::sort(found.begin(), found.end());
    return found;
  }
  static void flip_bit(const fs::path& path, std::mt19937_64& random) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    const auto offset = static_cast<std::streamoff>(random() % fs::file_size(path));
    file.seekg(offset);
    const auto byte = static_cast<unsigned>(file.get()) ^ (1U << (random() % 8));
    file.seekp(offset);
    file.put(static_cast<char>(byte));
  }
  /// Whether the base noticed: it did not open, is degraded, or gave an error.
  bool noticed(const std::vector<Episode>& episodes) {
    auto store = try_open();
    if (!store) return true;
    const auto statistics = (*store)->statistics();
    bool seen = !statistics || statistics->degraded;
    for (const auto& episode : episodes) {
      const auto found = (*store)->find_episode(episode.id);
      if (!found) {
        seen = true;
      } else if (*found) {
        EXPECT_EQ(**found, episode) << "a wrong value";
      } else {
        EXPECT_TRUE(seen) << "a silent absence of " << episode.id.str();
      }
    }
    return seen;
  }
};

TEST_F(CorruptionTest, AFlippedBitIsNoticedOrHarmless) {
  const char* wanted = std::getenv("WARPMIND_CORRUPTIONS");
  const int mutations = wanted == nullptr ? 40 : std::atoi(wanted);
  const auto episodes = make_base();
  fs::copy(directory(), scratch() / "sound", fs::copy_options::recursive);
  ASSERT_FALSE(noticed(episodes)) << "the sound base must be sound";
  std::mt19937_64 random{7};
  int seen = 0;
  for (int i = 0; i < mutations; ++i) {
    fs::remove_all(directory());
    fs::copy(scratch() / "sound", directory(), fs::copy_options::recursive);
    const auto candidates = files();
    const auto& victim = candidates[random() % candidates.size()];
    SCOPED_TRACE(victim.filename().string() + ", mutation " + std::to_string(i));
    flip_bit(victim, random);
    if (noticed(episodes)) ++seen;
    ASSERT_FALSE(HasFailure());
  }
  std::printf("%d of %d flipped bits noticed, the others harmless\n", seen, mutations);
  EXPECT_GT(seen, 0) << "a test that damages nothing proves nothing";
}

}  // namespace
}  // namespace warpmind::knowledge_base
