#include "agents/builtin/lifting/recorded_task.h"

#include "base/file.h"
#include "base/input_ranges.h"
#include "base/plan_evaluation.h"
#include "config/task_file.h"
#include "config/task_writer.h"
#include "profilers/launch_record/buffer_contents.h"

#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::agents::builtin {
namespace {

using profilers::ProgramRecord;
using profilers::RecordedPlace;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const char* const kProgram = R"(
__global__ void scale(const float* x, float* y, float factor, int n) { y[n] = factor * x[n]; }
__global__ void sum(const float* x, float* sums, int rows) { sums[0] += x[rows]; }
template <int N, class T> __global__ void tile(T* x, T by) { x[N] = by; }
template <int... N> __global__ void pack(float* x) { x[0] = sizeof...(N); }
struct Shape { int n; };
__global__ void shaped(float* x, Shape shape) { x[shape.n] = 0; }
__global__ void strange(Shape* x) { x[0].n = 0; }
__global__ void pick(const long long* indices, float* y) { y[0] = indices[0]; }
int main() { return 0; }
)";

profilers::RecordedArgument pointer(std::size_t allocation, std::uint64_t offset = 0) {
  return {std::string(8, '\x11'), RecordedPlace{allocation, offset}};
}

template <class T>
profilers::RecordedArgument scalar(T value) {
  profilers::RecordedArgument argument;
  argument.bytes.resize(sizeof value);
  std::memcpy(argument.bytes.data(), &value, sizeof value);
  return argument;
}

/// scale(x, middle) and sum(middle, out), as tests/unit/launch_record/programs does.
ProgramRecord chain() {
  ProgramRecord record;
  record.allocations = {{1000, 400, {}, 1, {}}, {2000, 400, {}, 2, {}}, {3000, 40, {}, 3, {}}};
  record.transfers = {{{0, 4}, RecordedPlace{0, 0}, {}, 400},
                      {{0, 5}, RecordedPlace{2, 0}, {}, 40, 0},
                      {{0, 8}, {}, RecordedPlace{2, 0}, 40}};
  record.launches = {
      {{{2, 1, 1}, {64, 1, 1}, 0},
       {0, 6},
       "_Z5scalePKfPffi",
       {pointer(0), pointer(1), scalar(0.5F), scalar(100)}},
      {{{1, 1, 1}, {32, 1, 1}, 128}, {0, 7}, "_Z3sumPKfPfi", {pointer(1), pointer(2), scalar(10)}}};
  return record;
}

Result<RecordedTask> lift(const ProgramRecord& record, const std::string& program = kProgram) {
  WARPMIND_TRY(const auto source, CudaSource::read(program));
  return recorded_task("program", source, record);
}

/// One launch of `kernel`.
ProgramRecord one_launch(const std::string& kernel,
                         std::vector<profilers::RecordedArgument> arguments) {
  ProgramRecord record = chain();
  record.launches = {{{{1, 1, 1}, {32, 1, 1}}, {0, 6}, kernel, std::move(arguments)}};
  return record;
}

TEST(RecordedTask, TakesBuffersScalarsAndShapesFromTheRecord) {
  const auto recorded = lift(chain());
  ASSERT_TRUE(recorded.has_value()) << recorded.error().message;
  const Task& task = recorded->task;
  ASSERT_THAT(task.arguments, SizeIs(2));
  EXPECT_EQ(task.arguments[0].name, "x");
  EXPECT_EQ(task.arguments[0].kind, ArgumentKind::in);
  EXPECT_THAT(task.arguments[0].shape, ElementsAre("100"));
  EXPECT_EQ(task.arguments[1].name, "sums");
  EXPECT_EQ(task.arguments[1].kind, ArgumentKind::inout);
  const LaunchPlan& plan = task.kernel.plan;
  ASSERT_THAT(plan.scratch, SizeIs(1));
  EXPECT_EQ(plan.scratch[0], (ScratchBuffer{"y", Dtype::f32, "100", false}));
  ASSERT_THAT(plan.launches, SizeIs(2));
  EXPECT_EQ(plan.launches[0].kernel, "scale");
  EXPECT_THAT(plan.launches[0].arguments, ElementsAre("x", "y", "f32:0.5", "i32:100"));
  EXPECT_THAT(plan.launches[1].arguments, ElementsAre("y", "sums", "i32:10"));
  EXPECT_EQ(plan.launches[1].shared_bytes, "128");
  EXPECT_THAT(task.kernel.source, HasSubstr("extern \"C\" __global__ void scale"));
  EXPECT_THAT(recorded->skipped, IsEmpty());
  EXPECT_THAT(recorded->notes, IsEmpty());
}

