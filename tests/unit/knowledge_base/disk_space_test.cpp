// The reserve: a disk that fills up refuses writes with a sentence and never reaches ENOSPC.
// FULL_RUNS: how many disks are filled.

#include "knowledge_base/disk_space.h"

#include "tests/fakes/child_process.h"
#include "tests/fakes/small_disk.h"
#include "tests/unit/knowledge_base/store_fixture.h"

#include <atomic>
#include <fcntl.h>
#include <random>

#include <gmock/gmock.h>

namespace warpmind::knowledge_base {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kMiB = 1024LL * 1024;

class ReserveTest : public StoreFixture {
 protected:
  [[nodiscard]] StoreLocation guarded(const std::filesystem::path& where,
                                      std::int64_t reserve_bytes) const {
    auto made = location();
    made.directory = where;
    made.reserve_bytes = reserve_bytes;
    return made;
  }
};

TEST_F(ReserveTest, RefusesWritesBelowTheReserveAndGoesOnWhenSpaceIsBack) {
  std::atomic<std::int64_t> free = 1000 * kMiB;
  auto where = guarded(directory(), 256 * kMiB);
  where.free_space = [&free](const std::filesystem::path&) -> Result<std::int64_t> {
    return free.load();
  };
  const auto store = RocksDbKnowledgeStore::open(where).value();
  const Episode kept = learn(*store).value();

  free = 255 * kMiB;
  const auto refused = learn(*store);

  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Errc::unavailable);
  EXPECT_THAT(refused.error().message, HasSubstr("disk nearly full: 255 MiB free"));
  EXPECT_THAT(refused.error().message, HasSubstr("256 MiB in reserve"));
  EXPECT_EQ(store->find_episode(kept.id).value(), kept);

  free = 1000 * kMiB;
  EXPECT_TRUE(learn(*store).has_value());
}

TEST_F(ReserveTest, OpensReadOnlyOnANearlyFullDiskUntilSpaceIsBack) {
  const Episode kept = learn(*open()).value();
  std::atomic<std::int64_t> free = 10 * kMiB;
  auto where = guarded(directory(), 256 * kMiB);
  where.free_space = [&free](const std::filesystem::path&) -> Result<std::int64_t> {
    return free.load();
  };

  const auto store = RocksDbKnowledgeStore::open(where).value();

  EXPECT_THAT(store->statistics().value().note, HasSubstr("disk nearly full"));
  EXPECT_EQ(store->find_episode(kept.id).value(), kept);
  EXPECT_FALSE(learn(*store).has_value());
  free = 1000 * kMiB;
  EXPECT_TRUE(learn(*store).has_value());
  EXPECT_FALSE(store->statistics().value().degraded);
}

TEST_F(ReserveTest, SeesTheSpaceOfARealFileSystem) {
  EXPECT_GT(free_space_at(scratch()).value(), 0);
  EXPECT_FALSE(free_space_at(scratch() / "absent").has_value());
}

class SmallDiskTest : public ReserveTest {
 protected:
  void fill_and_free(const std::filesystem::path& disk_path);
};

TEST_F(SmallDiskTest, FillsUpAndLosesNothingAndWritesResume) {
  const int runs = fakes::number_from_environment("FULL_RUNS", 2);
  for (int run = 0; run < runs && !HasFailure(); ++run) {
    SCOPED_TRACE("run " + std::to_string(run));
    const fakes::SmallDisk disk(scratch() / "disk", 340 + run % 31);
    if (!disk.mounted()) GTEST_SKIP() << "cannot mount a tmpfs here: " << disk.why();
    fill_and_free(scratch() / "disk");
  }
}

void SmallDiskTest::fill_and_free(const std::filesystem::path& disk_path) {
  const auto ballast = disk_path / "ballast";
  {
    const UniqueFd file(::open(ballast.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    ASSERT_EQ(::posix_fallocate(file.get(), 0, 64 * kMiB), 0);
  }
  const auto store = RocksDbKnowledgeStore::open(guarded(disk_path / "kb", 192 * kMiB)).value();
  JobRequest request = fakes::sample_request(fakes::sample_task("scale"));
  std::mt19937_64 random{11};
  std::vector<Job> acknowledged;
  const auto add_large_job = [&]() -> Result<void> {
    request.task.kernel.source.clear();  // hex digits of noise: nothing to compress
    while (request.task.kernel.source.size() < kMiB / 4) {
      request.task.kernel.source += std::to_string(random());
    }
    WARPMIND_TRY(auto job, store->add_job(request, {1}));
    acknowledged.push_back(std::move(job));
    return {};
  };
  Result<void> last = add_large_job();
  while (last && acknowledged.size() < 1000) last = add_large_job();
  ASSERT_FALSE(last.has_value()) << "the disk never filled up";
  EXPECT_EQ(last.error().code, Errc::unavailable);
  EXPECT_THAT(last.error().message, HasSubstr("disk nearly full"));
  EXPECT_GT(acknowledged.size(), 5U);

  std::filesystem::remove(ballast);

  ASSERT_TRUE(add_large_job().has_value());
  for (const auto& job : acknowledged) ASSERT_EQ(store->find_job(job.id).value(), job);
}

}  // namespace
}  // namespace warpmind::knowledge_base
