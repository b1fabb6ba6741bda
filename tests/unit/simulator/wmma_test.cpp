/// \file
/// wmma from memory to memory against a triple loop, and where sm_80 keeps the elements.

#include "tests/unit/simulator/tensor_bench.h"
#include "tests/unit/simulator/tensor_samples.h"

#include <gmock/gmock.h>

namespace warpmind::simulator::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Where each matrix begins in memory, and how far it reaches at most.
constexpr std::size_t kPart = 8192;

struct Shape {
  std::string name;
  std::size_t m = 0;
  std::size_t n = 0;
  std::size_t k = 0;
};
const Shape kSquare{"m16n16k16", 16, 16, 16};
const Shape kTall{"m32n8k16", 32, 8, 16};
const Shape kWide{"m8n32k16", 8, 32, 16};

enum class Where { global, shared, generic_shared };

struct Case {
  Shape shape;
  Type factor;
  Type c;
  Type d;
  std::string a_layout = "row";
  std::string b_layout = "row";
  std::string sum_layout = "row";
  Where where = Where::global;
  std::size_t gap = 0;  ///< elements between lines; multiples of 16 bytes
};

std::size_t line_of(std::size_t rows, std::size_t columns, const std::string& layout,
                    std::size_t gap) {
  return (layout == "row" ? columns : rows) + gap;
}

std::size_t offset_of(std::size_t row, std::size_t column, std::size_t line,
                      const std::string& layout) {
  return layout == "row" ? row * line + column : column * line + row;
}

void put(std::vector<std::byte>& memory, std::size_t part, const Matrix& matrix,
         std::size_t columns, const Type& type, std::pair<std::string, std::size_t> form) {
  const auto& [layout, gap] = form;
  const std::size_t rows = matrix.size() / columns;
  const std::size_t line = line_of(rows, columns, layout, gap);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      const std::uint64_t bits = type.bits(matrix[i * columns + j]);
      const std::size_t at = offset_of(i, j, line, layout) * type.bytes;
      ASSERT_LE(at + type.bytes, kPart);
      std::memcpy(memory.data() + part * kPart + at, &bits, type.bytes);
    }
  }
}

std::string address(Where where, std::size_t part) {
  const std::string base = where == Where::global           ? "%memory"
                           : where == Where::generic_shared ? "%d0"
                                                            : "%r0";
  return "[" + base + "+" + std::to_string(part * kPart) + "]";
}

std::size_t factor_registers(const Case& one, std::size_t elements) {
  return one.factor.name == "f16" ? 8 : elements * one.factor.bytes / kLanes / 4;
}

/// %r (or %d): A from 1, B from 10; sums %i from 14 and %o from 20 (or %d).
std::string statements_of(const Case& one) {
  const Shape& s = one.shape;
  const std::string space = one.where == Where::global   ? ".global"
                            : one.where == Where::shared ? ".shared"
                                                         : "";
  const std::size_t a = factor_registers(one, s.m * s.k);
  const std::size_t b = factor_registers(one, s.k * s.n);
  const auto sums = [&](char letter, const Type& type) {
    const std::size_t words = s.m * s.n * type.bytes / kLanes / 4;
    return registers(type.bytes == 8 ? 'd' : letter, letter == 'o' ? 20 : 14,
                     type.bytes == 8 ? words / 2 : words);
  };
  const auto factor = [&](std::size_t first, std::size_t count) {
    return registers(one.factor.bytes == 8 ? 'd' : 'r', first,
                     one.factor.bytes == 8 ? count / 2 : count);
  };
  const auto stride = [&](std::size_t rows, std::size_t columns, const std::string& layout) {
    return one.gap == 0 ? std::string(";\n")
                        : ", " + std::to_string(line_of(rows, columns, layout, one.gap)) + ";\n";
  };
  const std::string types = one.factor.name == "f16" ? "." + one.d.name + "." + one.c.name
                                                     : "." + one.d.name + "." + one.factor.name +
                                                           "." + one.factor.name + "." + one.c.name;
  const auto load = [&](const std::string& name, const std::string& layout, const Type& type) {
    return "wmma.load." + name + ".sync.aligned." + layout + "." + s.name + space + "." +
           type.name + " ";
  };
  return "mov.u32 %r0, tile;\ncvt.u64.u32 %d0, %r0;\ncvta.shared.u64 %d0, %d0;\n" +
         load("a", one.a_layout, one.factor) + factor(1, a) + ", " + address(one.where, 0) +
         stride(s.m, s.k, one.a_layout) + load("b", one.b_layout, one.factor) + factor(10, b) +
         ", " + address(one.where, 1) + stride(s.k, s.n, one.b_layout) +
         load("c", one.sum_layout, one.c) + sums('i', one.c) + ", " + address(one.where, 2) +
         stride(s.m, s.n, one.sum_layout) + "wmma.mma.sync.aligned." + one.a_layout + "." +
         one.b_layout + "." + s.name + types + " " + sums('o', one.d) + ", " + factor(1, a) + ", " +
         factor(10, b) + ", " + sums('i', one.c) + ";\nwmma.store.d.sync.aligned." +
         one.sum_layout + "." + s.name + space + "." + one.d.name + " " + address(one.where, 3) +
         ", " + sums('o', one.d) + stride(s.m, s.n, one.sum_layout);
}