/// chain(), or another record, with a folder of contents.
class RecordedContentsTest : public testing::Test {
 protected:
  void keep(ProgramRecord& record, std::size_t launch, std::size_t allocation,
            const std::string& bytes, std::size_t pieces = 0) {
    record.contents = folder_.path();
    const std::string name = profilers::contents_name(bytes);
    ASSERT_TRUE(write_output_file(folder_.path() / name, bytes));
    record.launches[launch].contents.push_back({allocation, name, pieces});
  }

  template <class T>
  static std::string bytes_of(const std::vector<T>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
  }

  ScratchDirectory folder_ =
      *ScratchDirectory::create(std::filesystem::temp_directory_path(), "recorded_contents_test");
};

TEST_F(RecordedContentsTest, IntegersComeWithTheirValues) {
  auto record = one_launch("_Z4pickPKxPf", {pointer(0, 8), pointer(2)});
  const std::vector<std::int64_t> indices{99, 3, 1, 7, 7};
  keep(record, 0, 0, bytes_of(indices));
  const auto recorded = lift(record);
  ASSERT_TRUE(recorded.has_value()) << recorded.error().message;
  const Argument& argument = recorded->task.arguments.at(0);
  EXPECT_THAT(argument.distributions, ElementsAre(Distribution::recorded));
  ASSERT_TRUE(argument.recorded.has_value());
  EXPECT_EQ(argument.recorded->values, profilers::contents_name(bytes_of(indices)));
  EXPECT_EQ(argument.recorded->offset, 8) << "the pointer lies behind the first element";
  EXPECT_EQ(argument.recorded->low, 1);
  EXPECT_EQ(argument.recorded->high, 7);
  EXPECT_EQ(argument.high, 0);
  EXPECT_EQ(describe_inputs(recorded->task), "indices as recorded");

  const auto folder = folder_.path() / "task";
  ASSERT_TRUE(config::write_task(folder, recorded->task, record.contents));
  const auto read = config::load_task(folder);
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(read->task.arguments, recorded->task.arguments);
  std::filesystem::remove_all(folder / kRecordedValuesFolder);
  const auto without = config::load_task(folder);
  ASSERT_FALSE(without.has_value());
  EXPECT_THAT(without.error().message, HasSubstr("does not exist"));
}

TEST_F(RecordedContentsTest, OfLargeBuffersAndOfNumbersOnlyFiguresAreTaken) {
  auto record = one_launch("_Z4pickPKxPf", {pointer(0), pointer(2)});
  keep(record, 0, 0, bytes_of(std::vector<std::int64_t>{1, 2, 5, 5}), 256);
  const auto sampled = lift(record);
  ASSERT_TRUE(sampled.has_value()) << sampled.error().message;
  const auto& figures = sampled->task.arguments.at(0).recorded;
  ASSERT_TRUE(figures.has_value());
  EXPECT_EQ(figures->values, "");
  EXPECT_TRUE(figures->sorted);
  EXPECT_EQ(describe_inputs(sampled->task), "indices like the recorded values");

  auto numbers = chain();
  keep(numbers, 0, 0, bytes_of(std::vector<float>(100, 2.5F)));
  const auto recorded = lift(numbers);
  ASSERT_TRUE(recorded.has_value());
  const Argument& x = recorded->task.arguments.at(0);
  ASSERT_TRUE(x.recorded.has_value());
  EXPECT_EQ(x.recorded->values, "") << "contents of numbers stay in the folder of the record";
  EXPECT_EQ(x.recorded->mean, 2.5);
  EXPECT_THAT(x.distributions, IsEmpty()) << "hostile inputs are drawn as well";
  EXPECT_EQ(describe_inputs(recorded->task),
            "x like the recorded values; sums invented (the program's values are not on record)");
}

TEST_F(RecordedContentsTest, WhatIsNotOnRecordIsSaidToBeInvented) {
  const auto recorded = lift(one_launch("_Z4pickPKxPf", {pointer(0), pointer(2)}));
  ASSERT_TRUE(recorded.has_value());
  EXPECT_THAT(describe_inputs(recorded->task), HasSubstr("indices invented (0 and 1"));
}

