#include "tests/unit/builtin/scene_of.h"

#include <gmock/gmock.h>

namespace warpmind::agents::builtin {
namespace {

using testing::HasSubstr;

SceneOf wide_kernel(const std::string& body, std::int64_t rows = 4096) {
  return {
      "extern \"C\" __global__ void k(const float* x, float* y, long long rows, int columns) {\n" +
          body + "}\n",
      {{"x", ArgumentKind::in, Dtype::f32, {"rows", "columns"}, "", {}, 0, 0},
       {"y", ArgumentKind::out, Dtype::f32, {"rows", "columns"}, "", {}, 0, 0}},
      {{"k",
        {"ceil_div(rows * columns, block_x)", "1", "1"},
        {"256", "1", "1"},
        "0",
        {"x", "y", "i64:rows", "i32:columns"}}},
      {{{"rows", rows}, {"columns", 2048}}, {{"rows", 3}, {"columns", 5}}}};
}

constexpr const char* kWideIndex =
    "  int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;\n"
    "  if (i >= rows * columns) return;\n"
    "  size_t row = i / columns;\n"
    "  y[row * columns + i % columns] = x[i];\n";

TEST(Index32BitTest, NarrowsIndicesUpToTheSizesThatWereLookedAt) {
  const auto scene = wide_kernel(kWideIndex);
  const auto offer = scene.offer("index_32bit");
  ASSERT_EQ(offer.moves.size(), 1U) << offer.refusal;
  EXPECT_NEAR(offer.moves[0].prior_gain, 1.4, 0.01);
  const auto source = scene.apply("index_32bit", "type=int").source;
  EXPECT_THAT(source,
              HasSubstr("int i = static_cast<int>(blockIdx.x) * blockDim.x + threadIdx.x;"));
  EXPECT_THAT(source, HasSubstr("int row = i / columns;"));
  EXPECT_THAT(source,
              HasSubstr("if (rows >= 0 && rows <= 4096LL && columns >= 0 && columns <= 2048)"));
  EXPECT_THAT(source, HasSubstr("wm_k_wide(x, y, rows, columns);"));
  EXPECT_THAT(source, HasSubstr("wm_k_narrow(x, y, static_cast<int>(rows), columns);"));
}

TEST(Index32BitTest, NarrowsCastsAsCWritesThem) {
  const auto scene = wide_kernel(
      "  int row = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (row >= 4096) return;\n"
      "  for (int c = 0; c < columns; ++c) y[(size_t)row * columns + c] = x[(long long)row];\n");
  const auto offer = scene.offer("index_32bit");
  ASSERT_EQ(offer.moves.size(), 1U) << offer.refusal;
  const auto source = scene.apply("index_32bit", "type=int").source;
  EXPECT_THAT(source, HasSubstr("y[(int)row * columns + c] = x[(int)row];"));
  EXPECT_THAT(source, HasSubstr("y[(size_t)row * columns + c] = x[(long long)row];"))
      << "of the wide copy";
}

TEST(Index32BitTest, LeavesSizesOfTypesAndAddressesAlone) {
  const auto scene = wide_kernel(
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i >= 4096 || ((size_t)y & 15) != 0) return;\n"
      "  if (reinterpret_cast<size_t>(x) % 16 != 0) return;\n"
      "  y[(size_t)i * columns] = sizeof(long long);\n");
  ASSERT_EQ(scene.offer("index_32bit").moves.size(), 1U) << scene.offer("index_32bit").refusal;
  const auto source = scene.apply("index_32bit", "type=int").source;
  const auto narrow = source.substr(source.find("wm_k_narrow"));
  EXPECT_THAT(narrow, HasSubstr("((size_t)y & 15) != 0"));
  EXPECT_THAT(narrow, HasSubstr("reinterpret_cast<size_t>(x) % 16"));
  EXPECT_THAT(narrow, HasSubstr("y[(int)i * columns] = sizeof(long long);"));
}

TEST(Index32BitTest, NamesWhatStandsInTheWay) {
  EXPECT_THAT(wide_kernel(kWideIndex, 2'000'000).offer("index_32bit").refusal,
              HasSubstr("in 'k'"));  // 4096 million elements
  EXPECT_THAT(wide_kernel("  long long sum = 0;\n  for (int i = 0; i < columns; ++i) sum += x[i];\n"
                          "  y[0] = sum;\n")
                  .offer("index_32bit")
                  .refusal,
              HasSubstr("'sum' is no index in 'k'"));
  EXPECT_THAT(wide_kernel("  size_t i = threadIdx.x;\n  if (i - 1 < 5) y[i] = x[i];\n")
                  .offer("index_32bit")
                  .refusal,
              HasSubstr("an unsigned difference in 'k'"));
  EXPECT_THAT(wide_kernel("  int i = threadIdx.x;\n"
                          "  y[i] = x[static_cast<long long>(x[i]) * columns];\n")
                  .offer("index_32bit")
                  .refusal,
              HasSubstr("may need more than 31 bits in 'k'"));
  auto twice = wide_kernel(kWideIndex);
  twice.task().kernel = twice.apply("index_32bit", "type=int");
  EXPECT_TRUE(twice.offer("index_32bit").moves.empty());
}

}  // namespace
}  // namespace warpmind::agents::builtin