void expect_product(const Case& one) {
  const Shape& s = one.shape;
  const std::string statements = statements_of(one);
  SCOPED_TRACE(statements);
  const Matrix a = numbers(s.m * s.k, 1, one.factor);
  const Matrix b = numbers(s.k * s.n, 2, one.factor);
  const Matrix c = numbers(s.m * s.n, 3, one.c);
  std::vector<std::byte> memory(4 * kPart, std::byte{0xee});
  put(memory, 0, a, s.k, one.factor, {one.a_layout, one.gap});
  put(memory, 1, b, s.n, one.factor, {one.b_layout, one.gap});
  put(memory, 2, c, s.n, one.c, {one.sum_layout, one.gap});
  const WarpResult result = run_warp({statements, 0, one.where != Where::global}, {}, memory);
  ASSERT_EQ(result.unsupported, "");
  ASSERT_EQ(result.record.end_reason, "");
  EXPECT_THAT(result.record.checks, IsEmpty());
  put(memory, 3, multiply(a, b, c, s.k), s.n, one.d, {one.sum_layout, one.gap});
  EXPECT_TRUE(result.memory == memory) << "gaps are left alone, and the product is right";
}

const std::pair<const char*, const char*> kLayouts[] = {
    {"row", "row"}, {"row", "col"}, {"col", "row"}, {"col", "col"}};

TEST(Wmma, HalfPrecisionInEveryShapeAndLayout) {
  for (const Shape& shape : {kSquare, kTall, kWide}) {
    for (const auto& [a, b] : kLayouts) {
      expect_product({shape, kF16, kF32, kF32, a, b, "row", Where::global, 0});
      expect_product({shape, kF16, kF32, kF32, a, b, "col", Where::shared, 8});
      expect_product({shape, kF16, kF16, kF16, a, b, "row", Where::generic_shared, 16});
      expect_product({shape, kF16, kF16, kF16, a, b, "col", Where::global, 24});
    }
  }
  expect_product({kSquare, kF16, kF16, kF32, "row", "col", "row", Where::global, 0});
  expect_product({kSquare, kF16, kF32, kF16, "row", "col", "row", Where::global, 0});
}

TEST(Wmma, OtherTypes) {
  for (const Shape& shape : {kSquare, kTall, kWide}) {
    for (const auto& [a, b] : kLayouts) {
      expect_product({shape, kBf16, kF32, kF32, a, b, "row", Where::global, 8});
      expect_product({shape, kS8, kS32, kS32, a, b, "row", Where::shared, 16});
      expect_product({shape, kU8, kS32, kS32, a, b, "col", Where::global, 0});
    }
  }
  for (const auto& [a, b] : kLayouts) {
    expect_product({{"m16n16k8", 16, 16, 8}, kTf32, kF32, kF32, a, b, "row", Where::global, 4});
    expect_product({{"m16n16k8", 16, 16, 8}, kTf32, kF32, kF32, a, b, "col", Where::shared, 0});
    expect_product({{"m8n8k4", 8, 8, 4}, kF64, kF64, kF64, a, b, "row", Where::global, 2});
    expect_product({{"m8n8k4", 8, 8, 4}, kF64, kF64, kF64, a, b, "col", Where::global, 0});
  }
}

/// 16x16 numbers of f32, row-major: element (i, j) is 16 i + j.
std::vector<std::byte> numbered() {
  std::vector<std::byte> memory(1024);
  for (std::size_t i = 0; i < 256; ++i) {
    const auto value = static_cast<float>(i);
    std::memcpy(memory.data() + 4 * i, &value, 4);
  }
  return memory;
}

TEST(Wmma, SumsLieAsInTwoMmaSideBySide) {
  const WarpResult result = run_warp({"wmma.load.c.sync.aligned.row.m16n16k16.global.f32 " +
                                          registers('o', 0, 8) + ", [%memory], 16;",
                                      8},
                                     {}, numbered());
  ASSERT_EQ(result.unsupported, "");
  for (std::size_t i = 0; i < 8; ++i) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const std::size_t row = lane / 4 + (i % 4 >= 2 ? 8 : 0);
      const std::size_t column = lane % 4 * 2 + i % 2 + (i >= 4 ? 8 : 0);
      EXPECT_EQ(std::bit_cast<float>(result.registers[i * kLanes + lane]),
                static_cast<float>(16 * row + column))
          << "element " << i << " of lane " << lane;
    }
  }
}

