// The n-th operation on the disk fails, for n = 1, 2, … until a thing is done without reaching it:
// an error with a sentence each time, nothing acknowledged lost, and the next try succeeds once the
// disk is well again. Each n runs in a process of its own, for RocksDB as Debian builds it stops
// the process on some failures; that may lose nothing either. NTH_STRIDE: every how many-th n of
// the long ones.

#include "knowledge_base/maintenance/backups.h"
#include "knowledge_base/maintenance/verify.h"
#include "knowledge_base/open_base.h"
#include "tests/fakes/child_process.h"
#include "tests/unit/kb_maintenance/old_base.h"
#include "tests/unit/knowledge_base/store_fixture.h"

#include <csignal>

namespace warpmind::knowledge_base {
namespace {

namespace fs = std::filesystem;

struct NthCase {
  const char* mode;
  const char* fault;
  bool persistent;
};

std::ostream& operator<<(std::ostream& out, const NthCase& wanted) {
  return out << wanted.mode << ", " << wanted.fault
             << (wanted.persistent ? ", from then on" : ", once");
}

class NthFailureTest : public StoreFixture, public testing::WithParamInterface<NthCase> {
 protected:
  void prepare(const std::string& mode) {
    const auto sound = scratch() / "sound";
    if (mode == "migrate") {
      put_old_base(sound);
      return;
    }
    const auto store = open();
    for (int i = 0; i < 2; ++i) kept_.push_back(learn(*store).value());
    fs::copy(directory(), sound, fs::copy_options::recursive);
  }
  void expect_sound() {
    const auto base = OpenBase::open(location());
    ASSERT_TRUE(base.has_value()) << base.error().message;
    RocksDbKnowledgeStore store(**base);
    EXPECT_FALSE(store.statistics().value().degraded) << store.statistics().value().note;
    for (const auto& episode : kept_) {
      ASSERT_EQ(store.find_episode(episode.id).value(), episode) << "lost: " << episode.id.str();
    }
    const auto report = (*base)->read([&](const Database& database, const std::string&) {
      return verify_base(database, location(), VerifyDepth::records);
    });
    // A migrated base owes a rebuild.
    const auto notes = report.value().notes;
    for (const auto& note : notes) {
      EXPECT_NE(note.find("a rebuild is owed"), std::string::npos) << note;
    }
    ASSERT_TRUE(learn(store).has_value());
  }

  std::vector<Episode> kept_;
};

TEST_P(NthFailureTest, IsAnErrorAndLosesNothing) {
  const auto& wanted = GetParam();
  // A put and a commit are few operations; the others are hundreds.
  const bool few = std::string(wanted.mode) == "put" || std::string(wanted.mode) == "commit";
  const int stride = few ? 1 : fakes::number_from_environment("NTH_STRIDE", 17);
  ASSERT_NO_FATAL_FAILURE(prepare(wanted.mode));
  int failures = 0;
  int stops = 0;
  bool reached_the_end = false;
  for (int n = 1; n < 3000 && !reached_the_end; n += stride) {
    SCOPED_TRACE("operation " + std::to_string(n));
    fs::remove_all(directory());
    fs::remove_all(scratch() / "backups");
    fs::copy(scratch() / "sound", directory(), fs::copy_options::recursive);
    const auto ending = fakes::run({"kb_nth_child", wanted.mode, directory().string(),
                                    (scratch() / "backups").string(), std::to_string(n),
                                    wanted.fault, wanted.persistent ? "persistent" : "once"});
    if (ending.signal == SIGABRT) {
      ++stops;
    } else {
      ASSERT_EQ(ending.signal, 0) << ending.errors;
      // 0: done, and the fault was not reached; 10: refused with a sentence and done when the disk
      // was well again; 11: done in spite of the fault.
      ASSERT_TRUE(ending.status == 0 || ending.status == 10 || ending.status == 11)
          << ending.status << ": " << ending.errors;
      reached_the_end = ending.status == 0;
      if (ending.status == 10) ++failures;
    }
    ASSERT_NO_FATAL_FAILURE(expect_sound());
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_TRUE(reached_the_end);
  EXPECT_GT(failures, 0) << "no failure ever mattered";
  std::printf("%s, %s: %d refused with a sentence, %d processes stopped by RocksDB, 0 lost\n",
              wanted.mode, wanted.fault, failures, stops);
}

INSTANTIATE_TEST_SUITE_P(
    Operations, NthFailureTest,
    testing::Values(NthCase{"put", "eio", false}, NthCase{"put", "enospc", true},
                    NthCase{"commit", "eio", false}, NthCase{"commit", "short", false},
                    NthCase{"commit", "enospc", true}, NthCase{"open", "eio", false},
                    NthCase{"open", "enospc", true}, NthCase{"backup", "eio", false},
                    NthCase{"backup", "enospc", true}, NthCase{"copy", "eio", false},
                    NthCase{"migrate", "eio", false}, NthCase{"migrate", "enospc", true}),
    [](const testing::TestParamInfo<NthCase>& operation) {
      return std::string(operation.param.mode) + "_" + operation.param.fault +
             (operation.param.persistent ? "_persistent" : "_once");
    });

}  // namespace
}  // namespace warpmind::knowledge_base
