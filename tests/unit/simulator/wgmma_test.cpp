/// \file
/// wgmma by a warpgroup against a triple loop, in the canonical layouts of shared memory written
/// out after the PTX ISA (in elements of 16 bits: 8 to a unit of 16 bytes).

#include "tests/unit/simulator/tensor_bench.h"
#include "tests/unit/simulator/tensor_samples.h"

#include <gmock/gmock.h>

namespace warpmind::simulator::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::size_t kThreads = 128;
constexpr std::size_t kRows = 64;
constexpr std::size_t kPart = 16384;  ///< bytes of each factor's place in shared memory

/// How a factor lies in shared memory.
struct Form {
  std::size_t span = 16;   ///< bytes swizzled together; 16 = none
  bool is_turned = false;  ///< rows (of A, columns of B) run along lines
};

struct Placed {
  std::vector<std::byte> bytes = std::vector<std::byte>(kPart);
  std::uint64_t descriptor = 0;
};

/// Descriptor of a matrix at `start`.
std::uint64_t descriptor(std::size_t start, std::size_t leading, std::size_t stride,
                         std::size_t span) {
  const std::uint64_t mode = span == 128 ? 1 : span == 64 ? 2 : span == 32 ? 3 : 0;
  return start / 16 | std::uint64_t{leading / 16} << 16U | std::uint64_t{stride / 16} << 32U |
         mode << 62U;
}

/// The matrix cut into pieces of 8 lines by `span` bytes, one after the other: first those that
/// follow each other along lines. In a piece, unit u of line i stands at u ^ i (no swizzle), where
/// i counts lines of 128 bytes.
Placed place(const Matrix& matrix, std::size_t rows, std::size_t depth, const Type& type,
             const Form& form, std::size_t start) {
  Placed out;
  const std::size_t lines = form.is_turned ? depth : rows;
  const std::size_t length = (form.is_turned ? rows : depth) * type.bytes;
  const std::size_t along = length / form.span;
  for (std::size_t i = 0; i < lines; ++i) {
    for (std::size_t at = 0; at < length; at += type.bytes) {
      const std::size_t row = form.is_turned ? at / type.bytes : i;
      const std::size_t k = form.is_turned ? i : at / type.bytes;
      const std::uint64_t bits = type.bits(matrix[row * depth + k]);
      const std::size_t piece = i / 8 * along + at / form.span;
      std::size_t inside = i % 8 * form.span + at % form.span;
      if (form.span > 16) inside ^= inside / 128 % (form.span / 16) * 16;
      std::memcpy(out.bytes.data() + piece * 8 * form.span + inside, &bits, type.bytes);
    }
  }
  const std::size_t next_along = 8 * form.span;
  const std::size_t next_down = 8 * form.span * along;
  // Without swizzle and turned, the fields change over: the stride leads along the lines.
  const bool changes_over = form.is_turned && form.span == 16;
  out.descriptor = changes_over ? descriptor(start, next_down, next_along, form.span)
                                : descriptor(start, next_along, next_down, form.span);
  return out;
}

struct Case {
  std::size_t n = 8;
  std::size_t k = 16;
  Type a;
  Type b;
  Type sum;
  Form a_form;
  Form b_form;
  bool a_in_registers = false;
  bool adds = true;
  int scale_a = 1;
  int scale_b = 1;
};

std::string number(std::size_t value) { return std::to_string(value); }

std::string list(const std::string& name, std::size_t count) {
  std::string text = "{";
  for (std::size_t i = 0; i < count; ++i) text += (i == 0 ? "%" : ", %") + name + number(i);
  return text + "}";
}

std::string instruction(const Case& one, std::size_t sums) {
  std::string text = "wgmma.mma_async.sync.aligned.m64n" + number(one.n) + "k" + number(one.k) +
                     "." + one.sum.name + "." + one.a.name + "." + one.b.name + " " +
                     list("s", sums) + ", " + (one.a_in_registers ? list("a", 4) : "%da") +
                     ", %db, %adds";
  if (one.sum.name != "s32") {
    text += ", " + std::to_string(one.scale_a) + ", " + std::to_string(one.scale_b);
  }
  if (one.a.bytes == 2) {
    if (!one.a_in_registers) text += one.a_form.is_turned ? ", 1" : ", 0";
    text += one.b_form.is_turned ? ", 1" : ", 0";
  }
  return text + ";\n";
}

