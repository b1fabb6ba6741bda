// Every kernel of the corpus gets the verdict that it deserves: those that cheat are refused for
// the right reason, those that only look like it are not. The lab is the simulator's; sources of
// tier B without a task are only read.
#include "base/model/verdict_reading.h"
#include "config/device_table.h"
#include "config/task_file.h"
#include "profilers/lab/static_checks.h"
#include "profilers/simulated_kernel_lab.h"
#include "tests/redteam/red_case.h"
#include "tests/unit/profilers/lab_places.h"

#include <algorithm>
#include <map>

#include <gmock/gmock.h>

namespace warpmind::redteam {
namespace {

const std::vector<RedCase>& corpus() {
  static const std::vector<RedCase> cases = [] {
    auto read = read_corpus(WARPMIND_SOURCE_DIR "/tests/redteam/cases");
    EXPECT_TRUE(read) << read.error().message;
    return read ? std::move(*read) : std::vector<RedCase>();
  }();
  return cases;
}

std::vector<RedCase> corpus_with(bool with_task) {
  std::vector<RedCase> some;
  std::copy_if(corpus().begin(), corpus().end(), std::back_inserter(some),
               [&](const RedCase& one) { return one.task.empty() != with_task; });
  return some;
}

std::string test_name(const testing::TestParamInfo<RedCase>& tested) {
  std::string name = tested.param.name;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

void expect_verdict(const RedCase& one, Outcome outcome, const std::string& reason) {
  if (!one.outcome) {
    EXPECT_FALSE(is_failure(outcome)) << name_of(outcome) << ": " << reason;
    EXPECT_NE(outcome, Outcome::blocked) << reason;
    return;
  }
  EXPECT_EQ(outcome, *one.outcome) << name_of(outcome) << ": " << reason;
  EXPECT_THAT(reason, testing::HasSubstr(one.reason));
}

class RedSource : public testing::TestWithParam<RedCase> {};

TEST_P(RedSource, IsReadRight) {
  Kernel kernel = GetParam().kernel;
  kernel.plan.launches.emplace_back().arguments = {"x", "y", "z"};
  const auto finding = profilers::check_statically(kernel);
  expect_verdict(GetParam(), finding ? finding->outcome : Outcome::same,
                 finding ? finding->reason : "");
}

INSTANTIATE_TEST_SUITE_P(Corpus, RedSource, testing::ValuesIn(corpus_with(false)), test_name);

class RedKernel : public testing::TestWithParam<RedCase> {
 protected:
  /// The task without its large workloads: what cheats on small ones is no better on large ones,
  /// and those need a GPU.
  static Task small_task(const std::string& name) {
    auto loaded = config::load_task(std::filesystem::path(WARPMIND_SOURCE_DIR "/tasks") / name);
    EXPECT_TRUE(loaded) << (loaded ? "" : loaded.error().message);
    Task task = loaded ? std::move(loaded->task) : Task{};
    std::erase_if(task.workloads, [](const Workload& workload) { return workload.timed; });
    return task;
  }

  Result<Verdict> judge(const Task& task, const Kernel& kernel) {
    WARPMIND_TRY(const auto devices, config::DeviceTable::load());
    config::Settings settings = places_.settings();
    const std::filesystem::path binaries(WARPMIND_BINARY_DIR);
    settings.lab.worker = binaries / "warpmind-worker";
    settings.lab.judge = binaries / "warpmind-judge";
    settings.lab.simulator = binaries.parent_path() / "lib" / "simulator";
    settings.lab.case_timeout_s = 3;
    WARPMIND_TRY(const auto lab, profilers::SimulatedKernelLab::create(settings, devices, "h200"));
    return lab->judge({.task = task, .kernel = kernel}, {});
  }

 private:
  profilers::LabPlaces places_;
};

TEST_P(RedKernel, GetsItsVerdict) {
  const Task task = small_task(GetParam().task);
  const auto verdict = judge(task, kernel_for(GetParam(), task));
  ASSERT_TRUE(verdict) << verdict.error().message;
  expect_verdict(GetParam(), verdict->outcome, verdict->reason);
}

INSTANTIATE_TEST_SUITE_P(Corpus, RedKernel, testing::ValuesIn(corpus_with(true)), test_name);

TEST(RedCorpus, HoldsTwoVariantsOfEachExploitAndFortyHonestKernels) {
  std::map<std::string, int> variants;
  int honest = 0;
  for (const auto& one : corpus()) {
    if (one.outcome) {
      ++variants[one.name.substr(0, 3)];
    } else {
      ++honest;
    }
  }
  for (const auto& [row, count] : variants) EXPECT_GE(count, 2) << row;
  EXPECT_GE(variants.size(), 32U);
  EXPECT_GE(honest, 40);
}

}  // namespace
}  // namespace warpmind::redteam
