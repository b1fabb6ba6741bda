#include "tests/unit/builtin_hosting/sample_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::agents::builtin {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

LiftedProgram lifted(const std::string& text, const profilers::ProgramRecord& record) {
  const auto source = CudaSource::read(text);
  EXPECT_TRUE(source.has_value());
  auto program = lift_program("p", *source, record);
  EXPECT_TRUE(program.has_value()) << program.error().message;
  return program ? std::move(*program) : LiftedProgram{};
}

std::string without(std::string text, const std::string& part) {
  text.erase(text.find(part), part.size());
  return text;
}

TEST(ProgramParts, AChainAndWhatIsLeftOfItsKernels) {
  const auto program = lifted(kSampleProgram, sample_record(3));
  ASSERT_THAT(program.parts, SizeIs(2));
  const auto& chain = program.parts[0];
  EXPECT_EQ(chain.name, "scale_shift");
  EXPECT_EQ(chain.task.name, "p_scale_shift");
  EXPECT_THAT(chain.launches, ElementsAre(0, 1));
  EXPECT_EQ(chain.times, 1);
  EXPECT_EQ(chain.refusal, "");
  ASSERT_THAT(chain.task.kernel.plan.scratch, SizeIs(1)) << "the local t";
  EXPECT_THAT(chain.task.arguments, SizeIs(2));
  const auto& alone = program.parts[1];
  EXPECT_THAT(alone.kernels, ElementsAre("shift"));
  EXPECT_EQ(alone.times, 3);
  EXPECT_EQ(alone.task.arguments.at(0).kind, ArgumentKind::inout);
}

TEST(ProgramParts, ABufferThatOthersSeeStaysAnArgument) {
  const auto program = lifted(without(kSampleProgram, "cudaFree(t);"), sample_record(1));
  EXPECT_THAT(program.parts[0].task.kernel.plan.scratch, SizeIs(1)) << "leaked, but unseen";
  std::string shown = kSampleProgram;
  shown.replace(shown.find("cudaFree(t);"), 12, "keep(t);");
  const auto seen = lifted(shown, sample_record(1));
  EXPECT_THAT(seen.parts[0].task.kernel.plan.scratch, IsEmpty());
  EXPECT_THAT(seen.parts[0].task.arguments, SizeIs(3));
}

TEST(ProgramParts, ACopyBetweenThemTakesAChainApart) {
  auto record = sample_record(0);
  record.launches[1].position = 20;
  record.transfers.push_back({{0, 8}, profilers::RecordedPlace{1, 0}, {}, 4});
  const auto program = lifted(kSampleProgram, record);
  EXPECT_THAT(program.parts, SizeIs(2));
  for (const auto& part : program.parts) EXPECT_THAT(part.kernels, SizeIs(1));
}

TEST(ProgramParts, TheSizeThatRanTheMostThreadsIsTaken) {
  auto record = sample_record(5);
  record.launches[4].grid = {90, 1, 1};
  const auto program = lifted(kSampleProgram, record);
  const auto shift = std::find_if(program.parts.begin(), program.parts.end(),
                                  [](const auto& part) { return part.name == "shift"; });
  ASSERT_NE(shift, program.parts.end());
  EXPECT_THAT(shift->launches, ElementsAre(4));
  EXPECT_EQ(shift->times, 1);
  EXPECT_THAT(shift->notes, ElementsAre(HasSubstr("1 other size")));
}

TEST(ProgramParts, AfterAFaultNothingIsLifted) {
  auto record = sample_record(1);
  record.faults = {{"_Z5scalePKfPffi", "global out of bounds, line 4"}};
  const auto program = lifted(kSampleProgram, record);
  EXPECT_THAT(program.parts, IsEmpty());
  EXPECT_THAT(program.faults,
              ElementsAre("'scale' failed while the program ran: global out of bounds, line 4"));
}

TEST(ProgramParts, WhatTheRunFoundIsTold) {
  auto record = sample_record(1);
  record.refused = {{"_Z5shiftPKfPfi", "its grid is empty"}};
  record.findings = {{"_Z5scalePKfPffi", "shared race, line 4: two threads"}};
  const auto program = lifted(kSampleProgram, record);
  EXPECT_THAT(program.parts, SizeIs(2));
  EXPECT_THAT(program.findings,
              ElementsAre("a launch of 'shift' did not happen: its grid is empty",
                          "'scale' in the recorded run: shared race, line 4: two threads"));
  record.launches.clear();
  const auto source = CudaSource::read(kSampleProgram);
  ASSERT_TRUE(source.has_value());
  EXPECT_THAT(lifted(kSampleProgram, record).findings, SizeIs(2)) << "what was found is not lost";
  record.findings.clear();
  const auto none = lift_program("p", *source, record);
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().message, "a launch of 'shift' did not happen: its grid is empty");
}

TEST(ProgramParts, AKernelWithoutResultsAmongItsArgumentsIsSkipped) {
  std::string counts = kSampleProgram;
  counts.replace(counts.find("if (i < n) y[i] = x[i] + 1;"), 27,
                 "if (i < n && x[i] > 0) count = i;");
  counts = "__device__ int count;\n" + counts;
  const auto program = lifted(counts, sample_record(3));
  ASSERT_THAT(program.skipped, SizeIs(1));
  EXPECT_THAT(program.skipped[0].reason, HasSubstr("writes to no buffer among its arguments"));
}

TEST(ProgramParts, SaysWhyNothingCanBeLifted) {
  const auto source = CudaSource::read("int main() { return 0; }\n");
  ASSERT_TRUE(source.has_value());
  const auto none = lift_program("p", *source, {});
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().message, "the program launched no kernel");
  const auto header = lift_program("p", *source, sample_record(0));
  ASSERT_FALSE(header.has_value());
  EXPECT_EQ(header.error().message,
            "kernel 'scale': the source does not define it; kernels in headers and other files "
            "are not looked at");
}

TEST(LaunchDigest, IsBlindForAddressesOnly) {
  const auto given = sample_record(2);
  auto moved = given;
  moved.launches[0].arguments[0].place->allocation = 2;
  moved.launches[0].arguments[0].bytes = std::string(8, '\x22');
  EXPECT_EQ(launch_digest(given), launch_digest(moved));
  auto other = given;
  other.launches[0].grid[0] = 3;
  EXPECT_NE(launch_digest(given), launch_digest(other));
  EXPECT_NE(launch_digest(given), launch_digest(sample_record(3)));
}

}  // namespace
}  // namespace warpmind::agents::builtin
