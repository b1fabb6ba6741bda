// Power loss and failing syncs, on a file system that forgets what was not synced. POWER_CYCLES:
// how many losses.

#include "tests/fakes/child_process.h"
#include "tests/unit/knowledge_base/power_loss_file_system.h"
#include "tests/unit/knowledge_base/store_fixture.h"

#include <algorithm>
#include <random>

#include <gmock/gmock.h>
#include <rocksdb/env.h>

namespace warpmind::knowledge_base {
namespace {

using testing::HasSubstr;

class PowerLossTest : public StoreFixture {
 protected:
  PowerLossTest()
      : disk_(std::make_shared<PowerLossFileSystem>()), env_(rocksdb::NewCompositeEnv(disk_)) {}

  Result<std::unique_ptr<KnowledgeStore>> try_open_on_disk() {
    auto where = location();
    where.env = env_.get();
    return RocksDbKnowledgeStore::open(where);
  }
  std::unique_ptr<KnowledgeStore> open_on_disk() { return try_open_on_disk().value(); }

  void lose_power(std::unique_ptr<KnowledgeStore> store, bool keep_some) {
    disk_->freeze();
    store.reset();
    disk_->lose_power(keep_some, random_);
  }

  static void expect_all(const KnowledgeStore& store, const std::vector<Episode>& episodes) {
    for (const auto& episode : episodes) {
      ASSERT_EQ(store.find_episode(episode.id).value(), episode) << episode.id.str();
    }
  }

  std::mt19937_64 random_{42};
  std::shared_ptr<PowerLossFileSystem> disk_;
  std::unique_ptr<rocksdb::Env> env_;
};

TEST_F(PowerLossTest, LosesNothingAcknowledged) {
  const int cycles = fakes::number_from_environment("POWER_CYCLES", 20);
  std::vector<Episode> acknowledged;
  for (int cycle = 0; cycle < cycles; ++cycle) {
    auto store = open_on_disk();
    const auto statistics = store->statistics().value();
    ASSERT_FALSE(statistics.degraded) << statistics.note << " in cycle " << cycle;
    // All of them at the end; each time those that this loss could have hit.
    expect_all(*store, {acknowledged.end() - std::min<std::ptrdiff_t>(40, std::ssize(acknowledged)),
                        acknowledged.end()});
    for (std::size_t i = 1 + random_() % 20; i > 0; --i) {
      acknowledged.push_back(learn(*store).value());
    }
    lose_power(std::move(store), cycle % 2 == 1);
  }
  expect_all(*open_on_disk(), acknowledged);
  std::printf("%d power losses, %zu acknowledged episodes, 0 lost\n", cycles, acknowledged.size());
}

TEST_F(PowerLossTest, WithoutTrueSyncsTheSameLossesLoseAndAreFoundOut) {
  // The negative control of the test above: it must have teeth.
  const int cycles = fakes::number_from_environment("POWER_CYCLES", 20);
  int lossy = 0;
  int noticed = 0;
  for (int cycle = 0; cycle < cycles; ++cycle) {
    std::filesystem::remove_all(directory());
    disk_->lie_about_syncs(false);
    auto store = open_on_disk();
    disk_->lie_about_syncs(true);
    std::vector<Episode> acknowledged;
    for (std::size_t i = 1 + random_() % 20; i > 0; --i) {
      acknowledged.push_back(learn(*store).value());
    }
    lose_power(std::move(store), cycle % 2 == 1);
    disk_->lie_about_syncs(false);
    const auto opened = try_open_on_disk();
    if (!opened) {
      ++lossy;
      ++noticed;
      continue;
    }
    bool lost = false;
    for (const auto& episode : acknowledged) {
      const auto found = (*opened)->find_episode(episode.id);
      if (!found || !*found) lost = true;
    }
    if (lost) ++lossy;
    if (lost && (*opened)->statistics().value().degraded) ++noticed;
  }
  std::printf("%d power losses without true syncs: %d lost acknowledged episodes, %d noticed\n",
              cycles, lossy, noticed);
  EXPECT_GE(lossy * 10, cycles * 9);
  EXPECT_EQ(noticed, lossy);
}

TEST_F(PowerLossTest, ADiskThatLiesAboutSyncsIsFoundOut) {
  // The negative control: without true syncs the same power loss must lose rows, and the watermark
  // must notice.
  auto store = open_on_disk();
  const Episode kept = learn(*store).value();
  disk_->lie_about_syncs(true);
  const Episode lost = learn(*store).value();
  lose_power(std::move(store), false);
  disk_->lie_about_syncs(false);

  store = open_on_disk();

  EXPECT_EQ(store->find_episode(lost.id).value(), std::nullopt);
  EXPECT_EQ(store->find_episode(kept.id).value(), kept);
  const auto statistics = store->statistics().value();
  EXPECT_TRUE(statistics.degraded);
  EXPECT_THAT(statistics.note, HasSubstr("changes 3 to 4 were acknowledged"));
  const auto refused = learn(*store);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Errc::unavailable);
}

TEST_F(PowerLossTest, AFailedSyncIsAnErrorAndTheNextWriteGoesOnWithoutARestart) {
  auto store = open_on_disk();
  std::vector<Episode> acknowledged{learn(*store).value()};
  disk_->fail_syncs(1);

  const auto refused = learn(*store);

  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Errc::external_failure);
  EXPECT_THAT(store->statistics().value().note, HasSubstr("the last write failed"));
  expect_all(*store, acknowledged);

  acknowledged.push_back(learn(*store).value());

  expect_all(*store, acknowledged);
  EXPECT_FALSE(store->statistics().value().degraded);
  lose_power(std::move(store), false);
  expect_all(*open_on_disk(), acknowledged);
}

TEST_F(PowerLossTest, ADiskThatStaysBrokenRefusesWritesUntilItIsRepaired) {
  auto store = open_on_disk();
  std::vector<Episode> acknowledged{learn(*store).value()};
  disk_->fail_syncs(1'000'000);
  for (int i = 0; i < 3; ++i) {
    ASSERT_FALSE(learn(*store).has_value());
    expect_all(*store, acknowledged);
  }
  EXPECT_TRUE(store->statistics().value().degraded);

  disk_->fail_syncs(0);
  acknowledged.push_back(learn(*store).value());

  expect_all(*store, acknowledged);
  EXPECT_FALSE(store->statistics().value().degraded);
}

}  // namespace
}  // namespace warpmind::knowledge_base
