// compute-sanitizer needs a GPU. In its place a script starts the runner as the tool does, as a
// process of its own below it, and writes a log in the tool's format.
#include "profilers/sanitizer/sanitizer_gate.h"

#include "../profilers/lab_places.h"
#include "../profilers/twice_task.h"
#include "config/device_table.h"
#include "logs.h"
#include "profilers/sanitizer/sanitizer_command.h"
#include "profilers/worker_kernel_lab.h"

#include <gmock/gmock.h>

namespace warpmind::profilers {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class SanitizerGateTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto devices = config::DeviceTable::load();
    ASSERT_TRUE(devices) << devices.error().message;
    devices_ = std::move(*devices);
    settings_ = places_.settings("stand_in");
    settings_.lab.case_timeout_s = 60;
    // Every test builds the same three sources.
    static const auto cache =
        ScratchDirectory::create(std::filesystem::temp_directory_path(), "wm-gate").value();
    settings_.toolchain.cache_directory = cache.path();
  }

  /// A tool that runs its command, and then writes `log` for the tool named `for_tool`, a clean one
  /// for the others.
  void install(const std::string& for_tool, const std::string& log) {
    std::filesystem::create_directories(places_.path() / "tool");
    places_.write("tool/planted.log", log);
    places_.write("tool/clean.log",
                  "========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n");
    const std::string folder = (places_.path() / "tool").string();
    settings_.lab.sanitizer = places_.write("tool/compute-sanitizer",
                                            "#!/bin/sh\n"
                                            "tool=; log=\n"
                                            "while [ \"${1#--}\" != \"$1\" ]; do\n"
                                            "  [ \"$1\" = --tool ] && tool=$2\n"
                                            "  [ \"$1\" = --log-file ] && log=$2\n"
                                            "  shift 2\n"
                                            "done\n"
                                            "\"$@\"\n"
                                            "if [ \"$tool\" = \"" +
                                                for_tool + "\" ]; then cat " + folder +
                                                "/planted.log > \"$log\"\n"
                                                "else cat " +
                                                folder + "/clean.log > \"$log\"; fi\n");
    std::filesystem::permissions(settings_.lab.sanitizer, std::filesystem::perms::owner_all |
                                                              std::filesystem::perms::others_exec |
                                                              std::filesystem::perms::others_read);
  }

  Verdict judge(Effort effort, const std::string& kind = "fast") {
    auto lab = WorkerKernelLab::create(settings_, devices_);
    EXPECT_TRUE(lab) << lab.error().message;
    if (!lab) return {};
    const Kernel candidate = twice_kernel(kind);
    JudgeOrder order{task_, candidate, &incumbent_};
    order.effort = effort;
    auto verdict = (*lab)->judge(order, {});
    EXPECT_TRUE(verdict) << verdict.error().message;
    return verdict.value_or(Verdict{});
  }

  static std::string detail_of(const Verdict& verdict) {
    for (const auto& stage : verdict.stages) {
      if (stage.stage == Stage::sanitizer) return stage.detail;
    }
    return "no such stage";
  }

  LabPlaces places_;
  config::Settings settings_;
  config::DeviceTable devices_;
  Task task_ = twice_task();
  Kernel incumbent_ = twice_kernel();
};

TEST_F(SanitizerGateTest, AFinalistThatTheToolFaultsIsNoImprovement) {
  install("memcheck", logs::kMemcheck);
  const Verdict verdict = judge(Effort::normal);

  EXPECT_EQ(verdict.outcome, Outcome::crashed) << verdict.reason;
  EXPECT_THAT(verdict.reason,
              HasSubstr("compute-sanitizer memcheck found: Invalid __global__ read"));
  EXPECT_FALSE(verdict.measurement);
  EXPECT_FALSE(verdict.comparison);
  ASSERT_FALSE(verdict.findings.empty());
  EXPECT_EQ(verdict.findings[0].line, 7);
  EXPECT_EQ(verdict.stages.back().stage, Stage::sanitizer);
}