/// The descriptors count from the tile. Copies both factors to shared memory, reads sums and A's
/// registers, multiplies, writes sums.
std::string kernel_of(const Case& one, std::size_t sums) {
  std::string text =
      ".version 8.4\n.target sm_90a\n.address_size 64\n.visible .entry kernel(.param .u64 tiles,\n"
      ".param .u64 sums, .param .u64 left, .param .u64 a_bits, .param .u64 b_bits,\n"
      ".param .u64 adds) {\n.reg .b32 %s<128>, %a<4>, %t, %x, %to, %i;\n.reg .pred %adds, %more;\n"
      ".reg .b64 %da, %db, %from, %own, %left, %o, %flag, %start;\n.shared .align 1024 .b8 tile[" +
      number(2 * kPart) +
      "];\nmov.u32 %t, %tid.x;\nmul.wide.u32 %o, %t, 4;\nld.param.u64 %from, [tiles];\n"
      "add.u64 %from, %from, %o;\nld.param.u64 %own, [sums];\nadd.u64 %own, %own, %o;\n"
      "ld.param.u64 %left, [left];\nadd.u64 %left, %left, %o;\nld.param.u64 %da, [a_bits];\n"
      "ld.param.u64 %db, [b_bits];\nld.param.u64 %flag, [adds];\nsetp.ne.u64 %adds, %flag, 0;\n"
      "mov.u32 %to, tile;\nshr.u32 %x, %to, 4;\ncvt.u64.u32 %start, %x;\n"
      "add.u64 %da, %da, %start;\nadd.u64 %db, %db, %start;\nmad.lo.u32 %to, %t, 4, %to;\nmov.u32 "
      "%i, 0;\nagain:\n"
      "ld.global.b32 %x, [%from];\nst.shared.b32 [%to], %x;\nadd.u64 %from, %from, 512;\n"
      "add.u32 %to, %to, 512;\nadd.u32 %i, %i, 512;\nsetp.lt.u32 %more, %i, " +
      number(2 * kPart) + ";\n@%more bra again;\nbar.sync 0;\n";
  for (std::size_t i = 0; i < sums; ++i) {
    text += "ld.global.b32 %s" + number(i) + ", [%own+" + number(512 * i) + "];\n";
  }
  for (std::size_t i = 0; i < 4; ++i) {
    text += "ld.global.b32 %a" + number(i) + ", [%left+" + number(512 * i) + "];\n";
  }
  text += "wgmma.fence.sync.aligned;\n" + instruction(one, sums) +
          "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n";
  for (std::size_t i = 0; i < sums; ++i) {
    text += "st.global.b32 [%own+" + number(512 * i) + "], %s" + number(i) + ";\n";
  }
  return text + "ret;\n}\n";
}

/// Of the ISA's figure for D: register i of a thread.
std::pair<std::size_t, std::size_t> sum_place(std::size_t thread, std::size_t i) {
  const std::size_t lane = thread % 32;
  return {thread / 32 * 16 + lane / 4 + (i / 2 % 2) * 8, i / 4 * 8 + lane % 4 * 2 + i % 2};
}

/// Words of all threads from elements at sum_place().
Words pack_sums(const Matrix& matrix, std::size_t columns, const Type& type) {
  const std::size_t each = matrix.size() / kThreads;
  Words words(each * type.bytes / 4 * kThreads);
  for (std::size_t thread = 0; thread < kThreads; ++thread) {
    for (std::size_t i = 0; i < each; ++i) {
      const auto [row, column] = sum_place(thread, i);
      const std::size_t at = i * type.bytes;
      words[at / 4 * kThreads + thread] |=
          static_cast<std::uint32_t>(type.bits(matrix[row * columns + column]) << (at % 4 * 8));
    }
  }
  return words;
}

