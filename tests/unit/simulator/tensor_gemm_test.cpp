/// \file
/// Whole matrix products as nvcc compiles them (tests/data/ptx).

#include "tests/unit/simulator/tensor_bench.h"
#include "tests/unit/simulator/tensor_samples.h"

#include <fstream>
#include <sstream>

#include <gmock/gmock.h>

namespace warpmind::simulator::test {
namespace {

using ::testing::IsEmpty;

constexpr std::size_t kSize = 64;

std::string fixture(const std::string& name) {
  std::ifstream file(std::string(WARPMIND_TEST_DATA) + "/ptx/" + name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::uint16_t> halves(const Matrix& matrix) {
  std::vector<std::uint16_t> values;
  for (const int one : matrix) values.push_back(half_bits(static_cast<float>(one)));
  return values;
}

std::vector<float> floats(const Matrix& matrix) { return {matrix.begin(), matrix.end()}; }

/// Work of tensor instructions in all.
double tensor_flops(const LaunchRecord& record) {
  double flops = 0;
  for (const InstructionRecord& one : record.instructions) {
    if (one.flop_kind == FlopKind::tensor) {
      flops += static_cast<double>(one.flops) * static_cast<double>(one.lanes);
    }
  }
  return flops;
}

TEST(TensorGemm, WmmaThroughSharedMemoryWithBiasOnFragments) {
  TensorBench bench(fixture("gemm_wmma.ptx"));
  ASSERT_EQ(bench.unsupported(), "");
  const Matrix a = numbers(kSize * kSize, 1, kF16);
  const Matrix b = numbers(kSize * kSize, 2, kF16);
  const Matrix bias = numbers(kSize, 3, kF16);
  Matrix expected(kSize * kSize);
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = bias[i % kSize];
  const std::uint64_t c = bench.upload(std::vector<float>(kSize * kSize));
  const LaunchRecord record =
      bench.run({bench.upload(halves(a)), bench.upload(halves(b)), bench.upload(floats(bias)), c},
                {1, 1, 1}, {128, 1, 1});
  ASSERT_EQ(record.end_reason, "");
  EXPECT_THAT(record.checks, IsEmpty());
  EXPECT_EQ(bench.download<float>(c, kSize * kSize), floats(multiply(a, b, expected, kSize)));
  EXPECT_EQ(tensor_flops(record), 2.0 * kSize * kSize * kSize);
}

TEST(TensorGemm, MmaWithLdmatrixAndDoubleBufferedCopies) {
  TensorBench bench(fixture("gemm_mma.ptx"));
  ASSERT_EQ(bench.unsupported(), "");
  const Matrix a = numbers(kSize * kSize, 1, kF16);
  const Matrix b = numbers(kSize * kSize, 2, kF16);
  const std::uint64_t c = bench.upload(std::vector<float>(kSize * kSize));
  const LaunchRecord record =
      bench.run({bench.upload(halves(a)), bench.upload(halves(b)), c}, {1, 1, 1}, {128, 1, 1});
  ASSERT_EQ(record.end_reason, "");
  EXPECT_THAT(record.checks, IsEmpty());
  EXPECT_EQ(bench.download<float>(c, kSize * kSize),
            floats(multiply(a, b, Matrix(kSize * kSize), kSize)));
  EXPECT_EQ(tensor_flops(record), 2.0 * kSize * kSize * kSize);
}

/// The copy of the next tiles must be waited for: without the waits, ldmatrix reads what is still
/// under way.
TEST(TensorGemm, LdmatrixBeforeItsCopyHasLandedIsReported) {
  std::string text = fixture("gemm_mma.ptx");
  for (std::size_t at = text.find("cp.async.wait_group"); at != std::string::npos;
       at = text.find("cp.async.wait_group", at + 3)) {
    text.insert(at, "//");
  }
  TensorBench bench(text);
  const Matrix a = numbers(kSize * kSize, 1, kF16);
  const std::uint64_t in = bench.upload(halves(a));
  const std::uint64_t c = bench.upload(std::vector<float>(kSize * kSize));
  const LaunchRecord record = bench.run({in, in, c}, {1, 1, 1}, {128, 1, 1});
  bool is_seen = false;
  for (const CheckEntry& entry : record.checks) {
    is_seen |=
        entry.kind == CheckKind::async_not_waited && entry.instruction.starts_with("ldmatrix");
  }
  EXPECT_TRUE(is_seen);
}

}  // namespace
}  // namespace warpmind::simulator::test
