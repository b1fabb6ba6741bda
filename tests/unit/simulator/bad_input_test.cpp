/// Kernels and modules that nobody should write: each ends in bounded time with one sentence that
/// says what, where and how to go on.
#include "profilers/simulator/cudart/fatbin.h"
#include "profilers/simulator/ptx/parser.h"
#include "tests/unit/simulator/bug_case.h"

#include <cstdint>
#include <cstring>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::simulator {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// A module for `version` with `functions` before a kernel of two 64-bit parameters.
std::string module(const std::string& body, const std::string& functions = "",
                   const std::string& version = "8.0") {
  return ".version " + version + "\n.target sm_80\n.address_size 64\n.file 1 \"kernel.cu\"\n" +
         functions +
         ".visible .entry kernel(.param .u64 first, .param .u64 second) {\n"
         ".reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>;\n"
         ".loc 1 7 0\n" +
         body + "\nret;\n}\n";
}

Result<LaunchRecord> run(const std::string& ptx, const std::string& launch,
                         const std::string& first = "null", const std::string& second = "null") {
  BugCase bug;
  bug.launch = launch;
  bug.arguments = {first, second};
  return run_bug_case(bug, ptx, false);
}

/// The sentence with which the module is refused.
std::string refusal(const std::string& ptx) {
  const auto record = run(ptx, "");
  return record ? "it ran" : record.error().message;
}

TEST(BadInput, BillionThreadsEndAtTheStepLimit) {
  const auto record = run(module(""), "grid 1000000 block 1024 steps 100000");
  ASSERT_TRUE(record) << record.error().message;
  EXPECT_EQ(record->end, LaunchEnd::step_limit);
  EXPECT_EQ(record->warp_instructions, 100000U);
  EXPECT_THAT(record->end_reason, AllOf(HasSubstr("kernel kernel ran 100000 basic blocks"),
                                        HasSubstr("endless loop"), HasSubstr("CUDASIM_STEPS")));
}

TEST(BadInput, EndlessLoopEndsAtTheStepLimit) {
  const auto record = run(module("again: add.u32 %r1, %r1, 1; bra again;"), "steps 1000");
  ASSERT_TRUE(record) << record.error().message;
  EXPECT_EQ(record->end, LaunchEnd::step_limit);
  EXPECT_THAT(record->end_reason, AllOf(HasSubstr("endless loop"), HasSubstr("line 7")));
}

TEST(BadInput, ASlowKernelIsToldFromAnEndlessOne) {
  // Blocks end: there are too many of them.
  const auto slow = run(module(""), "grid 100000000 block 1024 seconds 0.05");
  ASSERT_TRUE(slow) << slow.error().message;
  EXPECT_EQ(slow->end, LaunchEnd::time_limit);
  EXPECT_GT(slow->blocks_run, 1U);
  EXPECT_THAT(slow->end_reason,
              AllOf(HasSubstr("the simulator got through"), HasSubstr("of 100000000 blocks")));
  // One block does not end, whatever the time that it gets.
  const auto endless = run(module("again: add.u32 %r1, %r1, 1; bra again;"), "block 32 seconds 2");
  ASSERT_TRUE(endless) << endless.error().message;
  EXPECT_EQ(endless->end, LaunchEnd::step_limit);
  EXPECT_THAT(endless->end_reason, AllOf(HasSubstr("its first block had not ended"),
                                         HasSubstr("endless loop"), HasSubstr("line 7")));
}

/// result = value <= bound ? 1 : value * recurse(value - 1).
std::string recursive(int bound) {
  return ".func (.param .b64 result) recurse(.param .b64 value) {\n"
         ".reg .pred %p<2>; .reg .b64 %rd<8>;\n"
         ".loc 1 3 0\n"
         "ld.param.u64 %rd1, [value]; setp.le.s64 %p1, %rd1, " +
         std::to_string(bound) +
         ";\n@%p1 bra last;\nadd.s64 %rd2, %rd1, -1;\n"
         "{ .param .b64 in; .param .b64 out;\n"
         "st.param.b64 [in], %rd2; call.uni (out), recurse, (in); ld.param.b64 %rd3, [out]; }\n"
         "mul.lo.s64 %rd4, %rd1, %rd3; st.param.b64 [result], %rd4; ret;\n"
         "last: mov.u64 %rd5, 1; st.param.b64 [result], %rd5; ret;\n}\n";
}

std::string call_recursive(int value) {
  return "mov.u64 %rd1, " + std::to_string(value) +
         ";\n{ .param .b64 in; .param .b64 out;\n"
         "st.param.b64 [in], %rd1; call.uni (out), recurse, (in); ld.param.b64 %rd2, [out]; }\n"
         "setp.eq.s64 %p1, %rd2, 2432902008176640000;\n@!%p1 trap;";
}

TEST(BadInput, BoundedRecursionWorks) {
  const auto record = run(module(call_recursive(20), recursive(1)), "block 32");
  ASSERT_TRUE(record) << record.error().message;
  EXPECT_EQ(record->end, LaunchEnd::completed)
      << record->end_reason;  // it traps on anything but 20!
  const auto wrong = run(module(call_recursive(19), recursive(1)), "block 32");
  ASSERT_TRUE(wrong) << wrong.error().message;
  EXPECT_EQ(wrong->end, LaunchEnd::fault);
}

TEST(BadInput, EndlessRecursionOverflowsTheStack) {
  const auto record = run(module(call_recursive(20), recursive(-1000000000)), "block 32");
  ASSERT_TRUE(record) << record.error().message;
  EXPECT_EQ(record->end, LaunchEnd::stack_overflow);
  EXPECT_THAT(record->end_reason, AllOf(HasSubstr("stack overflow"), HasSubstr("recurse"),
                                        HasSubstr("kernel"), HasSubstr("256")));
}