TEST(RecordedTask, EveryExpressionCanBeEvaluated) {
  const auto recorded = lift(chain());
  ASSERT_TRUE(recorded.has_value());
  const auto& [task, launches, skipped, notes] = *recorded;
  const Sizes& sizes = task.workloads.at(0).sizes;
  EXPECT_EQ(evaluate(task.cost.bytes, sizes).value(), 480);
  for (const auto& launch : task.kernel.plan.launches) {
    EXPECT_TRUE(evaluate_launch(launch, task.kernel.plan, sizes).has_value());
  }
  EXPECT_FALSE(task.id.empty());
}

TEST(RecordedTask, ARepeatedSequenceIsTakenOnce) {
  auto record = chain();
  for (int i = 0; i < 5; ++i) {
    record.launches.push_back(record.launches[0]);
    record.launches.push_back(record.launches[1]);
  }
  const auto recorded = lift(record);
  ASSERT_TRUE(recorded.has_value());
  EXPECT_THAT(recorded->task.kernel.plan.launches, SizeIs(2));
  EXPECT_THAT(recorded->notes, ElementsAre(HasSubstr("the first 2 of 12 launches")));
}

TEST(RecordedTask, ABufferThatTheHostReadsIsNoScratch) {
  auto record = chain();
  record.transfers.push_back({{0, 9}, {}, RecordedPlace{1, 0}, 4});
  const auto recorded = lift(record);
  ASSERT_TRUE(recorded.has_value());
  EXPECT_THAT(recorded->task.kernel.plan.scratch, IsEmpty());
  EXPECT_EQ(recorded->task.arguments.at(1).kind, ArgumentKind::out);
}

TEST(RecordedTask, AProgramThatReadsNothingBackHasNoScratch) {
  auto record = chain();
  record.transfers.pop_back();
  const auto recorded = lift(record);
  ASSERT_TRUE(recorded.has_value());
  EXPECT_THAT(recorded->task.kernel.plan.scratch, IsEmpty());
}

TEST(RecordedTask, IntegersMayBeIndices) {
  auto record = one_launch("_Z4pickPKxPf", {pointer(0), pointer(2)});
  const auto recorded = lift(record);
  ASSERT_TRUE(recorded.has_value()) << recorded.error().message;
  const Argument& indices = recorded->task.arguments.at(0);
  EXPECT_THAT(indices.shape, ElementsAre("50"));
  EXPECT_THAT(indices.distributions, ElementsAre(Distribution::index_range));
  EXPECT_EQ(indices.high, 1);
}

TEST(RecordedTask, NullStaysNull) {
  const auto recorded = lift(one_launch(
      "_Z5scalePKfPffi", {scalar(std::uint64_t{0}), pointer(1), scalar(1.0F), scalar(1)}));
  ASSERT_TRUE(recorded.has_value()) << recorded.error().message;
  EXPECT_EQ(recorded->task.kernel.plan.launches.at(0).arguments.at(0), "i64:0");
}

TEST(RecordedTask, AnInstanceOfATemplateBecomesAPlainKernel) {
  const auto recorded = lift(one_launch("_Z4tileILi4EfEvPT0_S0_", {pointer(2), scalar(0.25F)}));
  ASSERT_TRUE(recorded.has_value()) << recorded.error().message;
  EXPECT_THAT(recorded->task.kernel.source,
              HasSubstr("\nextern \"C\" __global__ void tile(float* x, float by) {\n"
                        "  constexpr int N = 4;\n  using T = float; x[N] = by; }"));
  EXPECT_EQ(recorded->task.arguments.at(0).dtype, Dtype::f32);
  EXPECT_THAT(recorded->task.kernel.plan.launches.at(0).arguments, ElementsAre("x", "f32:0.25"));
}

TEST(RecordedTask, OneInstanceOfATemplateIsTaken) {
  auto record = one_launch("_Z4tileILi4EfEvPT0_S0_", {pointer(2), scalar(0.25F)});
  record.launches.push_back(record.launches[0]);
  record.launches[1].kernel = "_Z4tileILi5EfEvPT0_S0_";
  const auto recorded = lift(record);
  ASSERT_TRUE(recorded.has_value());
  EXPECT_THAT(recorded->launches, ElementsAre(0));
  ASSERT_THAT(recorded->skipped, SizeIs(1));
  EXPECT_THAT(recorded->skipped[0].reason, HasSubstr("another instance"));
}

