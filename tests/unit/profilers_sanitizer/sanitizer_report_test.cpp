#include "profilers/sanitizer/sanitizer_report.h"

#include "logs.h"
#include "profilers/sanitizer/sanitizer_gate.h"

#include <random>

#include <gmock/gmock.h>

namespace warpmind::profilers {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(SanitizerPlaceTest, ReadsEveryForm) {
  struct Case {
    const char* text;
    const char* function;
    const char* file;
    int line;
  };
  const Case cases[] = {
      {"scale(const float *, int)+0x90 in /job/kernel.cu:7", "scale", "/job/kernel.cu", 7},
      {"void a::f<(int)2, b::c<float>>(T1 *, T2)+0xd0 in dir in x/k.cu:58", "a::f", "dir in x/k.cu",
       58},
      {"0x160 in k.cu:6:void fill<(int)2>(double *)", "fill", "k.cu", 6},
      {"0x00000388 in void reduce<unsigned int=512>(float*)", "reduce", "", 0},
      {"walk(int *)+0x4bd0", "walk", "", 0},
      {"plain_name+0x310 in fa.cu:214", "plain_name", "fa.cu", 214},
      {"(anonymous namespace)::hidden(int *)+0x10 in k.cu:3", "(anonymous namespace)::hidden",
       "k.cu", 3},
      {"/d/s.cu:20:k(int*) (k(int*) : 0x8f0)", "k", "/d/s.cu", 20},
      {"", "", "", 0},
      {"0x", "", "", 0},
      {"k(int *)+0x10 in k.cu:99999999999999999999", "k", "", 0},
  };
  for (const auto& one : cases) {
    const auto place = parse_sanitizer_place(one.text);
    EXPECT_EQ(place.function, one.function) << one.text;
    EXPECT_EQ(place.file, one.file) << one.text;
    EXPECT_EQ(place.line, one.line) << one.text;
  }
}

TEST(SanitizerReportTest, MemcheckNamesTheLineAndMergesWhatIsTheSame) {
  const auto report = parse_sanitizer_log(logs::kMemcheck);

  EXPECT_TRUE(report.finished);
  ASSERT_THAT(report.findings, SizeIs(1));
  const auto& finding = report.findings[0];
  EXPECT_EQ(finding.kind, "Invalid __global__ read of size 4 bytes");
  EXPECT_EQ(finding.kernel, "scale");
  EXPECT_EQ(finding.place.line, 7);
  EXPECT_EQ(finding.count, 2);
  EXPECT_THAT(finding.where, HasSubstr("by thread (255,0,0) in block (3,0,0)"));
  EXPECT_THAT(finding.where, HasSubstr("1 bytes after the nearest allocation"));
}

TEST(SanitizerReportTest, OlderMemcheckIsReadAlike) {
  const auto shared = parse_sanitizer_log(logs::kMemcheck2022);
  ASSERT_THAT(shared.findings, SizeIs(1));
  EXPECT_EQ(shared.findings[0].kernel, "attention_kernel") << "the outermost frame is the kernel";
  EXPECT_EQ(shared.findings[0].place.line, 97);
  const auto old = parse_sanitizer_log(logs::kMemcheck2021);
  ASSERT_THAT(old.findings, SizeIs(1));
  EXPECT_EQ(old.findings[0].kernel, "fill");
  EXPECT_EQ(old.findings[0].place.line, 6);
  const auto bare = parse_sanitizer_log(logs::kNoLines);
  ASSERT_THAT(bare.findings, SizeIs(1));
  EXPECT_EQ(bare.findings[0].place.line, 0);
  EXPECT_EQ(bare.findings[0].kernel, "walk");
}

TEST(SanitizerReportTest, RacesHaveTheirPartnerAndTheirWarnings) {
  const auto report = parse_sanitizer_log(logs::kRacecheck);

  EXPECT_TRUE(report.finished);
  ASSERT_THAT(report.findings, SizeIs(2));
  EXPECT_TRUE(report.findings[0].defect);
  EXPECT_EQ(report.findings[0].count, 36);
  EXPECT_EQ(report.findings[0].place.line, 12);
  EXPECT_EQ(report.findings[0].where, "Write against Read at kernel.cu:15");
  EXPECT_FALSE(report.findings[1].defect) << "lanes of one warp: the tool's own warning";
  const auto wrapped = parse_sanitizer_log(logs::kRacecheckWrapped);
  ASSERT_THAT(wrapped.findings, SizeIs(1));
  EXPECT_EQ(wrapped.findings[0].place.line, 28);
  EXPECT_EQ(wrapped.findings[0].kernel, "sum");
  EXPECT_EQ(wrapped.findings[0].count, 1024);
  EXPECT_EQ(wrapped.findings[0].where, "Write against Read at kernel.cu:30");
  const auto old = parse_sanitizer_log(logs::kRacecheck2020);
  ASSERT_THAT(old.findings, SizeIs(2));
  EXPECT_TRUE(old.findings[0].defect) << "defects first";
  EXPECT_EQ(old.findings[0].count, 124);
  EXPECT_EQ(old.findings[0].kernel, "test");
}

TEST(SanitizerReportTest, UninitialisedReadsAndBarriers) {
  const auto uninitialised = parse_sanitizer_log(logs::kInitcheck);
  ASSERT_THAT(uninitialised.findings, SizeIs(1)) << "copies of the host are not the kernel's";
  EXPECT_EQ(uninitialised.findings[0].kernel, "add");
  EXPECT_EQ(uninitialised.findings[0].place.line, 41);
  const auto barrier = parse_sanitizer_log(logs::kSynccheck);
  ASSERT_THAT(barrier.findings, SizeIs(1));
  EXPECT_EQ(barrier.findings[0].kind, "Barrier error detected. Divergent thread(s) in block");
  EXPECT_EQ(barrier.findings[0].count, 2);
}

TEST(SanitizerReportTest, WhatTheHostDidIsNoFinding) {
  const auto report = parse_sanitizer_log(logs::kClean);
  EXPECT_TRUE(report.finished);
  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_THAT(report.trouble, IsEmpty());
  const auto dead = parse_sanitizer_log(logs::kDidNotStart);
  EXPECT_FALSE(dead.finished);
  EXPECT_THAT(dead.trouble, HasSubstr("terminated before first instrumented"));
}

TEST(SanitizerReportTest, AVerdictNamesToolKernelAndLine) {
  const auto fault = failure_of(SanitizerTool::memcheck, parse_sanitizer_log(logs::kMemcheck));
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->outcome, Outcome::crashed);
  EXPECT_THAT(fault->reason,
              HasSubstr("compute-sanitizer memcheck found: Invalid __global__ read of size 4 bytes "
                        "in scale line 7, by thread (255,0,0)"));
  EXPECT_THAT(fault->reason, HasSubstr("; 2 times"));
  const auto race = failure_of(SanitizerTool::racecheck, parse_sanitizer_log(logs::kRacecheck));
  ASSERT_TRUE(race);
  EXPECT_EQ(race->outcome, Outcome::wrong);
  const auto elsewhere =
      failure_of(SanitizerTool::memcheck, parse_sanitizer_log(logs::kMemcheck2022));
  ASSERT_TRUE(elsewhere);
  EXPECT_THAT(elsewhere->reason, HasSubstr("in attention_kernel at tile.cuh:97"));
  EXPECT_FALSE(failure_of(SanitizerTool::memcheck, parse_sanitizer_log(logs::kClean)));
}

