#include "profilers/launch_record/call_trace.h"

#include "profilers/launch_record/program_record.h"

#include <filesystem>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::profilers {
namespace {

using ::testing::HasSubstr;

class CallTraceTest : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::remove(file_); }
  void TearDown() override { std::filesystem::remove(file_); }

  std::filesystem::path file_ = std::filesystem::temp_directory_path() /
                                ("warpmind_call_trace_" + std::to_string(::getpid()));
};

CudaCall device_wait() {
  CudaCall call;
  call.kind = CallKind::wait;
  call.name = "device";
  return call;
}

TEST_F(CallTraceTest, NothingIsWrittenWithoutATargetOrACall) {
  CallTrace off("", "test");
  EXPECT_FALSE(off.is_on());
  EXPECT_TRUE(off.write(device_wait()).has_value());
  const CallTrace unused(file_.string(), "test");
  EXPECT_TRUE(unused.is_on());
  EXPECT_FALSE(std::filesystem::exists(file_));
}

TEST_F(CallTraceTest, BeginsTheFileAnew) {
  for (int run = 0; run < 2; ++run) {
    CallTrace trace(file_.string(), "test");
    ASSERT_TRUE(trace.write(device_wait()).has_value());
  }
  const auto record = read_program_record(file_);
  ASSERT_TRUE(record.has_value()) << record.error().message;
  EXPECT_EQ(record->recorder, "test");
  EXPECT_EQ(record->waits.size(), 1U);
}

TEST_F(CallTraceTest, LinesOfThreadsStayWhole) {
  CallTrace trace(file_.string(), "test");
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int call = 0; call < 250; ++call) EXPECT_TRUE(trace.write(device_wait()).has_value());
    });
  }
  threads.clear();
  const auto record = read_program_record(file_);
  ASSERT_TRUE(record.has_value()) << record.error().message;
  EXPECT_EQ(record->waits.size(), 1000U);
  EXPECT_FALSE(record->is_cut);
}

TEST_F(CallTraceTest, StopsAtTheLimitAndSaysSo) {
  CallTrace trace(file_.string(), "test");
  for (std::size_t i = 0; i < kMostCalls + 10; ++i) {
    ASSERT_TRUE(trace.write(device_wait()).has_value());
  }
  const auto record = read_program_record(file_);
  ASSERT_TRUE(record.has_value()) << record.error().message;
  EXPECT_EQ(record->waits.size(), kMostCalls);
  EXPECT_TRUE(record->is_cut);
}

TEST_F(CallTraceTest, SaysOnceThatItCannotWrite) {
  CallTrace trace("/no/such/folder/record", "test");
  const auto first = trace.write(device_wait());
  ASSERT_FALSE(first.has_value());
  EXPECT_EQ(first.error().code, Errc::unavailable);
  EXPECT_THAT(first.error().message, HasSubstr("/no/such/folder/record"));
  EXPECT_TRUE(trace.write(device_wait()).has_value());
}

TEST_F(CallTraceTest, FullDiskIsAnError) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  CallTrace trace("/dev/full", "test");
  EXPECT_FALSE(trace.write(device_wait()).has_value());
}

}  // namespace
}  // namespace warpmind::profilers
