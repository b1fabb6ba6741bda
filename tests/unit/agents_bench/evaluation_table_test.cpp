#include "agents/benchmark/table_file.h"
#include "base/file.h"
#include "planted_bench.h"

#include <cmath>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace warpmind::agents::benchmark {
namespace {

class TableFile : public ::testing::Test {
 protected:
  TableFile()
      : folder_(ScratchDirectory::create(std::filesystem::temp_directory_path(), "warpmind-table")
                    .value()),
        file_(folder_.path() / "table.jsonl"),
        task_(planted_task("alpha", "copy")) {
    origin_.device.name = "NVIDIA H200";
    origin_.device.compute_major = 9;
    origin_.proposer = "planted";
  }

  RecordedKernel given() const {
    RecordedKernel kernel{task_.id, KernelId("k-0"), {}, "", "", {}};
    kernel.verdict.outcome = Outcome::same;
    kernel.verdict.measurement = Measurement{};
    kernel.verdict.measurement->device = origin_.device;
    kernel.verdict.measurement->median_ns = 1000;
    return kernel;
  }
  RecordedKernel child(const std::string& id, const std::string& parent, double ratio) const {
    RecordedKernel kernel{task_.id, KernelId(id), KernelId(parent), "unroll", "factor=4", {}};
    kernel.verdict.outcome = ratio > 1 ? Outcome::improved : Outcome::regressed;
    kernel.verdict.comparison = Comparison{ratio, ratio * 0.99, ratio * 1.01, 0.99, 7, 70};
    return kernel;
  }
  RecordedKernel wrong(const std::string& id) const {
    RecordedKernel kernel{task_.id, KernelId(id), KernelId("k-0"), "unroll", "factor=2", {}};
    kernel.verdict.outcome = Outcome::wrong;
    kernel.verdict.reason = "y[0]: got 1, want 2";
    return kernel;
  }

  void write(const std::vector<RecordedKernel>& kernels) const {
    auto writer = TableWriter::create(file_, origin_);
    ASSERT_TRUE(writer);
    ASSERT_TRUE(writer->write(task_));
    for (const auto& kernel : kernels) ASSERT_TRUE(writer->write(kernel));
  }
  void append(const std::string& text) const {
    std::ofstream(file_, std::ios::app | std::ios::binary) << text;
  }