TEST(Wmma, FactorsOfHalvesHaveEachElementTwice) {
  std::vector<std::byte> memory(512);
  for (std::size_t i = 0; i < 256; ++i) {
    const auto value = static_cast<std::uint16_t>(i);
    std::memcpy(memory.data() + 2 * i, &value, 2);
  }
  const WarpResult result = run_warp({"wmma.load.a.sync.aligned.row.m16n16k16.global.f16 " +
                                          registers('o', 0, 8) + ", [%memory], 16;",
                                      8},
                                     {}, memory);
  for (std::size_t i = 0; i < 8; ++i) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const std::size_t row = lane / 4 + (i % 2 == 1 ? 8 : 0);
      const std::size_t column = lane % 4 * 2 + (i % 4 >= 2 ? 8 : 0);
      const std::size_t first = 16 * row + column;
      EXPECT_EQ(result.registers[i * kLanes + lane], first | (first + 1) << 16U);
    }
  }
}

TEST(Wmma, StrideMayBeARegister) {
  std::vector<std::byte> memory = numbered();
  memory.resize(2048);
  const WarpResult result =
      run_warp({"mov.u32 %r1, 8;\nadd.u32 %r1, %r1, %r1;\n"
                "wmma.load.c.sync.aligned.row.m16n16k16.global.f32 " +
                    registers('o', 0, 8) + ", [%memory], %r1;\n" +
                    "wmma.store.d.sync.aligned.col.m16n16k16.global.f32 [%memory+1024], " +
                    registers('o', 0, 8) + ", %r1;",
                8},
               {}, memory);
  ASSERT_EQ(result.unsupported, "");
  for (std::size_t i = 0; i < 256; ++i) {
    float value = 0;
    std::memcpy(&value, result.memory.data() + 1024 + 4 * i, 4);
    EXPECT_EQ(value, static_cast<float>(i % 16 * 16 + i / 16)) << "the transpose";
  }
}

TEST(Wmma, CountsWorkAndMemory) {
  const Case one{kSquare, kF16, kF32, kF32, "row", "row", "row", Where::global, 0};
  const WarpResult result =
      run_warp({statements_of(one), 0}, {}, std::vector<std::byte>(4 * kPart));
  std::size_t seen = 0;
  for (const InstructionRecord& record : result.record.instructions) {
    if (record.opcode.starts_with("wmma.mma")) {
      EXPECT_EQ(record.flops * kLanes, 2U * 16 * 16 * 16);
      EXPECT_EQ(record.cost, 2);
      ++seen;
    } else if (record.opcode.starts_with("wmma.load.a")) {
      EXPECT_TRUE(record.is_memory);
      EXPECT_EQ(record.access.bytes, 512U);
      EXPECT_EQ(record.access.sectors, 32U) << "16 rows of 32 bytes, in two halves each";
      ++seen;
    } else if (record.opcode.starts_with("wmma.store")) {
      EXPECT_TRUE(record.is_store);
      EXPECT_EQ(record.access.bytes, 1024U);
      EXPECT_EQ(record.access.sectors, 32U);
      ++seen;
    }
  }
  EXPECT_EQ(seen, 3U);
}

TEST(Wmma, ReadsBeyondTheEndAreFound) {
  const WarpResult result = run_warp({"wmma.load.c.sync.aligned.row.m16n16k16.global.f32 " +
                                          registers('o', 0, 8) + ", [%memory], 20;",
                                      8},
                                     {}, numbered());
  EXPECT_EQ(result.record.end, LaunchEnd::fault);
  ASSERT_FALSE(result.record.checks.empty());
  EXPECT_EQ(result.record.checks[0].kind, CheckKind::global_out_of_bounds);
}

TEST(Wmma, ReportsMissingLanes) {
  WarpProgram program{"wmma.load.c.sync.aligned.row.m16n16k16.global.f32 " + registers('o', 0, 8) +
                          ", [%memory], 16;",
                      8};
  program.threads = 24;
  const WarpResult result = run_warp(program, {}, numbered());
  ASSERT_EQ(result.record.checks.size(), 1U);
  EXPECT_EQ(result.record.checks[0].kind, CheckKind::inactive_lane);
  EXPECT_THAT(result.record.checks[0].detail, HasSubstr("24 of 32 lanes; lane 24 is missing"));
  EXPECT_EQ(result.record.checks[0].count, 1U);
}

TEST(Wmma, NamesWhatIsNotKnown) {
  const auto refusal = [](const std::string& statement) {
    return run_warp({statement, 0}, Words(kLanes)).unsupported;
  };
  EXPECT_THAT(refusal("wmma.load.a.sync.aligned.row.m8n8k32.global.s4 {%o0}, [%memory];"),
              HasSubstr("the shape .m8n8k32 with the type .s4"));
  EXPECT_THAT(refusal("wmma.load.c.sync.aligned.row.m16n16k16.global.bf16 {%o0}, [%memory];"),
              HasSubstr("sums of the type .bf16"));
  EXPECT_THAT(refusal("wmma.load.a.sync.aligned.row.m16n16k16.local.f16 " + registers('o', 0, 8) +
                      ", [%d0];"),
              HasSubstr("neither global nor shared"));
  EXPECT_THAT(refusal("wmma.load.a.sync.aligned.row.m16n16k16.global.f16 " + registers('o', 0, 4) +
                      ", [%memory];"),
              HasSubstr("4 registers, not 8"));
}

}  // namespace
}  // namespace warpmind::simulator::test
