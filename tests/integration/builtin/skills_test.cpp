/// \file
/// The shipped skills and the tests in tests/skills: each is read, applies or refuses as its test
/// says, and what it writes computes what the given kernel does, without races, at every size of
/// the test.

#include "agents/builtin/skills/skill_library.h"
#include "agents/builtin/skills/skill_test.h"
#include "base/file.h"
#include "config/device_table.h"
#include "profilers/lab/hidden_oracle.h"
#include "tests/integration/builtin/rewrite_check.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

namespace warpmind::rewrites {
namespace {

namespace fs = std::filesystem;
using agents::builtin::read_skill;
using agents::builtin::read_skill_test;
using agents::builtin::SkillLibrary;
using agents::builtin::try_skill;

const fs::path kSkills = fs::path(WARPMIND_SOURCE_DIR) / "skills";
const fs::path kTests = fs::path(WARPMIND_SOURCE_DIR) / "tests" / "skills";
/// Kernels of one test that are run: the one that is tried first; `make check-all` runs some
/// further down, too.
std::size_t most_kernels() {
  const char* all = std::getenv("CHECK_ALL");  // NOLINT(concurrency-mt-unsafe): one thread
  return all != nullptr && std::string_view(all) == "1" ? 4 : 1;
}

std::vector<std::string> folders_of(const fs::path& root) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(root)) {
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> test_files() {
  std::vector<std::string> files;
  for (const auto& skill : folders_of(kTests)) {
    for (const auto& entry : fs::directory_iterator(kTests / skill)) {
      if (entry.path().extension() == ".cu") {
        files.push_back(skill + "/" + entry.path().filename().string());
      }
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST(ShippedSkills, EachFolderIsASkillOfItsName) {
  for (const auto& name : folders_of(kSkills)) {
    const auto skill = read_skill(kSkills / name);
    ASSERT_TRUE(skill.has_value()) << skill.error().message;
    EXPECT_EQ(skill->name, name);
    EXPECT_NE(SkillLibrary::shipped().find(name), nullptr) << name;
  }
}

TEST(ShippedSkills, EachHasTestsThatApplyAndTestsThatRefuse) {
  for (const auto& known : SkillLibrary::shipped().skills()) {
    const std::string& name = known.skill->name;
    std::size_t applies = 0;
    std::size_t refuses = 0;
    for (const auto& file : test_files()) {
      if (!file.starts_with(name + "/")) continue;
      const auto text = read_file(kTests / file, std::size_t{1} << 20);
      ASSERT_TRUE(text.has_value());
      const auto test = read_skill_test(*text, (kTests / file).string());
      ASSERT_TRUE(test.has_value()) << test.error().message;
      ++(test->applies ? applies : refuses);
    }
    EXPECT_GE(applies, 2U) << name;
    EXPECT_GE(refuses, 1U) << name;
  }
}

/// Sizes from the test's hidden ranges, the same ones in every run.
constexpr std::int64_t kDrawn = 2;
constexpr std::uint64_t kDrawnBy = 1;

/// The test's task with workloads from its hidden ranges.
Task with_drawn_sizes(Task task) {
  if (task.hidden.empty()) return task;
  for (auto& workload : profilers::draw_hidden_workloads(task, kDrawn, kDrawnBy)) {
    task.workloads.push_back(std::move(workload));
  }
  return task;
}

class SkillTestFile : public RewriteTest, public testing::WithParamInterface<std::string> {};

TEST_P(SkillTestFile, DoesWhatItSays) {
  const fs::path path = kTests / GetParam();
  const auto skill = read_skill(kSkills / path.parent_path().filename());
  ASSERT_TRUE(skill.has_value()) << skill.error().message;
  const auto text = read_file(path, std::size_t{1} << 20);
  ASSERT_TRUE(text.has_value()) << text.error().message;
  const auto test = read_skill_test(*text, path.string());
  ASSERT_TRUE(test.has_value()) << test.error().message;
  const auto table = config::DeviceTable::load();
  ASSERT_TRUE(table.has_value());
  const auto run = try_skill(*skill, *test, *table->find("h200"));
  EXPECT_EQ(run.complaint, "");
  if (!test->applies) return;
  const auto& flags = skill->build_flags;
  if (std::count(flags.begin(), flags.end(), "-arch=sm_90a") > 0) build_for("sm_90a");
  // The first ones and, of several, the last, which is the least like them.
  std::set<std::size_t> chosen;
  const std::size_t most = most_kernels();
  for (std::size_t i = 0; i < std::max<std::size_t>(most - 1, 1) && i < run.kernels.size(); ++i) {
    chosen.insert(i);
  }
  if (most > 1 && !run.kernels.empty()) chosen.insert(run.kernels.size() - 1);
  const Task task = with_drawn_sizes(test->task);
  const bool is_exact = test->task.contract.tolerance == ToleranceClass::exact;
  for (const std::size_t i : chosen) {
    const testing::ScopedTrace trace(__FILE__, __LINE__, run.kernels[i].first);
    expect_same(task, run.kernels[i].second, is_exact ? Closeness{} : Closeness{4, 1e-3});
  }
}

INSTANTIATE_TEST_SUITE_P(Files, SkillTestFile, testing::ValuesIn(test_files()),
                         [](const auto& file) {
                           std::string name = file.param;
                           for (char& c : name) {
                             if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
                           }
                           return name;
                         });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SkillTestFile);

}  // namespace
}  // namespace warpmind::rewrites
