// The control of the reserve: without it a disk that fills up is met, and RocksDB as Debian builds
// it may stop the process. Nothing acknowledged is lost even then. FULL_RUNS: how many disks.

#include "tests/fakes/child_process.h"
#include "tests/fakes/small_disk.h"
#include "tests/unit/knowledge_base/acknowledgement.h"
#include "tests/unit/knowledge_base/store_fixture.h"

#include <csignal>
#include <fcntl.h>

namespace warpmind::knowledge_base {
namespace {

namespace fs = std::filesystem;

class DiskFullTest : public StoreFixture {};

TEST_F(DiskFullTest, WithoutAReserveTheProcessMayStopAndStillLosesNothing) {
  const int runs = fakes::number_from_environment("FULL_RUNS", 2);
  int stops = 0;
  int refusals = 0;
  for (int run = 0; run < runs; ++run) {
    SCOPED_TRACE("run " + std::to_string(run));
    const auto where = scratch() / "disk";
    const fakes::SmallDisk disk(where, 260 + run % 31);
    if (!disk.mounted()) GTEST_SKIP() << "cannot mount a tmpfs here: " << disk.why();
    {
      // What is freed later must hold what a start writes: all that is in the WAL, as table files.
      const UniqueFd ballast(::open((where / "ballast").c_str(), O_CREAT | O_WRONLY, 0600));
      ASSERT_EQ(::posix_fallocate(ballast.get(), 0, 130LL << 20), 0);
    }
    std::vector<std::int64_t> acknowledged;
    fakes::ChildProcess child({"kb_fault_child", "fill", (where / "kb").string()});
    Acknowledgement frame;
    while (child.read(&frame, sizeof frame)) acknowledged.push_back(frame.number);
    const auto ending = child.wait();
    if (ending.signal != 0) {
      EXPECT_EQ(ending.signal, SIGABRT);
      ++stops;
    } else {
      EXPECT_EQ(ending.status, 3) << ending.errors;
      ++refusals;
    }
    ASSERT_GT(acknowledged.size(), 3U);
    fs::remove(where / "ballast");
    auto place = location();
    place.directory = where / "kb";
    const auto store = RocksDbKnowledgeStore::open(place);
    ASSERT_TRUE(store.has_value()) << store.error().message;
    EXPECT_FALSE((*store)->statistics().value().degraded) << (*store)->statistics().value().note;
    for (const auto number : acknowledged) {
      std::string id = std::to_string(number);
      id = "j-" + std::string(10 - id.size(), '0') + id;
      ASSERT_TRUE((*store)->find_job(JobId(id)).value().has_value()) << "lost: " << id;
    }
    EXPECT_TRUE(learn(**store).has_value());
  }
  std::printf(
      "%d full disks without a reserve: %d refused with a sentence, %d processes stopped by "
      "RocksDB, 0 lost\n",
      runs, refusals, stops);
}

}  // namespace
}  // namespace warpmind::knowledge_base
