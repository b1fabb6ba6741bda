#include "profilers/judge/judge_desk.h"

#include "profilers/judge/elements.h"
#include "tests/unit/judge/reference_build.h"

#include <cmath>
#include <set>
#include <sys/stat.h>

#include <gtest/gtest.h>

namespace warpmind::profilers {
namespace {

using testing::build_reference;
using testing::read_bytes;
using testing::TemporaryDirectory;
using testing::write_bytes;

constexpr const char* kAxpy = R"(
#include "warpmind_reference.h"
void reference(const warpmind::ReferenceCall& call) {
  const int64_t n = call.size("n");
  const double* x = call.input("x");
  const double* y = call.input("y");
  for (int64_t i = 0; i < n; ++i) {
    call.output("y")[i] = call.scalar("alpha") * x[i] + y[i];
    call.output("largest")[i] = x[i] > y[i] ? x[i] : y[i];
  }
}
)";

/// y = alpha x + y (inout), largest = max(x, y): several outputs, a scalar, f16 and f32.
Task axpy_task() {
  Task task;
  task.name = "axpy";
  task.arguments = {{"alpha", ArgumentKind::scalar, Dtype::f32, {}, "0.5", {}, 0, 0},
                    {"x", ArgumentKind::in, Dtype::f16, {"n"}, "", {}, 0, 0},
                    {"y", ArgumentKind::inout, Dtype::f32, {"n"}, "", {}, 0, 0},
                    {"largest", ArgumentKind::out, Dtype::f32, {"n"}, "", {}, 0, 0}};
  task.workloads = {{"tiny", {{"n", 7}}, false}, {"full", {{"n", 1000}}, true}};
  task.contract.tolerance = ToleranceClass::elementwise;
  return task;
}

class JudgeDeskTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    build_ = new TemporaryDirectory();
    library_ = build_reference(kAxpy, build_->path());
  }
  static void TearDownTestSuite() { delete build_; }

  JudgeJob prepare_job(std::int64_t seeds, std::uint64_t fixed_seed = 0) {
    JudgeJob job;
    job.task = axpy_task();
    job.reference_library = library_.string();
    job.directory = job_.path().string();
    job.workloads = {"tiny", "full"};
    job.seeds = seeds;
    job.fixed_seed = fixed_seed;
    return job;
  }
  static JudgeJob compare_job(const std::vector<PreparedCase>& cases) {
    JudgeJob job;
    job.command = JudgeCommand::compare;
    for (const PreparedCase& one : cases) job.cases.push_back(one.id);
    return job;
  }
  std::vector<double> input(const PreparedCase& one, const std::string& name, Dtype dtype) {
    return decode_elements(read_bytes(job_.path() / one.inputs.at(name)), dtype);
  }
  void write_output(const PreparedCase& one, const std::string& name,
                    const std::vector<double>& values) {
    write_bytes(job_.path() / one.outputs.at(name), encode_elements(values, Dtype::f32));
  }
  /// What a right kernel in f32 leaves.
  void run_honestly(const PreparedCase& one) {
    const auto x = input(one, "x", Dtype::f16);
    auto y = input(one, "y", Dtype::f32);
    auto largest = y;
    for (std::size_t i = 0; i < x.size(); ++i) {
      largest[i] = std::max(x[i], y[i]);
      y[i] = double{std::fma(0.5F, static_cast<float>(x[i]), static_cast<float>(y[i]))};
    }
    write_output(one, "y", y);
    write_output(one, "largest", largest);
  }

  static inline TemporaryDirectory* build_ = nullptr;
  static inline std::filesystem::path library_;
  TemporaryDirectory job_;
  JudgeDesk desk_;
};

