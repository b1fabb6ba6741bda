#include "agents/builtin/scene_rewrites.h"
#include "config/device_table.h"
#include "config/task_file.h"
#include "tests/integration/builtin/rewrite_check.h"

#include <filesystem>

#include <gtest/gtest.h>

namespace warpmind::rewrites {
namespace {

/// Row sums with a scaled copy of the rows.
Task row_sums() {
  const std::string source = R"(extern "C" __global__ void row_sums(const float* x, float* copy,
                                    float* sums, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int i = 0; i < columns; ++i) {
    sum += x[row * columns + i];
    copy[row * columns + i] = 2.0f * x[row * columns + i];
  }
  sums[row] = sum;
}
)";
  Launch launch{"row_sums",
                {"ceil_div(rows, block_x)", "1", "1"},
                {"128", "1", "1"},
                "0",
                {"x", "copy", "sums", "i32:rows", "i32:columns"}};
  return task_of(
      source,
      {input("x", Dtype::f32, {"rows", "columns"}), output("copy", Dtype::f32, {"rows", "columns"}),
       output("sums", Dtype::f32, {"rows"})},
      {launch},
      {{{"rows", 130}, {"columns", 64}},
       {{"rows", 1}, {"columns", 1}},
       {{"rows", 67}, {"columns", 5}}});
}

class PlainTechniques : public RewriteTest {};

TEST_F(PlainTechniques, ComputeTheSame) {
  const Task task = row_sums();
  for (const auto* const technique :
       {"block_size", "launch_bounds", "restrict", "unroll", "fast_math", "register_limit"}) {
    expect_all_same(task, technique);
  }
}

TEST_F(PlainTechniques, WorkOnAShippedTask) {
  auto task = shipped_task("vector_add_chain");
  ASSERT_TRUE(task.has_value()) << task.error().message;
  expect_all_same(*task, "block_size");
}

/// The proposer passes offers on without writing them.
TEST(EveryOffer, ChangesTheKernel) {
  const auto table = config::DeviceTable::load();
  ASSERT_TRUE(table.has_value());
  std::size_t offered = 0;
  for (const auto& folder :
       std::filesystem::directory_iterator(std::filesystem::path(WARPMIND_SOURCE_DIR) / "tasks")) {
    if (!folder.is_directory()) continue;
    const auto loaded = config::load_task(folder.path());
    ASSERT_TRUE(loaded.has_value()) << loaded.error().message;
    const Task& task = loaded->task;
    const Bottleneck bottleneck;
    const Advice advice;
    const DeviceSpec device = *table->find("h200");
    const agents::ProposalContext context{task, task.kernel, bottleneck, advice, device};
    const auto rewrites = agents::builtin::SceneRewrites::read(context);
    ASSERT_TRUE(rewrites.has_value()) << rewrites.error().message;
    for (const auto& technique : agents::builtin::techniques()) {
      for (const auto& move : rewrites->offer(technique).moves) {
        const auto kernel = rewrites->rewrite(technique, move.parameters);
        EXPECT_TRUE(kernel && *kernel != task.kernel)
            << task.name << ": " << technique.name << " " << move.parameters;
        ++offered;
      }
    }
  }
  EXPECT_GT(offered, 200U);
}

TEST_F(PlainTechniques, UnknownParametersAreRefused) {
  const auto kernel = rewritten(row_sums(), "unroll", "factor=banana");
  ASSERT_FALSE(kernel.has_value());
  EXPECT_EQ(kernel.error().code, Errc::invalid_argument);
  EXPECT_FALSE(rewritten(row_sums(), "no_such", "").has_value());
}

class RewriteCheck : public RewriteTest {
 protected:
  Task task_ = row_sums();
  Kernel given_ = task_.kernel;
};

TEST_F(RewriteCheck, NoticesAMissingGuard) {
  expect_noticed(task_, broken(given_, "row >= rows", "false"));
}
TEST_F(RewriteCheck, NoticesALostIndexTerm) {
  expect_noticed(task_, broken(given_, "sum += x[row * columns + i]", "sum += x[row * columns]"));
}
TEST_F(RewriteCheck, NoticesAWriteToAnInput) {
  expect_noticed(task_, broken(given_, "sums[row] = sum;",
                               "sums[row] = sum; const_cast<float*>(x)[row] = 9.0f;"));
}
TEST_F(RewriteCheck, NoticesAnOutputThatIsNotWritten) {
  expect_noticed(task_, broken(given_, "sums[row] = sum;", "if (row > 0) sums[row] = sum;"));
}
TEST_F(RewriteCheck, NoticesARace) {
  expect_noticed(task_, broken(given_, "sums[row] = sum;",
                               "sums[row] = sum; sums[(row + 1) % rows] = sum; sums[row] = sum;"));
}
TEST_F(RewriteCheck, NoticesAnEndlessLoop) {
  auto kernel = broken(given_, "i < columns", "columns > 0");
  kernel.source.replace(kernel.source.find("row * columns + i"), 17, "row * columns + i % 1");
  const auto at = kernel.source.find("copy[");
  kernel.source.replace(at, kernel.source.find(';', at) - at, "copy[row * columns] = sum");
  auto small = task_;
  small.workloads.resize(1);
  const auto comparison = RewriteComparison::create(builder(), small, {1 << 16});
  ASSERT_TRUE(comparison.has_value());
  EXPECT_FALSE(comparison->compare(kernel).workloads.at(0).error.empty());
}
TEST_F(RewriteCheck, SaysWhereAnElementDiffers) {
  const auto comparison = RewriteComparison::create(builder(), task_);
  ASSERT_TRUE(comparison.has_value());
  const auto report = comparison->compare(
      broken(given_, "sums[row] = sum;", "sums[row] = row == 3 ? sum + 0.5f : sum;"));
  ASSERT_EQ(report.workloads.size(), 3U);
  EXPECT_TRUE(report.workloads[1].same()) << "one row only";
  ASSERT_EQ(report.workloads[0].differences.size(), 1U);
  const Difference& found = report.workloads[0].differences[0];
  EXPECT_EQ(found.argument, "sums");
  EXPECT_EQ(found.index, 3U);
  EXPECT_EQ(found.count, 1U);
  EXPECT_DOUBLE_EQ(found.rewritten, found.given + 0.5);
  EXPECT_TRUE(
      comparison->compare(broken(given_, "sums[row] = sum;", "sums[row] = sum + 0.5f;"), {0, 0.5})
          .same());
}
TEST_F(RewriteCheck, SaysWhyAKernelDoesNotBuild) {
  const auto comparison = RewriteComparison::create(builder(), task_);
  ASSERT_TRUE(comparison.has_value());
  const auto report = comparison->compare(broken(given_, "float sum", "floaty sum"));
  EXPECT_FALSE(report.same());
  EXPECT_NE(report.describe().find("floaty"), std::string::npos) << report.describe();
}
TEST_F(RewriteCheck, CountsRegisters) {
  const auto resources = builder().resources(given_);
  ASSERT_TRUE(resources.has_value()) << resources.error().message;
  ASSERT_EQ(resources->size(), 1U);
  EXPECT_EQ(resources->front().kernel, "row_sums");
  EXPECT_GT(resources->front().registers, 0);
  EXPECT_EQ(resources->front().spill_store_bytes, 0);
}

}  // namespace
}  // namespace warpmind::rewrites