TEST(SanitizerReportTest, AnOrderThatRacecheckDoesNotSeeIsNotHeldAgainstAKernel) {
  EXPECT_THAT(unfit_for(SanitizerTool::racecheck, "asm(\"bar.arrive 1, 64;\");"),
              HasSubstr("order that such barriers make"));
  EXPECT_EQ(unfit_for(SanitizerTool::memcheck, "asm(\"bar.arrive 1, 64;\");"), "");
  EXPECT_EQ(unfit_for(SanitizerTool::racecheck, "__syncthreads();"), "");
  const auto report = parse_sanitizer_log(logs::kRacecheck);
  const auto plain = as_it_counts(SanitizerTool::racecheck, "__syncthreads();", report, true);
  EXPECT_TRUE(failure_of(SanitizerTool::racecheck, plain));
  const auto flagged =
      as_it_counts(SanitizerTool::racecheck, "__shared__ volatile int ready;", report, true);
  EXPECT_FALSE(failure_of(SanitizerTool::racecheck, flagged));
  EXPECT_EQ(flagged.findings.size(), report.findings.size());
  EXPECT_TRUE(failure_of(SanitizerTool::memcheck,
                         as_it_counts(SanitizerTool::memcheck, "volatile",
                                      parse_sanitizer_log(logs::kMemcheck), true)));
}

