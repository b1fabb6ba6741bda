#include "profilers/lab/prediction_seed.h"

#include "base/file.h"

#include <set>
#include <sys/stat.h>

#include <gtest/gtest.h>

namespace warpmind::profilers {
namespace {

class PredictionSeed : public testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path file() const {
    return prediction_secret_file(home_.path() / "cache" / "build");
  }
  [[nodiscard]] std::uint64_t of(const std::string& task, const std::string& workload) const {
    Task asked;
    asked.id = TaskId(task);
    Workload sizes;
    sizes.name = workload;
    return prediction_seed(file(), asked, sizes);
  }

  ScratchDirectory home_ =
      std::move(ScratchDirectory::create(std::filesystem::temp_directory_path(), "seed_test"))
          .value();
};

TEST_F(PredictionSeed, IsTheSameAtEveryStartAndAnotherForAnotherWorkload) {
  const std::uint64_t first = of("t-1", "large");

  EXPECT_NE(first, 0U);
  EXPECT_EQ(of("t-1", "large"), first);
  const std::set<std::uint64_t> all{first, of("t-1", "small"), of("t-2", "large")};
  EXPECT_EQ(all.size(), 3U);
}

TEST_F(PredictionSeed, ComesFromASecretThatOthersCannotRead) {
  const std::uint64_t first = of("t-1", "large");
  struct stat status {};
  ASSERT_EQ(::stat(file().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);

  std::filesystem::permissions(file(), std::filesystem::perms::others_read,
                               std::filesystem::perm_options::add);
  EXPECT_NE(of("t-1", "large"), first) << "what others may have read is no secret: a new one";
  ASSERT_EQ(::stat(file().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_F(PredictionSeed, AnotherMachineDrawsOtherData) {
  const std::uint64_t here = of("t-1", "large");
  std::filesystem::remove(file());

  EXPECT_NE(of("t-1", "large"), here);
}

TEST(PredictionSeedWithoutAPlace, IsDrawnAnew) {
  EXPECT_EQ(prediction_seed("/proc/nowhere/prediction.seed", {}, {}), 0U);
}

}  // namespace
}  // namespace warpmind::profilers
