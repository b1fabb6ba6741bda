// Verification finds what does not fit, names it, and changes nothing.

#include "knowledge_base/key_codec.h"
#include "knowledge_base/record_codec.h"
#include "tests/unit/kb_maintenance/maintenance_fixture.h"

#include <gmock/gmock.h>

namespace warpmind::knowledge_base {
namespace {

using testing::Contains;
using testing::HasSubstr;

class VerifyTest : public MaintenanceFixture {
 protected:
  VerifyTest() : base_(open_base()), episodes_(teach(*base_)) { (void)claim(*base_, "A claim."); }

  void expect_problem(const std::string& what) const {
    const auto report = verify(*base_);
    EXPECT_GT(report.problems, 0);
    EXPECT_THAT(report.notes, Contains(HasSubstr(what)));
  }

  std::unique_ptr<OpenBase> base_;
  std::vector<Episode> episodes_;
};

TEST_F(VerifyTest, ASoundBaseHasNoProblemsAndStaysAsItIs) {
  const auto before = all_rows(*base_);

  const auto report = verify(*base_);

  EXPECT_EQ(report.problems, 0) << report.notes.front();
  EXPECT_GT(report.records, 100);
  EXPECT_EQ(report.changes, static_cast<std::int64_t>(rows(*base_, Family::log).size()));
  EXPECT_EQ(all_rows(*base_), before);
}

TEST_F(VerifyTest, AStopEndsIt) {
  std::stop_source stop;
  stop.request_stop();
  const auto report = base_->read([&](const Database& database, const std::string&) {
    return verify_base(database, base_->location(), VerifyDepth::records, stop.get_token());
  });
  ASSERT_FALSE(report.has_value());
  EXPECT_EQ(report.error().code, Errc::cancelled);
}

TEST_F(VerifyTest, AMissingKernelIsNamedWithItsStep) {
  const auto kernels = rows(*base_, Family::kernels);
  tamper(*base_,
         [&](ChangeSet& change) { change.remove(Family::kernels, kernels.begin()->first); });

  expect_problem("the kernel of step");
}

TEST_F(VerifyTest, AWrongCounterIsNamed) {
  tamper(*base_, [](ChangeSet& change) { change.state().records["steps"] += 1; });

  expect_problem("records of family steps");
}

TEST_F(VerifyTest, ARecordThatCannotBeReadIsNamed) {
  tamper(*base_, [](ChangeSet& change) {
    change.put(Family::episodes, episode_key(1), std::string("\x01{\"id\":", 8));
  });

  expect_problem("stored episode");
}

TEST_F(VerifyTest, ARecordOfANewerBuildIsNamed) {
  tamper(*base_,
         [](ChangeSet& change) { change.put(Family::tasks, task_key(TaskId("t-1")), "\x07{}"); });

  expect_problem("record version 7");
}

TEST_F(VerifyTest, AnUnfinishedMarkOfAnEndedJobIsFound) {
  tamper(*base_, [](ChangeSet& change) {
    change.put(Family::jobs, unfinished_job_key(999), encode_number(999).value());
  });

  expect_problem("unfinished job j-0000000999");
}

TEST_F(VerifyTest, AChangedLogRecordBreaksTheChain) {
  tamper(*base_, [this](ChangeSet& change) {
    auto record = decode_log(rows(*base_, Family::log).at(log_key(3))).value();
    record.digest[0] ^= 1U;
    change.put(Family::log, log_key(3), encode_log(record).value());
  });

  expect_problem("log record 3 does not follow");
}

TEST_F(VerifyTest, AnInsightWithoutItsDocumentIsFound) {
  tamper(*base_, [this](ChangeSet& change) {
    const auto found = rows(*base_, Family::embeddings);
    for (const auto& [key, value] : found) {
      if (key.starts_with(catalogue_prefix())) change.erase(Family::embeddings, key);
    }
  });

  expect_problem("the catalogue entry of insight");
}

}  // namespace
}  // namespace warpmind::knowledge_base