TEST_F(JudgeDeskTest, PreparesNamedCasesThatCoverTheDistributions) {
  const JudgeReply reply = desk_.handle(prepare_job(8));

  ASSERT_TRUE(reply.ok) << reply.error;
  ASSERT_EQ(reply.cases.size(), 16U);
  EXPECT_EQ(reply.cases[0].id, "tiny/0");
  EXPECT_EQ(reply.cases[15].id, "full/7");
  EXPECT_EQ(reply.cases[0].distribution, "normal");
  EXPECT_EQ(reply.cases[8].distribution, "normal");
  std::set<std::string> seen;
  std::set<std::string> files;
  for (const PreparedCase& one : reply.cases) {
    seen.insert(one.distribution);
    EXPECT_EQ(one.inputs.size(), 2U);
    EXPECT_EQ(one.outputs.size(), 2U);
    for (const auto& [name, file] : one.inputs) files.insert(file);
    for (const auto& [name, file] : one.outputs) files.insert(file);
  }
  EXPECT_EQ(seen.size(), 9U) << "eight distributions and uneven rows; a comparison loses NaN";
  EXPECT_EQ(files.size(), 16U * 4) << "every case has files of its own";
  EXPECT_EQ(input(reply.cases[8], "x", Dtype::f16).size(), 1000U);
}

TEST_F(JudgeDeskTest, AFixedSeedRepeatsAndOtherwiseSeedsDiffer) {
  auto first_input = [&](std::uint64_t seed) {
    const JudgeReply reply = desk_.handle(prepare_job(1, seed));
    return input(reply.cases.at(1), "y", Dtype::f32);
  };
  EXPECT_EQ(first_input(5), first_input(5));
  EXPECT_NE(first_input(5), first_input(6));
  EXPECT_NE(first_input(0), first_input(0));
}

TEST_F(JudgeDeskTest, PassesAnHonestKernel) {
  const JudgeReply prepared = desk_.handle(prepare_job(6));
  for (const PreparedCase& one : prepared.cases) run_honestly(one);

  const JudgeReply reply = desk_.handle(compare_job(prepared.cases));

  ASSERT_TRUE(reply.ok) << reply.error;
  // alpha x + y may cancel: units in the last place do not bound that for every input. They do
  // here, because fma rounds once.
  EXPECT_TRUE(reply.correctness.passed) << reply.correctness.worst_case;
  EXPECT_EQ(reply.correctness.cases, 12);
  EXPECT_EQ(reply.correctness.elements, 6 * 2 * (7 + 1000));
}

TEST_F(JudgeDeskTest, FindsOneWrongElementInOneOutput) {
  const JudgeReply prepared = desk_.handle(prepare_job(2));
  for (const PreparedCase& one : prepared.cases) run_honestly(one);
  const PreparedCase& spoilt = prepared.cases[3];
  auto values = decode_elements(read_bytes(job_.path() / spoilt.outputs.at("largest")), Dtype::f32);
  values[999] += 1;
  write_output(spoilt, "largest", values);

  const JudgeReply reply = desk_.handle(compare_job(prepared.cases));

  ASSERT_TRUE(reply.ok) << reply.error;
  EXPECT_FALSE(reply.correctness.passed);
  EXPECT_GT(reply.correctness.worst_error_ratio, 1);
  const std::string& words = reply.correctness.worst_case;
  EXPECT_TRUE(words.starts_with("full/1 (" + spoilt.distribution + ") largest[999]: got "))
      << words;
  EXPECT_TRUE(words.ends_with("; 1 of 1000 elements wrong")) << words;
}

TEST_F(JudgeDeskTest, AMissingShortOrForeignOutputIsWrong) {
  struct Spoiling {
    std::string words;
    std::function<void(const std::filesystem::path&)> apply;
  };
  for (const Spoiling& spoiling : std::vector<Spoiling>{
           {"left no output file", [](const auto& p) { std::filesystem::remove(p); }},
           {"has 24 bytes, the output has 28",
            [](const auto& p) { std::filesystem::resize_file(p, 24); }},
           {"left no output file",
            [](const auto& p) {
              std::filesystem::remove(p);
              std::filesystem::create_symlink("/dev/zero", p);
            }},
           {"is no regular file", [](const auto& p) {
              std::filesystem::remove(p);
              ASSERT_EQ(::mkfifo(p.c_str(), 0600), 0);
            }}}) {
    auto job = prepare_job(1);
    job.workloads = {"tiny"};
    const JudgeReply prepared = desk_.handle(job);
    run_honestly(prepared.cases[0]);
    spoiling.apply(job_.path() / prepared.cases[0].outputs.at("y"));

    const JudgeReply reply = desk_.handle(compare_job(prepared.cases));

    ASSERT_TRUE(reply.ok) << reply.error;
    EXPECT_FALSE(reply.correctness.passed);
    EXPECT_NE(reply.correctness.worst_case.find(spoiling.words), std::string::npos)
        << reply.correctness.worst_case;
  }
}

