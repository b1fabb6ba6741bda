// A rebuild gives the same bytes, repairs what is wrong, and leaves a base alone that is sound.

#include "knowledge_base/maintenance/rebuild.h"

#include "knowledge_base/key_codec.h"
#include "knowledge_base/maintenance/projections.h"
#include "knowledge_base/maintenance/replay.h"
#include "knowledge_base/record_codec.h"
#include "tests/unit/kb_maintenance/maintenance_fixture.h"

#include <gmock/gmock.h>

namespace warpmind::knowledge_base {
namespace {

using testing::Contains;
using testing::HasSubstr;

class RebuildTest : public MaintenanceFixture {
 protected:
  static std::map<std::string, std::map<std::string, std::string>> projections(
      const OpenBase& base) {
    std::map<std::string, std::map<std::string, std::string>> found;
    for (const auto& range : projection_ranges()) {
      const auto all = rows(base, range.family);
      for (const auto& [key, value] : all) {
        if (key.starts_with(range.prefix)) found[std::string(range.what)][key] = value;
      }
    }
    return found;
  }
};

TEST_F(RebuildTest, ASoundBaseComesOutTheSameAndIsNotWrittenTo) {
  const auto base = open_base();
  (void)teach(*base, 4);
  (void)claim(*base, "Blocks of 512 threads help elementwise kernels.");
  const auto before = all_rows(*base);
  for (const char* what : {"edges and clusters", "posteriors and lift counts", "inverted index",
                           "catalogue and vectors", "insights as they stand"}) {
    ASSERT_FALSE(projections(*base)[what].empty()) << "nothing to compare: " << what;
  }

  const auto report = rebuild_projections(*base).value();

  EXPECT_TRUE(report.identical) << testing::PrintToString(report.differences);
  EXPECT_EQ(report.changes, static_cast<std::int64_t>(rows(*base, Family::log).size()));
  EXPECT_GT(report.records, 50);
  EXPECT_EQ(all_rows(*base), before);
  EXPECT_FALSE(std::filesystem::exists(replay_folder(location())));
}

TEST_F(RebuildTest, AStopLeavesEverythingAsItWas) {
  const auto base = open_base();
  (void)teach(*base, 2);
  tamper(*base, [](ChangeSet& change) { change.erase_all(Family::posteriors, ""); });
  const auto before = all_rows(*base);
  std::stop_source stop;
  stop.request_stop();

  const auto report = rebuild_projections(*base, stop.get_token());

  ASSERT_FALSE(report.has_value());
  EXPECT_EQ(report.error().code, Errc::cancelled) << report.error().message;
  EXPECT_EQ(all_rows(*base), before);
  EXPECT_FALSE(std::filesystem::exists(replay_folder(location())));
  EXPECT_FALSE(rebuild_projections(*base).value().identical);
}

TEST_F(RebuildTest, ProjectionsThatAreGoneComeBackByteForByte) {
  const auto base = open_base();
  (void)teach(*base);
  (void)claim(*base, "Blocks of 512 threads help elementwise kernels.");
  const auto before = projections(*base);
  tamper(*base, [](ChangeSet& change) {
    for (const auto& range : projection_ranges()) {
      change.erase_all(range.family, std::string(range.prefix));
    }
    for (const char* family : {"insights", "edges", "posteriors"}) {
      change.state().records.erase(family);
    }
    change.state().next_document = 1;
  });
  ASSERT_GT(verify(*base).problems, 0);

  const auto report = rebuild_projections(*base).value();

  EXPECT_FALSE(report.identical);
  EXPECT_THAT(report.differences, Contains(HasSubstr("posteriors")));
  EXPECT_EQ(projections(*base), before);
  EXPECT_EQ(verify(*base).problems, 0) << verify(*base).notes.front();
  EXPECT_TRUE(rebuild_projections(*base).value().identical);
}

TEST_F(RebuildTest, ValuesThatDifferAreCorrectedAndCounted) {
  const auto base = open_base();
  (void)teach(*base);
  const auto before = projections(*base);
  const auto victim = rows(*base, Family::posteriors).begin()->first;
  tamper(*base, [&victim](ChangeSet& change) {
    change.put(Family::posteriors, victim, encode_posterior({}).value());
    change.add(Family::posteriors, "\1 a row that no episode made", encode_posterior({}).value());
  });

  const auto report = rebuild_projections(*base).value();

  ASSERT_FALSE(report.differences.empty());
  EXPECT_THAT(report.differences.front(), HasSubstr("1 values differ, 0 missing, 1 too many"));
  EXPECT_EQ(projections(*base), before);
  EXPECT_EQ(verify(*base).problems, 0);
}

TEST_F(RebuildTest, TruthThatCannotBeReadStopsItBeforeAnythingIsChanged) {
  const auto base = open_base();
  (void)teach(*base);
  const auto victim = rows(*base, Family::kernels).begin()->first;
  tamper(*base, [&victim](ChangeSet& change) {
    change.put(Family::kernels, victim, "\x01 rubbish");
    change.erase_all(Family::edges, "");
  });
  const auto before = all_rows(*base);

  const auto rebuilt = rebuild_projections(*base);

  ASSERT_FALSE(rebuilt.has_value());
  EXPECT_EQ(rebuilt.error().code, Errc::corrupt_data);
  EXPECT_THAT(rebuilt.error().message, HasSubstr("replaying change"));
  EXPECT_EQ(all_rows(*base), before);
  EXPECT_FALSE(std::filesystem::exists(replay_folder(location())));
}

TEST_F(RebuildTest, LearningGoesOnAfterwards) {
  const auto base = open_base();
  (void)teach(*base);
  ASSERT_TRUE(rebuild_projections(*base).has_value());
  (void)teach(*base);

  EXPECT_TRUE(rebuild_projections(*base).value().identical);
  EXPECT_EQ(verify(*base).problems, 0);
}

}  // namespace
}  // namespace warpmind::knowledge_base
