// The controls of task admission: no task that we ship may pass with outputs that need no kernel.
#include "config/task_file.h"
#include "profilers/judge/elements.h"
#include "profilers/judge/judge_desk.h"
#include "tests/unit/judge/reference_build.h"

#include <algorithm>
#include <functional>

#include <gtest/gtest.h>

namespace warpmind::profilers {
namespace {

using testing::build_reference;
using testing::read_bytes;
using testing::TemporaryDirectory;
using testing::write_bytes;
namespace fs = std::filesystem;

std::vector<std::string> task_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(WARPMIND_SOURCE_DIR "/tasks")) {
    if (fs::exists(entry.path() / "task.toml")) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::int64_t elements_of(const Workload& workload, const Task& task) {
  std::int64_t total = 0;
  for (const Argument& argument : task.arguments) {
    if (argument.kind == ArgumentKind::scalar) continue;
    total += evaluate_product(argument.shape, workload.sizes).value_or(0);
  }
  return total;
}

class TaskControls : public ::testing::TestWithParam<std::string> {
 protected:
  /// Values for one output of one case, from what the case's kernel would be given.
  using Control = std::function<std::vector<double>(
      std::size_t count, const std::vector<std::vector<double>>& inputs)>;

  /// Judges `control` on every workload small enough for a test, six distributions each.
  Correctness judge(const Control& control, double baseline_error) {
    auto loaded = config::load_task(fs::path(WARPMIND_SOURCE_DIR "/tasks") / GetParam());
    EXPECT_TRUE(loaded) << (loaded ? "" : loaded.error().message);
    if (!loaded) return {};
    const Task& task = loaded->task;
    TemporaryDirectory directory;
    JudgeJob job;
    job.task = task;
    job.reference_library = build_reference(task.reference, directory.path()).string();
    job.directory = directory.path().string();
    for (const Workload& workload : task.workloads) {
      if (elements_of(workload, task) < 200'000) job.workloads.push_back(workload.name);
    }
    EXPECT_FALSE(job.workloads.empty()) << "a task needs a small workload";
    JudgeDesk desk;
    const JudgeReply prepared = desk.handle(job);
    EXPECT_TRUE(prepared.ok) << prepared.error;
    JudgeJob compare;
    compare.command = JudgeCommand::compare;
    compare.baseline_error = baseline_error;
    for (const PreparedCase& one : prepared.cases) {
      write_outputs(task, one, directory.path(), control);
      compare.cases.push_back(one.id);
    }
    const JudgeReply reply = desk.handle(compare);
    EXPECT_TRUE(reply.ok) << reply.error;
    return reply.correctness;
  }

  static void write_outputs(const Task& task, const PreparedCase& one, const fs::path& directory,
                            const Control& control) {
    const auto workload = std::find_if(task.workloads.begin(), task.workloads.end(),
                                       [&](const Workload& w) { return w.name == one.workload; });
    std::vector<std::vector<double>> inputs;
    for (const Argument& argument : task.arguments) {
      const auto file = one.inputs.find(argument.name);
      if (file == one.inputs.end()) continue;
      inputs.push_back(decode_elements(read_bytes(directory / file->second), argument.dtype));
    }
    for (const Argument& argument : task.arguments) {
      const auto file = one.outputs.find(argument.name);
      if (file == one.outputs.end()) continue;
      const auto count =
          static_cast<std::size_t>(*evaluate_product(argument.shape, workload->sizes));
      write_bytes(directory / file->second,
                  encode_elements(control(count, inputs), argument.dtype));
    }
  }

  void expect_refused(const Control& control) {
    for (const double baseline_error : {0.0, 1e-4}) {
      const Correctness found = judge(control, baseline_error);
      EXPECT_FALSE(found.passed);
      EXPECT_GT(found.worst_error_ratio, 4) << found.worst_case;
    }
  }
};

TEST_P(TaskControls, ZerosFail) {
  expect_refused([](std::size_t count, const auto&) { return std::vector<double>(count, 0); });
}

TEST_P(TaskControls, AConstantFails) {
  expect_refused([](std::size_t count, const auto&) { return std::vector<double>(count, 1); });
}

TEST_P(TaskControls, ACopyOfAnInputFails) {
  // Of each input in turn, repeated or cut to the size of the output.
  for (std::size_t which = 0; which < 4; ++which) {
    expect_refused([which](std::size_t count, const auto& inputs) {
      const auto& input = inputs[which % inputs.size()];
      std::vector<double> output(count);
      for (std::size_t i = 0; i < count; ++i) output[i] = input[i % input.size()];
      return output;
    });
  }
}

TEST_P(TaskControls, UnwrittenOutputsFail) {
  expect_refused([](std::size_t count, const auto&) {
    return std::vector<double>(count, std::numeric_limits<double>::quiet_NaN());
  });
}

INSTANTIATE_TEST_SUITE_P(Tasks, TaskControls, ::testing::ValuesIn(task_names()),
                         [](const auto& named) { return named.param; });

}  // namespace
}  // namespace warpmind::profilers
