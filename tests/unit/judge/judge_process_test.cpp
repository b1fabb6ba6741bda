#include "profilers/judge/elements.h"
#include "tests/unit/judge/reference_build.h"
#include "tests/unit/judge/runner_process.h"

#include <cmath>

#include <gtest/gtest.h>

namespace warpmind::profilers {
namespace {

using testing::build_reference;
using testing::PipedProcess;
using testing::read_bytes;
using testing::TemporaryDirectory;
using testing::write_bytes;

const std::string kJudge = std::string(WARPMIND_BINARY_DIR) + "/warpmind-judge";

constexpr const char* kRowSum = R"(
#include "warpmind_reference.h"
void reference(const warpmind::ReferenceCall& call) {
  const int64_t rows = call.size("rows"), columns = call.size("columns");
  for (int64_t r = 0; r < rows; ++r) {
    double sum = 0;
    for (int64_t c = 0; c < columns; ++c) sum += call.input("x")[r * columns + c];
    call.output("y")[r] = sum;
  }
}
)";

JudgeJob row_sum_job(const TemporaryDirectory& directory, const std::filesystem::path& library) {
  JudgeJob job;
  job.task.arguments = {{"x", ArgumentKind::in, Dtype::f32, {"rows", "columns"}, "", {}, 0, 0},
                        {"y", ArgumentKind::out, Dtype::f32, {"rows"}, "", {}, 0, 0}};
  job.task.workloads = {{"tiny", {{"rows", 33}, {"columns", 65}}, false}};
  job.task.contract.tolerance = ToleranceClass::contraction;
  job.task.contract.reduction_length = "columns";
  job.reference_library = library.string();
  job.directory = directory.path().string();
  job.workloads = {"tiny"};
  return job;
}

void sum_rows(const TemporaryDirectory& directory, const PreparedCase& one, std::size_t columns) {
  const auto x = decode_elements(read_bytes(directory.path() / one.inputs.at("x")), Dtype::f32);
  std::vector<double> y;
  for (std::size_t row = 0; row < 33; ++row) {
    float sum = 0;
    for (std::size_t c = 0; c < columns; ++c) sum += static_cast<float>(x[row * 65 + c]);
    y.push_back(double{sum});
  }
  write_bytes(directory.path() / one.outputs.at("y"), encode_elements(y, Dtype::f32));
}

TEST(JudgeProcess, JudgesARightAndAWrongKernelOverItsPipes) {
  TemporaryDirectory directory;
  const auto library = build_reference(kRowSum, directory.path());
  PipedProcess judge({kJudge}, "/", 1);
  for (const std::size_t columns : {65U, 64U}) {
    judge.send(encode(row_sum_job(directory, library)));
    const auto prepared = decode_judge_reply(judge.receive().value_or(""));
    ASSERT_TRUE(prepared);
    ASSERT_TRUE(prepared->ok) << prepared->error;
    ASSERT_EQ(prepared->cases.size(), 6U);
    JudgeJob compare;
    compare.command = JudgeCommand::compare;
    for (const PreparedCase& one : prepared->cases) {
      sum_rows(directory, one, columns);
      compare.cases.push_back(one.id);
    }
    judge.send(encode(compare));
    const auto reply = decode_judge_reply(judge.receive().value_or(""));
    ASSERT_TRUE(reply);
    ASSERT_TRUE(reply->ok) << reply->error;
    EXPECT_EQ(reply->correctness.passed, columns == 65) << reply->correctness.worst_case;
    EXPECT_EQ(reply->correctness.elements, 6 * 33);
  }
  EXPECT_EQ(judge.finish(), 0);
}

TEST(JudgeProcess, AnswersGarbageAndGoesOn) {
  PipedProcess judge({kJudge}, "/", 1);
  judge.send("{");
  const auto reply = decode_judge_reply(judge.receive().value_or(""));
  ASSERT_TRUE(reply);
  EXPECT_FALSE(reply->ok);
  EXPECT_NE(reply->error.find("judge job"), std::string::npos);
  EXPECT_EQ(judge.finish(), 0);
}

TEST(JudgeProcess, ACrashingReferenceEndsTheSessionAndNothingElse) {
  TemporaryDirectory directory;
  const auto library = build_reference(
      "#include \"warpmind_reference.h\"\n"
      "void reference(const warpmind::ReferenceCall&) { __builtin_trap(); }",
      directory.path());
  PipedProcess judge({kJudge}, "/", 1);
  JudgeJob compare;
  compare.command = JudgeCommand::compare;
  compare.cases = {"tiny/0"};

  judge.send(encode(row_sum_job(directory, library)));
  judge.send(encode(compare));
  std::optional<std::string> last = judge.receive();
  while (last) last = judge.receive();

  EXPECT_LT(judge.finish(), 0) << "ended by a signal";
}

}  // namespace
}  // namespace warpmind::profilers