Matrix turned(const Matrix& matrix, std::size_t columns) {
  const std::size_t rows = matrix.size() / columns;
  Matrix out(matrix.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = matrix[i % rows * columns + i / rows];
  return out;
}

struct Outcome {
  std::string unsupported;
  Words sums;
  LaunchRecord record;
};

Outcome run(const Case& one, const Matrix& a, const Matrix& b_turned, const Matrix& c) {
  const Placed left = place(a, kRows, one.k, one.a, one.a_form, 0);
  const Placed right = place(b_turned, one.n, one.k, one.b, one.b_form, kPart);
  std::vector<std::byte> tiles = left.bytes;
  tiles.insert(tiles.end(), right.bytes.begin(), right.bytes.end());
  // A's registers are those of a sum with 16 columns of 16 bits.
  const Words a_words = one.a_in_registers ? pack_sums(a, one.k, one.a) : Words(4 * kThreads);
  const Words c_words = pack_sums(c, one.n, one.sum);
  TensorBench bench(kernel_of(one, c_words.size() / kThreads));
  if (!bench.unsupported().empty()) return {bench.unsupported(), {}, {}};
  const std::uint64_t sums = bench.upload(c_words);
  const LaunchRecord record = bench.run({bench.upload(tiles), sums, bench.upload(a_words),
                                         left.descriptor, right.descriptor, one.adds ? 1ULL : 0ULL},
                                        {1, 1, 1}, {kThreads, 1, 1});
  return {"", bench.download<std::uint32_t>(sums, c_words.size()), record};
}

void expect_product(const Case& one) {
  SCOPED_TRACE(instruction(one, 0) + " spans " + number(one.a_form.span) + " and " +
               number(one.b_form.span));
  const Matrix a = numbers(kRows * one.k, 1, one.a);
  const Matrix b = numbers(one.k * one.n, 2, one.b);
  const Matrix c = numbers(kRows * one.n, 3, one.sum);
  const Outcome outcome = run(one, a, turned(b, one.n), c);
  ASSERT_EQ(outcome.unsupported, "");
  ASSERT_EQ(outcome.record.end_reason, "");
  EXPECT_THAT(outcome.record.checks, IsEmpty());
  Matrix product = multiply(a, b, Matrix(kRows * one.n), one.k);
  for (std::size_t i = 0; i < product.size(); ++i) {
    product[i] = one.scale_a * one.scale_b * product[i] + (one.adds ? c[i] : 0);
  }
  EXPECT_EQ(outcome.sums, pack_sums(product, one.n, one.sum));
}

TEST(Wgmma, EverySwizzleAlongK) {
  for (const Type& type : {kF16, kBf16}) {
    for (const std::size_t n : {8U, 64U, 256U}) {
      expect_product({n, 16, type, type, kF32, {16}, {16}});
      expect_product({n, 16, type, type, kF32, {32}, {32}});
    }
  }
}

/// A tile of 128-byte lines holds four steps of k: the start moves inside the swizzled line.
TEST(Wgmma, WideSwizzlesAreReadStepByStep) {
  for (const std::size_t span : {64U, 128U}) {
    const std::size_t depth = span / 2;
    const Matrix a = numbers(kRows * depth, 1, kF16);
    const Matrix b = numbers(32 * depth, 2, kF16);  // turned: 32 rows
    const Placed left = place(a, kRows, depth, kF16, {span}, 0);
    const Placed right = place(b, 32, depth, kF16, {span}, kPart);
    std::vector<std::byte> tiles = left.bytes;
    tiles.insert(tiles.end(), right.bytes.begin(), right.bytes.end());
    const Case one{32, 16, kF16, kF16, kF32, {span}, {span}};
    TensorBench bench(kernel_of(one, 16));
    const std::uint64_t from = bench.upload(tiles);
    const std::uint64_t sums = bench.upload(Words(16 * kThreads));
    for (std::size_t k = 0; k < depth; k += 16) {
      const std::uint64_t step = k * 2 / 16;
      const LaunchRecord record =
          bench.run({from, sums, sums, left.descriptor + step, right.descriptor + step, 1},
                    {1, 1, 1}, {kThreads, 1, 1});
      ASSERT_EQ(record.end_reason, "");
    }
    const Matrix expected = multiply(a, turned(b, depth), Matrix(kRows * 32), depth);
    EXPECT_EQ(bench.download<std::uint32_t>(sums, 16 * kThreads), pack_sums(expected, 32, kF32));
  }
}

TEST(Wgmma, TransposedFactors) {
  for (const std::size_t span : {16U, 32U, 64U, 128U}) {
    expect_product({64, 16, kF16, kF16, kF32, {16}, {span, true}});
    expect_product({64, 16, kBf16, kBf16, kF32, {span, true}, {32}});
    expect_product({128, 16, kF16, kF16, kF16, {span, true}, {span, true}});
  }
}

TEST(Wgmma, LeftFactorFromRegistersAndScales) {
  expect_product({16, 16, kF16, kF16, kF32, {16}, {32}, true});
  expect_product({32, 16, kBf16, kBf16, kF32, {16}, {64, true}, true});
  expect_product({64, 16, kF16, kF16, kF32, {16}, {16}, false, false});
  expect_product({64, 16, kF16, kF16, kF32, {16}, {16}, false, true, -1, 1});
  expect_product({64, 16, kF16, kF16, kF16, {16}, {16}, false, true, 1, -1});
  expect_product({64, 16, kF16, kF16, kF16, {16}, {16}, false, false, -1, -1});
}

TEST(Wgmma, OtherTypes) {
  expect_product({24, 8, kTf32, kTf32, kF32, {32}, {16}});
  expect_product({32, 32, kE4m3, kE5m2, kF32, {16}, {32}});
  expect_product({32, 32, kE5m2, kE5m2, kF16, {16}, {32}});
  expect_product({32, 32, kS8, kU8, kS32, {32}, {16}});
  expect_product({32, 32, kU8, kS8, kS32, {32}, {16}, false, false});
}

TEST(Wgmma, CountsItsWork) {
  const Case one{64, 16, kF16, kF16, kF32, {16}, {16}};
  const Outcome outcome = run(one, Matrix(kRows * 16), Matrix(64 * 16), Matrix(kRows * 64));
  double flops = 0;
  for (const InstructionRecord& record : outcome.record.instructions) {
    if (record.flop_kind != FlopKind::tensor) continue;
    EXPECT_EQ(record.pipe, Pipe::tensor);
    flops += static_cast<double>(record.flops) * static_cast<double>(record.lanes);
  }
  EXPECT_EQ(flops, 2.0 * 64 * 64 * 16);
}

TEST(Wgmma, WhatIsWrongIsNamed) {
  Case one{64, 16, kF16, kF16, kF32, {16}, {16}};
  one.k = 32;
  const auto none = [](const Case& of) {
    return run(of, Matrix(kRows * of.k), Matrix(of.n * of.k), Matrix(kRows * of.n));
  };
  EXPECT_THAT(none(one).unsupported, HasSubstr("the shape with the types"));
  one = {64, 16, kF16, kBf16, kF32, {16}, {16}};
  EXPECT_THAT(none(one).unsupported, HasSubstr("the types .f32.f16.bf16"));

  const Case good{64, 16, kF16, kF16, kF32, {16}, {16}};
  TensorBench bench(kernel_of(good, 32));
  const std::uint64_t from = bench.upload(std::vector<std::byte>(2 * kPart));
  const std::uint64_t sums = bench.upload(Words(32 * kThreads));
  const auto end_with = [&](std::uint64_t a_bits) {
    return bench.run({from, sums, sums, a_bits, descriptor(0, 128, 256, 16), 1}, {1, 1, 1},
                     {kThreads, 1, 1});
  };
  const LaunchRecord beyond = end_with(descriptor(2 * kPart - 128, 128, 256, 16));
  ASSERT_FALSE(beyond.checks.empty());
  EXPECT_EQ(beyond.checks[0].kind, CheckKind::shared_out_of_bounds);
  const LaunchRecord offset = end_with(descriptor(0, 128, 256, 16) | std::uint64_t{1} << 49U);
  EXPECT_EQ(offset.end, LaunchEnd::unsupported);
  EXPECT_THAT(offset.end_reason, HasSubstr("base offset"));
}

}  // namespace
}  // namespace warpmind::simulator::test