TEST(SanitizerReportTest, APartlyFilledCopyIsNotHeldAgainstAKernelWhoseBoundsWereChecked) {
  const auto counts = [](const char* log, std::string_view source, bool bounds_checked) {
    return failure_of(SanitizerTool::memcheck,
                      as_it_counts(SanitizerTool::memcheck, source, parse_sanitizer_log(log),
                                   bounds_checked))
        .has_value();
  };
  const char* const copies = "asm volatile(\"cp.async.cg.shared.global [%0], [%1], 16, %2;\"";
  EXPECT_FALSE(counts(logs::kPartlyFilledCopy, copies, true));
  EXPECT_FALSE(counts(logs::kPartlyFilledCopy, "cuda::memcpy_async(tile, x, bytes, pipe);", true));
  EXPECT_TRUE(counts(logs::kPartlyFilledCopy, copies, false)) << "nobody looked at the bytes";
  EXPECT_TRUE(counts(logs::kPartlyFilledCopy, "float4 v = x[i];", true));
  EXPECT_TRUE(counts(logs::kMemcheck, copies, true)) << "begins behind the allocation";
}

TEST(SanitizerReportTest, AnyPrefixAndAnyDamageIsRead) {
  std::mt19937 random(7);
  for (const char* log :
       {logs::kMemcheck, logs::kMemcheck2022, logs::kMemcheck2021, logs::kRacecheck,
        logs::kRacecheckWrapped, logs::kRacecheck2020, logs::kInitcheck, logs::kSynccheck}) {
    const std::string whole(log);
    const std::size_t most = parse_sanitizer_log(whole).findings.size();
    for (std::size_t size = 0; size <= whole.size(); ++size) {
      const auto report = parse_sanitizer_log(std::string_view(whole).substr(0, size));
      EXPECT_LE(report.findings.size(), most + 1);
      for (const auto& finding : report.findings) EXPECT_GE(finding.count, 1);
    }
    for (int round = 0; round < 300; ++round) {
      std::string damaged = whole;
      for (int hit = 0; hit < 8; ++hit) {
        damaged[random() % damaged.size()] = static_cast<char>(random() % 256);
      }
      for (const auto& finding : parse_sanitizer_log(damaged).findings) {
        EXPECT_GE(finding.count, 1);
        EXPECT_GE(finding.place.line, 0);
      }
    }
  }
}

TEST(SanitizerReportTest, HazardsDoNotOverflow) {
  std::string log;
  for (int i = 0; i < 3; ++i) {
    log +=
        "========= Error: Race reported between Write access at k(int *)+0x10 in kernel.cu:3\n"
        "=========     and Read access at k(int *)+0x20 in kernel.cu:4 [9000000000000000000 "
        "hazards]\n=========\n";
  }
  const auto report = parse_sanitizer_log(log);
  ASSERT_THAT(report.findings, SizeIs(1));
  EXPECT_GT(report.findings[0].count, 0);
}

}  // namespace
}  // namespace warpmind::profilers