TEST(BadInput, InventedOpcodeIsNamedWithKernelAndLine) {
  EXPECT_THAT(refusal(module("frobnicate.rn.f32 %r1, %r2;")),
              AllOf(HasSubstr("kernel.cu line 7"), HasSubstr("frobnicate.rn.f32"),
                    HasSubstr("not simulated")));
}

TEST(BadInput, InventedModifierIsNamed) {
  EXPECT_THAT(refusal(module("add.sideways.u32 %r1, %r2, %r3;")),
              AllOf(HasSubstr("line 7"), HasSubstr("add.sideways.u32")));
}

TEST(BadInput, OtherVersionsOfPtxAreRefused) {
  for (const std::string version : {"5.0", "99.0"}) {
    EXPECT_THAT(refusal(module("", "", version)),
                AllOf(HasSubstr("PTX ISA " + version), HasSubstr("line 1"), HasSubstr("nvcc")))
        << version;
  }
}

TEST(BadInput, WhatIsNoPtxSaysWhatIsWanted) {
  EXPECT_THAT(refusal("int main() { return 0; }"), HasSubstr(".version"));
  EXPECT_THAT(refusal(""), HasSubstr(".version"));
  EXPECT_THAT(refusal(module("add.u32 %r1, %r2")), HasSubstr("line"));
}

TEST(BadInput, ImagesThatAreNoPtxSayHowToCompile) {
  const std::string cubin =
      "\x7f"
      "ELF and machine code";
  EXPECT_THAT(ptx_of_image(cubin.c_str(), 90).error().message,
              AllOf(HasSubstr("cubin"), HasSubstr("nvcc -ptx")));
  EXPECT_THAT(ptx_of_image("nonsense", 90).error().message,
              AllOf(HasSubstr("neither PTX"), HasSubstr("nvcc")));
  // A fat binary whose one entry says that it is longer than the file.
  std::vector<std::byte> cut(16 + 64);
  const auto put = [&](std::size_t at, auto value) {
    std::memcpy(cut.data() + at, &value, sizeof value);
  };
  put(0, std::uint32_t{0xba55ed50});
  put(6, std::uint16_t{16});
  put(8, std::uint64_t{64});
  put(16, std::uint16_t{1});
  put(16 + 4, std::uint32_t{64});
  put(16 + 8, std::uint64_t{4096});
  EXPECT_THAT(ptx_of_image(cut.data(), 90).error().message,
              AllOf(HasSubstr("fat binary"), HasSubstr("compile the program again")));
}

TEST(BadInput, PointersOfTheHostAreNamedWithTheirAddress) {
  const std::string load =
      "ld.param.u64 %rd1, [first]; cvta.to.global.u64 %rd2, %rd1; ld.global.u32 %r1, [%rd2];";
  const auto host = run(module(load), "block 1", "host");
  ASSERT_TRUE(host) << host.error().message;
  EXPECT_EQ(host->end, LaunchEnd::fault);
  ASSERT_EQ(host->checks.size(), 1U);
  EXPECT_EQ(host->checks[0].kind, CheckKind::null_or_host_pointer);
  EXPECT_NE(host->checks[0].address, 0U);
  EXPECT_EQ(host->checks[0].source_line, 7);
  EXPECT_THAT(host->end_reason, AllOf(HasSubstr("host pointer"), HasSubstr("cudaMalloc"),
                                      HasSubstr("line 7"), HasSubstr("address 0x")));
  const auto null = run(module(load), "block 1", "null");
  ASSERT_TRUE(null) << null.error().message;
  EXPECT_THAT(null->end_reason, AllOf(HasSubstr("null pointer"), HasSubstr("address 0x0")));
}

TEST(BadInput, ShapesThatNoDeviceTakesNameTheLimit) {
  const auto grid = run(module(""), "grid 0");
  ASSERT_FALSE(grid);
  EXPECT_THAT(grid.error().message, AllOf(HasSubstr("0x1x1"), HasSubstr("none is zero")));
  const auto block = run(module(""), "block 1025");
  ASSERT_FALSE(block);
  EXPECT_THAT(block.error().message, AllOf(HasSubstr("1025x1x1"), HasSubstr("1024")));
}

/// Waits until `clock` has gone on by 1000.
std::string wait_for(const std::string& clock) {
  return "mov.u64 %rd1, " + clock + ";\nagain: mov.u64 %rd2, " + clock +
         ";\nsub.s64 %rd3, %rd2, %rd1; setp.lt.u64 %p1, %rd3, 1000;\n@%p1 bra again;";
}

TEST(Clocks, GoOnWhileAKernelRuns) {
  for (const std::string clock : {"%clock64", "%globaltimer"}) {
    const auto record = run(module(wait_for(clock)), "block 64 steps 100000");
    ASSERT_TRUE(record) << record.error().message;
    EXPECT_EQ(record->end, LaunchEnd::completed) << clock << ": " << record->end_reason;
  }
}

TEST(Clocks, TwoReadsInARowDiffer) {
  for (const std::string body : {"mov.u32 %r1, %clock;\nmov.u32 %r2, %clock;\n"
                                 "setp.eq.u32 %p1, %r1, %r2;\n@%p1 trap;",
                                 "mov.u64 %rd1, %clock64;\nmov.u64 %rd2, %clock64;\n"
                                 "setp.eq.u64 %p1, %rd1, %rd2;\n@%p1 trap;"}) {
    const auto record = run(module(body), "block 32");
    ASSERT_TRUE(record) << record.error().message;
    EXPECT_EQ(record->end, LaunchEnd::completed) << record->end_reason;
  }
}

}  // namespace
}  // namespace warpmind::simulator