TEST_F(JudgeDeskTest, LaterPreparesContinueTheNumbersAndACaseIsComparedOnce) {
  const JudgeReply first = desk_.handle(prepare_job(2));
  const JudgeReply second = desk_.handle(prepare_job(1));
  ASSERT_EQ(second.cases.size(), 2U);
  EXPECT_EQ(second.cases[0].id, "tiny/2");
  run_honestly(second.cases[0]);
  EXPECT_TRUE(desk_.handle(compare_job({second.cases[0]})).correctness.passed);

  const JudgeReply again = desk_.handle(compare_job({second.cases[0]}));

  EXPECT_FALSE(again.ok);
  EXPECT_NE(again.error.find("no case tiny/2"), std::string::npos);
  EXPECT_FALSE(desk_.handle(compare_job({})).correctness.passed)
      << "nothing compared, nothing right";
}

TEST_F(JudgeDeskTest, SaysWhatIsWrongWithARequest) {
  auto error_of = [&](const std::function<void(JudgeJob&)>& change) {
    JudgeJob job = prepare_job(1);
    change(job);
    const JudgeReply reply = desk_.handle(job);
    EXPECT_FALSE(reply.ok);
    return reply.error;
  };
  EXPECT_NE(error_of([](JudgeJob& j) { j.workloads = {"huge"}; }).find("no workload named huge"),
            std::string::npos);
  EXPECT_NE(error_of([](JudgeJob& j) {
              j.reference_library = "/nonexistent.so";
            }).find("cannot load the reference"),
            std::string::npos);
  EXPECT_NE(error_of([](JudgeJob& j) { j.task.arguments[1].shape = {"q"}; }).find("shape of x"),
            std::string::npos);
  EXPECT_NE(error_of([](JudgeJob& j) { j.directory = "/proc/none"; }).find("cannot create"),
            std::string::npos);
}

TEST_F(JudgeDeskTest, AReferenceWithoutTheFunctionOrThatFailsIsNamed) {
  TemporaryDirectory other;
  JudgeJob job = prepare_job(1);
  job.reference_library = build_reference("int nothing;", other.path()).string();
  JudgeReply reply = desk_.handle(job);
  EXPECT_FALSE(reply.ok);
  EXPECT_NE(reply.error.find("defines no function `reference`"), std::string::npos) << reply.error;

  TemporaryDirectory third;
  job.reference_library = build_reference(R"(
    #include "warpmind_reference.h"
    void reference(const warpmind::ReferenceCall& call) { call.output("z")[0] = 1; })",
                                          third.path())
                              .string();
  const JudgeReply prepared = desk_.handle(job);
  ASSERT_TRUE(prepared.ok) << prepared.error;
  reply = desk_.handle(compare_job(prepared.cases));
  EXPECT_FALSE(reply.ok);
  EXPECT_NE(reply.error.find("asks for an argument that the task lacks: z"), std::string::npos)
      << reply.error;
}

TEST_F(JudgeDeskTest, AnElementThatTheReferenceForgetsIsAnError) {
  TemporaryDirectory other;
  JudgeJob job = prepare_job(1);
  job.workloads = {"tiny"};
  job.reference_library = build_reference(
                              "#include \"warpmind_reference.h\"\n"
                              "void reference(const warpmind::ReferenceCall&) {}",
                              other.path())
                              .string();
  const JudgeReply prepared = desk_.handle(job);
  run_honestly(prepared.cases[0]);
  const JudgeReply reply = desk_.handle(compare_job(prepared.cases));
  EXPECT_FALSE(reply.ok);
  EXPECT_NE(reply.error.find("does not compute element 0 of largest"), std::string::npos)
      << reply.error;
}

}  // namespace
}  // namespace warpmind::profilers
