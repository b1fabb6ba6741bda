#include "knowledge_base/queue_records.h"

#include "knowledge_base/key_codec.h"
#include "knowledge_base/maintenance/verify.h"
#include "tests/unit/knowledge_base/store_fixture.h"

#include <gmock/gmock.h>

namespace warpmind::knowledge_base {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class QueueRecordsTest : public StoreFixture {
 protected:
  void SetUp() override { reopen(); }
  void reopen() {
    store_.reset();
    base_.reset();
    base_ = OpenBase::open(location()).value();
    store_ = std::make_unique<RocksDbKnowledgeStore>(*base_);
  }
  Job run_in(const std::string& night) {
    Job job = store_->add_job(fakes::sample_request(fakes::sample_task("scale")), {1}).value();
    move(job, night);
    return job;
  }
  void move(Job& job, const std::string& night) {
    job.request.terms.night = night;
    ++job.epoch;
    EXPECT_TRUE(store_->update_job(job));
  }
  std::vector<JobId> jobs_of(const std::string& night) {
    const auto jobs = QueueRecords(*base_).jobs_of(night).value();
    std::vector<JobId> ids;
    for (const auto& job : jobs) ids.push_back(job.id);
    return ids;
  }

  std::unique_ptr<OpenBase> base_;
  std::unique_ptr<RocksDbKnowledgeStore> store_;
};

TEST_F(QueueRecordsTest, RulesAreKeptAndTheirFirstValueIsNoLimit) {
  EXPECT_EQ(QueueRecords(*base_).rules().value(), QueueRules{});
  const QueueRules rules{"08:00-19:00", {10, 2.5, 3600, 1000, 5'000'000}, {5, 0, 0, 0, 0}};
  ASSERT_TRUE(QueueRecords(*base_).set_rules(rules));

  reopen();

  EXPECT_EQ(QueueRecords(*base_).rules().value(), rules);
}

TEST_F(QueueRecordsTest, AJobIsInTheNightOfItsLastStart) {
  EXPECT_THAT(QueueRecords(*base_).nights(5).value(), IsEmpty());
  Job first = run_in("2026-11-23");
  const Job second = run_in("2026-11-24");
  const Job third = run_in("2026-11-23");
  run_in("");
  EXPECT_THAT(jobs_of("2026-11-23"), ElementsAre(first.id, third.id));

  move(first, "2026-11-24");
  reopen();

  EXPECT_THAT(jobs_of("2026-11-23"), ElementsAre(third.id));
  EXPECT_THAT(jobs_of("2026-11-24"), ElementsAre(first.id, second.id));
  EXPECT_THAT(jobs_of("2026-11-2"), IsEmpty()) << "a part of a name is no name";
  EXPECT_THAT(QueueRecords(*base_).nights(5).value(), ElementsAre("2026-11-24", "2026-11-23"));
  EXPECT_THAT(QueueRecords(*base_).nights(1).value(), ElementsAre("2026-11-24"));
}

TEST_F(QueueRecordsTest, ACheckOfTheBaseKnowsTheseRecords) {
  run_in("2026-11-24");
  ASSERT_TRUE(QueueRecords(*base_).set_rules({"22:00-06:00", {}, {}}));

  const auto report = base_->read([this](const Database& database, const std::string&) {
    return verify_base(database, location(), VerifyDepth::files);
  });

  EXPECT_EQ(report.value().problems, 0) << report.value().notes.front();
}

TEST_F(QueueRecordsTest, KeysOfNightsComeBack) {
  const std::string night("a\0b\1", 4);
  EXPECT_EQ(night_in_key(night_job_key("2026-11-24", 7)),
            std::pair(std::string("2026-11-24"), std::int64_t{7}));
  EXPECT_EQ(night_in_key(job_key(7)), std::nullopt);
  EXPECT_EQ(night_in_key(night_job_key("x", 7).substr(0, 8)), std::nullopt);
  EXPECT_EQ(night_in_key(night_job_key(night, 7)), std::nullopt) << "escaped names are not ours";
}

TEST_F(QueueRecordsTest, DamagedRulesAreCorruptData) {
  EXPECT_EQ(decode_queue_rules("").error().code, Errc::corrupt_data);
  EXPECT_EQ(decode_queue_rules("\1{\"night\": 3}").error().code, Errc::corrupt_data);
  EXPECT_EQ(decode_queue_rules("\1{}").value(), QueueRules{});
}

}  // namespace
}  // namespace warpmind::knowledge_base