TEST(RecordedTask, SaysWhyALaunchIsLeftOut) {
  auto record = chain();
  record.launches.push_back({{{1, 1, 1}, {32, 1, 1}}, {0, 7}, "_Z4packIJLi4EEEvPf", {pointer(1)}});
  const auto recorded = lift(record);
  ASSERT_TRUE(recorded.has_value());
  EXPECT_THAT(recorded->launches, ElementsAre(0, 1));
  ASSERT_THAT(recorded->skipped, SizeIs(1));
  EXPECT_EQ(recorded->skipped[0].launch, 2U);
  EXPECT_EQ(recorded->skipped[0].reason,
            "it is an instance of a template with the parameter 'int... N'");
  EXPECT_THAT(recorded->task.kernel.plan.scratch, IsEmpty()) << "the other launch sees it";
}

struct Refused {
  ProgramRecord record;
  std::string reason;
};

TEST(RecordedTask, NothingToLiftIsOneSentence) {
  ProgramRecord unseen;
  unseen.unseen = {"cudaGraphLaunch"};
  for (const auto& [record, reason] : std::vector<Refused>{
           {{}, "the program launched no kernel"},
           {unseen, "the record does not show cudaGraphLaunch"},
           {one_launch("_Z4goneif", {scalar(1), scalar(1.0F)}), "the source does not define it"},
           {one_launch("_Z6shapedPf5Shape", {pointer(0), scalar(1)}), "type 'Shape'"},
           {one_launch("_Z7strangeP5Shape", {pointer(0)}), "no element type of tasks"},
           {one_launch("_Z3sumPKfPfi", {pointer(0), pointer(2)}), "2 arguments"},
           {one_launch("_Z3sumPKfPfi", {scalar(7L), pointer(2), scalar(1)}), "not on record"},
           {one_launch("_Z3sumPKfPfi", {pointer(0), pointer(0, 16), scalar(1)}), "into the middle"},
       }) {
    const auto recorded = lift(record);
    ASSERT_FALSE(recorded.has_value()) << reason;
    EXPECT_EQ(recorded.error().code, Errc::invalid_argument);
    EXPECT_THAT(recorded.error().message, HasSubstr(reason));
  }
}

TEST(RecordedTask, TwoKernelsOfOneNameAreRefused) {
  const auto recorded =
      lift(one_launch("_Z1kPf", {pointer(0)}),
           "__global__ void k(float* x) { x[0] = 1; }\n__global__ void k(int* x) { x[0] = 1; }\n");
  ASSERT_FALSE(recorded.has_value());
  EXPECT_THAT(recorded.error().message, HasSubstr("several functions are called 'k'"));
}

TEST(RecordedTask, AsAFolderItIsTheSameTask) {
  const auto scratch =
      ScratchDirectory::create(std::filesystem::temp_directory_path(), "recorded_task_test");
  ASSERT_TRUE(scratch.has_value());
  int number = 0;
  for (const ProgramRecord& record :
       {chain(), one_launch("_Z4pickPKxPf", {pointer(0), pointer(2)}),
        one_launch("_Z4tileILi4EfEvPT0_S0_", {pointer(2), scalar(0.1F)}),
        one_launch("_Z5scalePKfPffi", {pointer(0), pointer(2), scalar(-1e-30F), scalar(-7)})}) {
    auto recorded = lift(record);
    ASSERT_TRUE(recorded.has_value()) << recorded.error().message;
    const auto folder = scratch->path() / std::to_string(number++);
    const auto written = config::write_task(folder, recorded->task);
    ASSERT_TRUE(written.has_value()) << written.error().message;
    const auto read = config::load_task(folder);
    ASSERT_TRUE(read.has_value()) << read.error().message;
    recorded->task.directory = read->task.directory;
    EXPECT_EQ(read->task, recorded->task);
  }
}

TEST(RecordedTask, OneOffsetIsTheBeginningOfTheBuffer) {
  const auto recorded = lift(one_launch("_Z3sumPKfPfi", {pointer(0, 100), pointer(2), scalar(1)}));
  ASSERT_TRUE(recorded.has_value()) << recorded.error().message;
  EXPECT_THAT(recorded->task.arguments.at(0).shape, ElementsAre("75"));
}

}  // namespace
}  // namespace warpmind::agents::builtin
