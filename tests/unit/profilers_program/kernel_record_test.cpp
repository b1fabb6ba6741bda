#include "profilers/inject/kernel_record.h"

#include "base/file.h"

#include <gtest/gtest.h>

namespace warpmind::profilers {
namespace {

KernelRun a_run(const std::string& name, std::uint64_t start, std::uint64_t end) {
  KernelRun run;
  run.kernel = name;
  run.start_ns = start;
  run.end_ns = end;
  run.grid = {4, 2, 1};
  run.block = {128, 1, 1};
  run.registers = 32;
  run.shared_bytes = 512;
  run.stream = 7;
  return run;
}

class KernelTraceTest : public testing::Test {
 protected:
  ScratchDirectory folder_ =
      ScratchDirectory::create(std::filesystem::temp_directory_path(), "wm-test").value();
  std::filesystem::path file_ = folder_.path() / "kernels";
};

TEST_F(KernelTraceTest, WhatWasWrittenIsReadBack) {
  KernelTrace trace(file_.string(), "cupti");
  const std::vector<KernelRun> first{a_run("_Z3addv", 10, 25), a_run("plain", 30, 31)};
  ASSERT_TRUE(trace.write(first));
  ASSERT_TRUE(trace.write({a_run("_Z3addv", 40, 40)}));
  trace.add_dropped(3);
  ASSERT_TRUE(trace.finish());

  const auto record = read_kernel_record(file_);

  ASSERT_TRUE(record) << record.error().message;
  EXPECT_EQ(record->recorder, "cupti");
  ASSERT_EQ(record->runs.size(), 3U);
  EXPECT_EQ(record->runs[0], first[0]);
  EXPECT_EQ(record->runs[1], first[1]);
  EXPECT_EQ(record->dropped, 3U);
  EXPECT_TRUE(record->complete);
}

TEST_F(KernelTraceTest, ARecorderThatDiedLeavesAnIncompleteRecord) {
  KernelTrace trace(file_.string(), "cupti");
  ASSERT_TRUE(trace.write({}));

  const auto record = read_kernel_record(file_);

  ASSERT_TRUE(record) << record.error().message;
  EXPECT_TRUE(record->runs.empty());
  EXPECT_FALSE(record->complete);
}

TEST_F(KernelTraceTest, WritesNothingWithoutATarget) {
  KernelTrace trace("", "simulator");

  EXPECT_FALSE(trace.is_on());
  EXPECT_TRUE(trace.write({a_run("k", 1, 2)}));
  EXPECT_TRUE(trace.finish());
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(KernelTraceTest, IsBoundedAndCountsTheRest) {
  KernelTrace trace(file_.string(), "simulator");
  std::vector<KernelRun> many(kMostKernelRuns - 1);
  for (auto& run : many) run.kernel = "k";
  ASSERT_TRUE(trace.write(many));
  ASSERT_TRUE(trace.write({a_run("last", 1, 2), a_run("lost", 1, 2), a_run("lost", 1, 2)}));
  ASSERT_TRUE(trace.finish());

  const auto record = read_kernel_record(file_);

  ASSERT_TRUE(record) << record.error().message;
  EXPECT_EQ(record->runs.size(), kMostKernelRuns);
  EXPECT_EQ(record->runs.back().kernel, "last");
  EXPECT_EQ(record->dropped, 2U);
}

TEST_F(KernelTraceTest, SaysThatItCannotWrite) {
  KernelTrace trace((folder_.path() / "none" / "kernels").string(), "cupti");

  const auto written = trace.write({a_run("k", 1, 2)});

  ASSERT_FALSE(written);
  EXPECT_NE(written.error().message.find("cannot be written"), std::string::npos);
  EXPECT_TRUE(trace.write({a_run("k", 1, 2)})) << "said once";
}

struct BadRecord {
  const char* name;
  const char* text;
  const char* complaint;
};
std::ostream& operator<<(std::ostream& out, const BadRecord& one) { return out << one.name; }
class BadRecords : public testing::TestWithParam<BadRecord> {};

TEST_P(BadRecords, AreRefusedWithTheirLine) {
  const auto record = parse_kernel_record(GetParam().text);

  ASSERT_FALSE(record);
  EXPECT_EQ(record.error().code, Errc::corrupt_data);
  EXPECT_NE(record.error().message.find(GetParam().complaint), std::string::npos)
      << record.error().message;
}

INSTANTIATE_TEST_SUITE_P(
    , BadRecords,
    testing::Values(
        BadRecord{"empty", "", "names no recorder"}, BadRecord{"no_json", "hello\n", "line 1"},
        BadRecord{"list", "[1]\n", "line 1: is no object"},
        BadRecord{"cut_line", "{\"recorder\":\"cupti\"}\n{\"kernel\":\"k\",\"sta", "line 2"},
        BadRecord{"no_time", "{\"recorder\":\"cupti\"}\n{\"kernel\":\"k\"}\n", "line 2"},
        BadRecord{"backwards",
                  "{\"recorder\":\"cupti\"}\n{\"kernel\":\"k\",\"start\":5,\"end\":4}\n",
                  "ends before it begins"},
        BadRecord{"wrong_type", "{\"recorder\":7}\n", "line 1"}),
    [](const auto& param) { return param.param.name; });

}  // namespace
}  // namespace warpmind::profilers
