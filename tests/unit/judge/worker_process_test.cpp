#include "tests/unit/judge/runner_process.h"

#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

namespace warpmind::profilers {
namespace {

using testing::PipedProcess;

const std::string kWorker = std::string(WARPMIND_BINARY_DIR) + "/warpmind-worker";

/// Every device hidden: what a machine without a GPU looks like, on any machine.
class WorkerProcess : public ::testing::Test {
 protected:
  void SetUp() override { ::setenv("CUDA_VISIBLE_DEVICES", "", 1); }
  void TearDown() override { ::unsetenv("CUDA_VISIBLE_DEVICES"); }
};

TEST_F(WorkerProcess, SaysThatThereIsNoDeviceForEachJob) {
  PipedProcess worker({kWorker}, ".", 3);
  for (const JobMode mode : {JobMode::identify, JobMode::check, JobMode::time, JobMode::profile}) {
    RunnerJob job;
    job.mode = mode;

    worker.send(encode(job));
    const auto line = worker.receive();

    ASSERT_TRUE(line);
    const auto report = decode_runner_report(*line);
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_FALSE(report->ok);
    EXPECT_TRUE(report->no_device);
    EXPECT_NE(report->error.find("no CUDA device: cudaError"), std::string::npos);
    EXPECT_NE(report->error.find("nvidia-smi"), std::string::npos);
  }
  EXPECT_EQ(worker.finish(), 0);
}

TEST_F(WorkerProcess, AnswersAGarbledJobAndGoesOn) {
  PipedProcess worker({kWorker}, ".", 3);

  worker.send("{\"mode\":\"bogus\"}");
  worker.send("not json");
  const auto bogus = decode_runner_report(worker.receive().value_or(""));
  const auto garbled = decode_runner_report(worker.receive().value_or(""));

  ASSERT_TRUE(bogus);
  EXPECT_NE(bogus->error.find("'bogus' is none of identify, check"), std::string::npos);
  EXPECT_FALSE(bogus->no_device);
  ASSERT_TRUE(garbled);
  EXPECT_NE(garbled->error.find("invalid JSON"), std::string::npos);
  EXPECT_EQ(worker.finish(), 0);
}

TEST_F(WorkerProcess, RefusesToRunWithoutAPlaceForReports) {
  PipedProcess worker({kWorker}, ".", 1);

  EXPECT_EQ(worker.finish(), 2);
}

TEST_F(WorkerProcess, RefusesAnUnknownOption) {
  PipedProcess worker({kWorker, "--devise", "0"}, ".", 3);

  EXPECT_EQ(worker.finish(), 2);
}

}  // namespace
}  // namespace warpmind::profilers