TEST_F(SanitizerGateTest, ACleanFinalistGoesOnBelowEveryTool) {
  install("none", "");
  const Verdict verdict = judge(Effort::strict);

  EXPECT_EQ(verdict.outcome, Outcome::improved) << verdict.reason;
  EXPECT_THAT(detail_of(verdict),
              HasSubstr("memcheck, racecheck, initcheck, synccheck on workload"));
  EXPECT_THAT(detail_of(verdict), HasSubstr("no defect"));
}

TEST_F(SanitizerGateTest, ARaceIsWrongAndOnlyStrictLooks) {
  install("racecheck", logs::kRacecheck);
  EXPECT_EQ(judge(Effort::normal).outcome, Outcome::improved);
  const Verdict strict = judge(Effort::strict);
  EXPECT_EQ(strict.outcome, Outcome::wrong) << strict.reason;
  EXPECT_THAT(strict.reason, HasSubstr("racecheck found: race on shared memory in reduce line 12"));
}

TEST_F(SanitizerGateTest, WhatCannotRunIsLeftOutAndSaysWhy) {
  settings_.lab.sanitizer = "/nonexistent/compute-sanitizer";
  const Verdict missing = judge(Effort::normal);
  EXPECT_EQ(missing.outcome, Outcome::improved) << missing.reason;
  EXPECT_THAT(detail_of(missing), HasSubstr("left out: compute-sanitizer is not at /nonexistent"));
  EXPECT_THAT(detail_of(missing), HasSubstr("lab.sanitizer"));

  install("memcheck", logs::kDidNotStart);
  const Verdict broken = judge(Effort::normal);
  EXPECT_EQ(broken.outcome, Outcome::improved) << broken.reason;
  EXPECT_THAT(detail_of(broken), HasSubstr("left out: memcheck: Error: Target application"));

  EXPECT_THAT(detail_of(judge(Effort::quick)), HasSubstr("left out: effort quick"));
}

TEST(SanitizerCommandTest, FindsTheProgramAndStartsTheRunnerBelowIt) {
  const LabPlaces places;
  const auto folder = places.path() / "toolkit" / "compute-sanitizer";
  std::filesystem::create_directories(folder);
  const auto nothing = find_sanitizer({}, places.path() / "elsewhere");
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.error().code, Errc::unavailable);
  EXPECT_THAT(nothing.error().message, HasSubstr("cuda-sanitizer"));
  const auto file = places.write("toolkit/compute-sanitizer/compute-sanitizer", "#!/bin/sh\n");
  EXPECT_FALSE(find_sanitizer({}, places.path() / "toolkit")) << "not executable";
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  const auto found = find_sanitizer({}, places.path() / "toolkit");
  ASSERT_TRUE(found) << found.error().message;

  RunnerPlace place;
  place.program = "/opt/warpmind-worker";
  place.arguments = {"--device"};
  const auto checked = sanitized_place(place, *found, SanitizerTool::memcheck);
  EXPECT_EQ(checked.program, *found);
  EXPECT_TRUE(checked.starts_processes);
  EXPECT_THAT(checked.arguments, Contains("--padding"));
  EXPECT_EQ(checked.arguments.back(), "--device");
  EXPECT_EQ(checked.arguments.at(checked.arguments.size() - 2), "/opt/warpmind-worker");
  EXPECT_THAT(checked.read_only, Contains(folder));
  EXPECT_THAT(sanitized_place(place, *found, SanitizerTool::synccheck).arguments,
              ::testing::Not(Contains("--padding")));
  EXPECT_THAT(sanitizer_tools(Effort::quick), IsEmpty());
  EXPECT_THAT(sanitizer_tools(Effort::normal), ElementsAre(SanitizerTool::memcheck));
  EXPECT_EQ(sanitizer_tools(Effort::strict).size(), 4U);
}

}  // namespace
}  // namespace warpmind::profilers