  ScratchDirectory folder_;
  std::filesystem::path file_;
  TableOrigin origin_;
  Task task_;
};

TEST_F(TableFile, GivesBackWhatWasWritten) {
  const std::vector<RecordedKernel> kernels{given(), child("k-1", "k-0", 1.25),
                                            child("k-2", "k-1", 0.5), wrong("k-3")};
  write(kernels);

  const auto reading = read_table(file_);

  ASSERT_TRUE(reading) << reading.error().message;
  EXPECT_TRUE(reading->problems.empty());
  EXPECT_FALSE(reading->cut_short);
  EXPECT_EQ(reading->table.origin(), origin_);
  ASSERT_EQ(reading->table.tasks().size(), 1U);
  EXPECT_EQ(reading->table.tasks()[0].task(), task_);
  EXPECT_EQ(reading->table.tasks()[0].kernels(), kernels);
}

TEST_F(TableFile, ProfilesComeBackWithNumberedMetrics) {
  RecordedKernel profiled = child("k-1", "k-0", 1.25);
  profiled.verdict.profile = Profile{};
  profiled.verdict.profile->tier = ProfileTier::t2;
  profiled.verdict.profile->kernels = {
      {"one",
       0.75,
       {{"a", 1.5, "ns", MetricOrigin::measured}, {"b", 0, "ratio", MetricOrigin::exact}}},
      {"two", 0.25, {{"a", 2.5, "ns", MetricOrigin::modelled}}}};
  RecordedKernel other = child("k-2", "k-1", 1.1);
  other.verdict.profile = profiled.verdict.profile;
  write({given(), profiled});
  auto writer = TableWriter::resume(file_);
  ASSERT_TRUE(writer);
  ASSERT_TRUE(writer->write(other));

  const auto reading = read_table(file_);

  ASSERT_TRUE(reading && reading->problems.empty());
  EXPECT_EQ(reading->table.tasks()[0].kernels()[1], profiled);
  EXPECT_EQ(reading->table.tasks()[0].kernels()[2], other);
  const std::string text = read_file(file_, 1U << 20U).value();
  std::size_t declared = 0;
  for (auto at = text.find("{\"metric\""); at != std::string::npos;
       at = text.find("{\"metric\"", at + 1)) {
    ++declared;
  }
  EXPECT_EQ(declared, 3U) << "each once, over a resumption too";
}

TEST_F(TableFile, TimesFollowTheRatiosFromTheGivenKernel) {
  write({given(), child("k-1", "k-0", 1.25), child("k-2", "k-1", 2), wrong("k-3")});
  const auto reading = read_table(file_);
  ASSERT_TRUE(reading);
  const TaskRecording& recording = reading->table.tasks()[0];

  EXPECT_NEAR(*recording.log_gain(KernelId("k-2")), std::log(2.5), 1e-12);
  EXPECT_NEAR(std::exp(recording.time_of(KernelId("k-2"))->log_ns), 400, 1e-9);
  EXPECT_NEAR(recording.time_of(KernelId("k-2"))->reach, std::log(1.01), 1e-12);
  EXPECT_FALSE(recording.log_gain(KernelId("k-3")));
  EXPECT_NEAR(recording.best_log_gain(), std::log(2.5), 1e-12);
  EXPECT_EQ(recording.confirm_processes(), 7);
}

TEST_F(TableFile, LeavesOutBadLinesWithOneSentenceEach) {
  write({given(), child("k-1", "k-0", 1.25)});
  append("nonsense\n[]\n{\"a\":1}\n{\"kernel\":7,\"task\":\"t\"}\n");
  auto writer = TableWriter::resume(file_);
  ASSERT_TRUE(writer);
  ASSERT_TRUE(writer->write(child("k-1", "k-0", 1.5)));  // twice
  ASSERT_TRUE(writer->write(child("k-9", "k-8", 1.5)));  // made from nothing
  ASSERT_TRUE(writer->write(child("k-7", "k-0", -1)));   // no ratio
  ASSERT_TRUE(writer->write(given()));                   // a second one
  ASSERT_TRUE(writer->write(child("k-2", "k-1", 1.5)));  // good

  const auto reading = read_table(file_);

  ASSERT_TRUE(reading);
  ASSERT_EQ(reading->problems.size(), 8U);
  EXPECT_EQ(reading->table.kernels(), 3U);
  for (std::size_t i = 0; i < reading->problems.size(); ++i) {
    EXPECT_NE(reading->problems[i].find("table.jsonl:" + std::to_string(i + 5) + ": "),
              std::string::npos)
        << reading->problems[i];
  }
  EXPECT_NE(reading->problems[4].find("k-1: it is there already"), std::string::npos);
  EXPECT_NE(reading->problems[5].find("its parent k-8 is not there"), std::string::npos);
  EXPECT_NE(reading->problems[6].find("ratio is no positive number"), std::string::npos);
}

TEST_F(TableFile, RefusesWhatIsNoTable) {
  EXPECT_EQ(read_table(file_).error().code, Errc::not_found);
  append("");
  EXPECT_EQ(read_table(file_).error().code, Errc::corrupt_data);
  append("{\"task\":{}}\n");
  EXPECT_NE(read_table(file_).error().message.find("is no evaluation table"), std::string::npos);
  std::filesystem::remove(file_);
  append("{\"warpmind_evaluation_table\":99}\n");
  EXPECT_NE(read_table(file_).error().message.find("version 99"), std::string::npos);
}

TEST_F(TableFile, GoesOnAfterALineThatWasCutShort) {
  write({given(), child("k-1", "k-0", 1.25)});
  append("{\"kernel\":\"k-2\",\"par");
  ASSERT_TRUE(read_table(file_)->cut_short);
  {
    auto writer = TableWriter::resume(file_);
    ASSERT_TRUE(writer);
    ASSERT_TRUE(writer->write(child("k-2", "k-1", 1.5)));
  }

  const auto reading = read_table(file_);

  ASSERT_TRUE(reading);
  EXPECT_FALSE(reading->cut_short);
  EXPECT_TRUE(reading->problems.empty());
  EXPECT_EQ(reading->table.kernels(), 3U);
}

TEST_F(TableFile, DoesNotOverwrite) {
  write({given()});
  EXPECT_EQ(TableWriter::create(file_, origin_).error().code, Errc::conflict);
}

TEST(Trimmed, KeepsWhatReplayNeeds) {
  Verdict verdict;
  verdict.outcome = Outcome::build_failed;
  verdict.stages = {{Stage::static_checks, 0.1, true, ""}, {Stage::build, 1, false, "error"}};
  verdict.build = BuildReport{};
  verdict.build->diagnostics = std::string(5000, 'x');
  verdict.profile = Profile{};
  verdict.profile->kernels = {{"k", 1, {{"a", 1, "ns", MetricOrigin::measured}}}};
  verdict.profile->lines = {{"k", 3, {}}};

  const Verdict small = trimmed(verdict);

  ASSERT_EQ(small.stages.size(), 1U);
  EXPECT_EQ(small.stages[0].stage, Stage::build);
  EXPECT_LT(small.build->diagnostics.size(), 1000U);
  EXPECT_EQ(small.profile->kernels, verdict.profile->kernels);
  EXPECT_TRUE(small.profile->lines.empty());
}

}  // namespace
}  // namespace warpmind::agents::benchmark
