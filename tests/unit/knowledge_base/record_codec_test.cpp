#include "knowledge_base/record_codec.h"

#include "base/file.h"
#include "tests/fakes/sample_episodes.h"

#include <cstdlib>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::knowledge_base {
namespace {

using testing::HasSubstr;

// The values in the golden files. Never change them, nor the files: add files for a new version.

Kernel golden_kernel() {
  Kernel kernel;
  // Not UTF-8, with a zero inside and one at the end: sources come back byte for byte.
  constexpr char kSource[] = "__global__ void f(float* x) { x[0] = 1.5f; } // \xff\xfe\0!";
  kernel.source.assign(kSource, sizeof kSource);
  kernel.plan.constants["block_x"] = 128;
  kernel.plan.scratch.push_back({"partial", Dtype::f64, "blocks", true});
  kernel.plan.launches.push_back({"f", {"n", "1", "1"}, {"128", "1", "1"}, "0", {"x", "i32:n"}});
  kernel.build_flags = {"-O3"};
  return kernel;
}

Measurement golden_measurement() {
  Measurement m;
  m.provider = Provider::fixture;
  m.device = {"NVIDIA H200", "GPU-1", 9, 0, 132, 150'754'820'096, 62'914'560, "580.1", "13.0"};
  m.toolkit = "13.0";
  m.workload = "big";
  m.median_ns = 1234.5;
  m.low_ns = 1200.25;
  m.high_ns = 1300.75;
  m.samples = 70;
  m.launches_per_sample = 12;
  m.sm_clock_mhz = 1980;
  m.harness = "1";
  return m;
}

Step golden_step() {
  Step step;
  step.index = 4;
  step.candidate = {golden_kernel(),
                    KernelId("k-0123456789abcdef"),
                    "builtin",
                    "unroll",
                    "factor=4",
                    "loads in flight",
                    1.25,
                    0.9,
                    1.75};
  step.before.primary = BottleneckClass::memory_latency;
  step.before.secondary = {BottleneckClass::low_occupancy};
  // The file has a threshold beside it, which is read no more.
  step.before.deciders = {{"warps_active", 12.5, std::nullopt, "percent"}};
  step.before.headroom = 1;
  step.verdict.outcome = Outcome::improved;
  step.verdict.reason = "faster";
  step.verdict.stages = {{Stage::full_oracle, 0.5, true, "30 cases"}};
  step.verdict.comparison = Comparison{1.5, 1.25, 1.75, 0.99, 7, 70};
  step.verdict.measurement = golden_measurement();
  step.accepted = true;
  return step;
}

Task golden_task() {
  Task task;
  task.id = TaskId("t-0123456789abcdef");
  task.name = "scale";
  task.operator_family = "elementwise";
  task.arguments = {{"x",
                     ArgumentKind::inout,
                     Dtype::bf16,
                     {"rows", "columns"},
                     "",
                     {Distribution::normal},
                     0,
                     0}};
  task.workloads = {{"big", {{"rows", 4096}, {"columns", 8192}}, true}};
  task.contract.tolerance = ToleranceClass::reduction;
  task.cost = {"4*rows*columns", "rows*columns"};
  task.reference = "void reference() {}";
  return task;
}

Episode golden_episode(Split split) {
  Episode episode;
  episode.id = EpisodeId("e-0000000007");
  episode.task = golden_task().id;
  episode.task_name = "scale";
  episode.operator_family = "elementwise";
  episode.split = split;
  episode.provider = Provider::fixture;
  episode.started = {1'700'000'000'000};
  episode.finished = {1'700'000'060'000};
  episode.steps = {golden_step(), golden_step()};
  episode.best_step = 1;
  episode.best_against_baseline = Comparison{1.5, 1.25, 1.75, 0.99, 7, 70};
  episode.outcome = Outcome::improved;
  episode.summary = "1.5x";
  return episode;
}

StoredJob golden_job() {
  StoredJob stored;
  stored.job.id = JobId("j-0000000007");
  stored.job.state = JobState::done;
  stored.job.request.task = golden_task();
  stored.job.request.budget = {12, 300};
  stored.job.submitted = {1'700'000'000'000};
  stored.job.attempts = 2;
  stored.job.receipt = WriteBackReceipt{9, 2, 1, 2, {"unroll: 1.50x"}};
  stored.episode = EpisodeId("e-0000000007");
  return stored;
}

BestKernel golden_best() {
  return {{EpisodeId("e-0000000007"), 1.5, "NVIDIA H200", {"unroll", "block_size"}},
          KernelId("k-1"),
          KernelId("k-2"),
          Provider::fixture,
          "sm_90",
          1234.5,
          "big",
          "1"};
}

PosteriorCounts golden_counts() { return {{3, 0.25, 0.5}, {0.5, -0.125, 0}, 4, 1}; }

LogRecord golden_log() {
  return {"episode",
          {1'700'000'060'000},
          {"e-0000000007", "j-0000000007"},
          sha256("digest"),
          sha256("chain")};
}

StoreState golden_state() {
  return {9, 8, sha256("chain"), {{"jobs", 7}, {"log", 9}}, {{"improved", 1}}};
}

/// Bytes of a golden file. With WARPMIND_WRITE_GOLDEN set, a file that does not exist is written
/// first; one that exists is never changed.
std::string golden(const std::string& name, const Result<std::string>& now) {
  const std::filesystem::path path =
      std::filesystem::path(WARPMIND_TEST_DATA) / "records" / "v1" / (name + ".bin");
  if (std::getenv("WARPMIND_WRITE_GOLDEN") != nullptr && !std::filesystem::exists(path)) {
    EXPECT_TRUE(write_file_atomic(path, now.value()).has_value());
  }
  return read_file(path, 1U << 20U).value();
}

TEST(RecordCodec, GoldenRecordsOfVersion1AreReadByEveryBuild) {
  EXPECT_EQ(decode_task(golden("task", encode_task(golden_task()))).value(), golden_task());
  EXPECT_EQ(decode_kernel(golden("kernel", encode_kernel(golden_kernel()))).value(),
            golden_kernel());
  EXPECT_EQ(
      decode_measurement(golden("measurement", encode_measurement(golden_measurement()))).value(),
      golden_measurement());
  Step step = golden_step();
  const auto stored_step =
      decode_step(golden("step", encode_step(step, id_of(golden_kernel())))).value();
  step.candidate.kernel = {};
  step.verdict.measurement.reset();
  EXPECT_EQ(stored_step.step, step);
  EXPECT_TRUE(stored_step.measured);
  EXPECT_EQ(stored_step.kernel, id_of(golden_kernel()));
  EXPECT_EQ(decode_job(golden("job", encode_job(golden_job()))).value(), golden_job());
  EXPECT_EQ(decode_best_kernel(golden("best_kernel", encode_best_kernel(golden_best()))).value(),
            golden_best());
  EXPECT_EQ(decode_posterior(golden("posterior", encode_posterior(golden_counts()))).value(),
            golden_counts());
  EXPECT_EQ(decode_log(golden("log", encode_log(golden_log()))).value(), golden_log());
  EXPECT_EQ(decode_state(golden("state", encode_state(golden_state()))).value(), golden_state());
  EXPECT_EQ(decode_number(golden("number", encode_number(42))).value(), 42);
}

TEST(RecordCodec, WhatAQueueKeepsOfAJobSurvives) {
  StoredJob stored = golden_job();
  stored.job.request.terms = {
      "ada", 7, true, {JobId("j-0000000003")}, UnixMillis{5}, UnixMillis{9}, "2026-11-24"};
  stored.job.epoch = 4;
  stored.job.held = true;
  stored.job.dead = true;
  stored.job.history = {{4, "lane 0", UnixMillis{2}, {}, {}}};
  stored.job.spent = {4, 1.5, 0.5, 100, 2000};

  EXPECT_EQ(decode_job(encode_job(stored).value()).value(), stored);
}

TEST(RecordCodec, GoldenEpisodesReferToTheirStepsUnlessHeldOut) {
  Episode train = golden_episode(Split::train);
  const Episode heldout = golden_episode(Split::heldout);

  const auto stored = decode_episode(golden("episode", encode_episode(train))).value();
  const auto whole = decode_episode(golden("episode_heldout", encode_episode(heldout))).value();

  train.steps.clear();
  EXPECT_EQ(stored.episode, train);
  EXPECT_EQ(stored.referenced_steps, 2);
  EXPECT_EQ(whole.referenced_steps, 0);
  EXPECT_EQ(whole.episode.steps.size(), 2U);
  EXPECT_EQ(whole.episode.best_step, 1);
}

TEST(RecordCodec, KernelIdsOfVersion1NeverChange) {
  Kernel kernel = golden_kernel();
  kernel.source = "__global__ void f() {}";
  EXPECT_EQ(decode_kernel(encode_kernel(kernel).value()).value(), kernel);
  EXPECT_EQ(id_of(kernel).str().size(), 18U);
}

TEST(RecordCodec, AnUnknownVersionByteNamesANewerBuild) {
  std::string bytes = encode_posterior(golden_counts()).value();
  bytes[0] = 2;

  const auto decoded = decode_posterior(bytes);

  ASSERT_FALSE(decoded.has_value());
  EXPECT_EQ(decoded.error().code, Errc::corrupt_data);
  EXPECT_THAT(decoded.error().message, HasSubstr("record version 2"));
  EXPECT_THAT(decoded.error().message, HasSubstr("newer build"));
}

TEST(RecordCodec, WhatCannotBeReadAgainIsNotWritten) {
  Step step = golden_step();
  step.candidate.predicted_gain = std::numeric_limits<double>::quiet_NaN();

  const auto encoded = encode_step(step, KernelId("k-1"));

  ASSERT_FALSE(encoded.has_value());
  EXPECT_EQ(encoded.error().code, Errc::invalid_argument);
  EXPECT_THAT(encoded.error().message, HasSubstr("not finite"));
}

TEST(RecordCodec, AStepDoesNotRepeatItsSource) {
  EXPECT_THAT(encode_step(golden_step(), KernelId("k-1")).value(),
              testing::Not(HasSubstr("__global__")));
}

TEST(RecordCodec, DamagedBytesAreCorruptDataNeverMore) {
  const std::string kernel = encode_kernel(golden_kernel()).value();
  const std::string step = encode_step(golden_step(), KernelId("k-1")).value();
  for (std::size_t length = 0; length < kernel.size(); ++length) {
    const auto decoded = decode_kernel(std::string_view(kernel).substr(0, length));
    ASSERT_FALSE(decoded.has_value()) << length;
    EXPECT_EQ(decoded.error().code, Errc::corrupt_data);
  }
  for (std::size_t length = 0; length < step.size(); ++length) {
    const auto decoded = decode_step(std::string_view(step).substr(0, length));
    ASSERT_FALSE(decoded.has_value()) << length;
    EXPECT_EQ(decoded.error().code, Errc::corrupt_data);
  }
  std::string length_field = kernel;
  length_field[1] = '\xff';
  EXPECT_FALSE(decode_kernel(length_field).has_value());
}

}  // namespace
}  // namespace warpmind::knowledge_base
