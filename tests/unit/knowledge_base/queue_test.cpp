// Workers that die at random run a queue of jobs to its end: each is applied exactly once.
// QUEUE_JOBS: how many.

#include "knowledge_base/maintenance/verify.h"
#include "tests/fakes/child_process.h"
#include "tests/unit/knowledge_base/store_fixture.h"

#include <csignal>

namespace warpmind::knowledge_base {
namespace {

class QueueTest : public StoreFixture {
 protected:
  void add_jobs(int count) {
    const auto store = open();
    for (int i = 0; i < count; ++i) {
      ASSERT_TRUE(store->add_job(fakes::sample_request(fakes::sample_task("scale")), {1}));
    }
  }
  void expect_exact(int jobs, std::int64_t poison) {
    const auto base = OpenBase::open(location()).value();
    RocksDbKnowledgeStore store(*base);
    EXPECT_TRUE(store.unfinished_jobs().value().empty()) << "a job is stuck";
    const auto all = store.recent_jobs(2LL * jobs).value();
    ASSERT_EQ(all.size(), static_cast<std::size_t>(jobs));
    for (const auto& job : all) {
      const bool poisoned = std::stoll(job.id.str().substr(2)) == poison;
      EXPECT_EQ(job.state, poisoned ? JobState::failed : JobState::done) << job.id.str();
      EXPECT_EQ(job.episode.has_value(), !poisoned) << job.id.str();
      EXPECT_GE(job.attempts, 1) << job.id.str();
      EXPECT_TRUE(!poisoned || job.attempts == 3) << job.attempts << " attempts";
    }
    const auto statistics = store.statistics().value();
    EXPECT_EQ(statistics.records.at("episodes"), jobs - 1);
    const Task task = fakes::sample_task("scale");
    const std::vector<std::string> techniques{"block_size"};
    const auto advice = store
                            .recall({task, BottleneckClass::low_occupancy, fakes::h200(),
                                     Provider::gpu, techniques})
                            .value();
    EXPECT_EQ(advice.episodes_seen, jobs - 1);
    EXPECT_EQ(advice.techniques.at(0).observations, jobs - 1) << "credited once each";
    const auto report = base->read([this](const Database& database, const std::string&) {
      return verify_base(database, location(), VerifyDepth::files);
    });
    EXPECT_EQ(report.value().problems, 0) << report.value().notes.front();
  }
};

TEST_F(QueueTest, CrashingWorkersApplyEveryJobExactlyOnce) {
  const int jobs = fakes::number_from_environment("QUEUE_JOBS", 150);
  const std::int64_t poison = jobs / 2;
  add_jobs(jobs);
  // A worker dies at about every fifth job of a small queue, every fiftieth of a large one.
  const int deaths_in_1000 = jobs > 1000 ? 20 : 200;
  int deaths = 0;
  for (int life = 0; life < jobs * 2; ++life) {
    const auto ending = fakes::run({"kb_queue_worker", directory().string(), std::to_string(life),
                                    std::to_string(deaths_in_1000), std::to_string(poison)});
    if (ending.signal == 0) {
      ASSERT_EQ(ending.status, 0) << ending.errors;
      break;
    }
    ASSERT_EQ(ending.signal, SIGKILL);
    ++deaths;
  }
  expect_exact(jobs, poison);
  EXPECT_GE(deaths, 3) << "the poison job alone kills three";
  std::printf("%d jobs, %d deaths of workers, every job applied exactly once\n", jobs, deaths);
}

}  // namespace
}  // namespace warpmind::knowledge_base
