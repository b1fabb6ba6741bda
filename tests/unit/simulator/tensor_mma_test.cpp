/// \file
/// mma against triple loops; where elements lie is written out after the ISA's chapters
/// "Matrix Fragments for mma.…", a formula a shape.

#include "tests/unit/simulator/tensor_bench.h"
#include "tests/unit/simulator/tensor_samples.h"

#include <functional>

#include <gmock/gmock.h>

namespace warpmind::simulator::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Place {
  std::size_t row = 0;
  std::size_t column = 0;
};
/// Of element i of a lane, with the ISA's groupID = lane / 4 and threadID_in_group = lane % 4.
using Layout = std::function<Place(std::size_t group, std::size_t thread, std::size_t i)>;

struct Case {
  std::string shape;
  std::size_t m, n, k;
  Type a, b, sum;
  Layout a_layout, b_layout, sum_layout;
  std::string extra = "";  ///< before the types
};

// 9.7.14.5.1 … of the PTX ISA, as written there.
const Layout kSum16{[](std::size_t g, std::size_t t, std::size_t i) {
  return Place{i < 2 ? g : g + 8, t * 2 + (i & 1U)};
}};
const Layout kSum8{[](std::size_t g, std::size_t t, std::size_t i) {
  return Place{g, t * 2 + (i & 1U)};
}};
const Layout kHalfA16{[](std::size_t g, std::size_t t, std::size_t i) {
  const bool is_upper = i < 2 || (4 <= i && i < 6);
  return Place{is_upper ? g : g + 8, t * 2 + (i & 1U) + (i >= 4 ? 8 : 0)};
}};
const Layout kHalfB16{[](std::size_t g, std::size_t t, std::size_t i) {
  return Place{t * 2 + (i & 1U) + (i >= 2 ? 8 : 0), g};
}};
const Layout kHalfA8{[](std::size_t g, std::size_t t, std::size_t i) {
  return Place{i < 2 ? g : g + 8, t * 2 + (i & 1U)};
}};
const Layout kHalfB8{[](std::size_t g, std::size_t t, std::size_t i) {
  return Place{t * 2 + i, g};
}};
const Layout kWordA4{[](std::size_t g, std::size_t t, std::size_t i) {
  return Place{i == 0 ? g : g + 8, t};
}};
const Layout kWordA8{[](std::size_t g, std::size_t t, std::size_t i) {
  return Place{i == 0 || i == 2 ? g : g + 8, i < 2 ? t : t + 4};
}};
const Layout kWordB{[](std::size_t g, std::size_t t, std::size_t i) {
  return Place{t + 4 * i, g};
}};
const Layout kByteA32{[](std::size_t g, std::size_t t, std::size_t i) {
  const bool is_upper = i < 4 || (8 <= i && i < 12);
  return Place{is_upper ? g : g + 8, t * 4 + (i & 3U) + (i < 8 ? 0 : 16)};
}};
const Layout kByteB32{[](std::size_t g, std::size_t t, std::size_t i) {
  return Place{t * 4 + (i & 3U) + (i < 4 ? 0 : 16), g};
}};
const Layout kByteA16{[](std::size_t g, std::size_t t, std::size_t i) {
  return Place{i < 4 ? g : g + 8, t * 4 + (i & 3U)};
}};
const Layout kByteB16{[](std::size_t g, std::size_t t, std::size_t i) {
  return Place{t * 4 + i, g};
}};
const Layout kByteA16Of8{[](std::size_t g, std::size_t t, std::size_t i) {
  return Place{g, t * 4 + i};
}};
const Layout kDoubleA8x4{[](std::size_t g, std::size_t t, std::size_t) { return Place{g, t}; }};
const Layout kDoubleA16{[](std::size_t g, std::size_t t, std::size_t i) {
  return Place{i % 2 == 0 ? g : g + 8, i % 2 == 0 ? i * 2 + t : i * 2 - 2 + t};
}};

/// Elements of a lane, times lanes, make the matrix.
std::size_t words_of(std::size_t elements, const Type& type) {
  return elements / kLanes * type.bytes / 4 + (elements / kLanes * type.bytes % 4 != 0 ? 1 : 0);
}

Words pack(const Matrix& matrix, std::size_t columns, const Type& type, const Layout& layout) {
  const std::size_t each = matrix.size() / kLanes;
  Words words(words_of(matrix.size(), type) * kLanes);
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    for (std::size_t i = 0; i < each; ++i) {
      const Place place = layout(lane / 4, lane % 4, i);
      const std::uint64_t bits = type.bits(matrix.at(place.row * columns + place.column));
      const std::size_t at = i * type.bytes;
      words[at / 4 * kLanes + lane] |= static_cast<std::uint32_t>(bits << (at % 4 * 8));
      if (type.bytes == 8) {
        words[(at / 4 + 1) * kLanes + lane] = static_cast<std::uint32_t>(bits >> 32U);
      }
    }
  }
  return words;
}

double unpack(const Words& words, const Type& type, std::size_t lane, std::size_t i) {
  const std::size_t at = i * type.bytes;
  std::uint64_t bits = words.at(at / 4 * kLanes + lane) >> (at % 4 * 8);
  if (type.bytes == 2) bits &= 0xffffU;
  if (type.bytes == 8) bits |= std::uint64_t{words.at((at / 4 + 1) * kLanes + lane)} << 32U;
  return type.value(bits);
}

std::string name_of(const Case& one) {
  return "mma.sync.aligned." + one.shape + ".row.col" + one.extra + "." + one.sum.name + "." +
         one.a.name + "." + one.b.name + "." + one.sum.name;
}

/// 64-bit registers %d0 … of `count` from pairs of input words from `first` on.
std::string join_doubles(std::size_t to, std::size_t first, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    text += "mov.b64 %d" + std::to_string(to + i) + ", " + registers('i', first + 2 * i, 2) + ";\n";
  }
  return text;
}

WarpProgram program_of(const Case& one, std::size_t a, std::size_t b, std::size_t c) {
  if (one.a.bytes != 8) {
    return {name_of(one) + " " + registers('o', 0, c) + ", " + registers('i', 0, a) + ", " +
                registers('i', a, b) + ", " + registers('i', a + b, c) + ";",
            c};
  }
  std::string text = join_doubles(0, 0, (a + b + c) / 2);
  const std::size_t result = (a + b + c) / 2;
  text += name_of(one) + " " + registers('d', result, c / 2) + ", " + registers('d', 0, a / 2) +
          ", " + registers('d', a / 2, b / 2) + ", " + registers('d', (a + b) / 2, c / 2) + ";\n";
  for (std::size_t i = 0; i < c / 2; ++i) {
    text += "mov.b64 " + registers('o', 2 * i, 2) + ", %d" + std::to_string(result + i) + ";\n";
  }
  return {text, c};
}

void expect_product(const Case& one) {
  SCOPED_TRACE(name_of(one));
  const Matrix a = numbers(one.m * one.k, 1, one.a);
  const Matrix b = numbers(one.k * one.n, 2, one.b);
  const Matrix c = numbers(one.m * one.n, 3, one.sum);
  Words input = pack(a, one.k, one.a, one.a_layout);
  const Words b_words = pack(b, one.n, one.b, one.b_layout);
  const Words c_words = pack(c, one.n, one.sum, one.sum_layout);
  const WarpProgram program =
      program_of(one, input.size() / kLanes, b_words.size() / kLanes, c_words.size() / kLanes);
  input.insert(input.end(), b_words.begin(), b_words.end());
  input.insert(input.end(), c_words.begin(), c_words.end());
  const WarpResult result = run_warp(program, input);
  ASSERT_EQ(result.unsupported, "");
  EXPECT_THAT(result.record.checks, IsEmpty());
  const Matrix expected = multiply(a, b, c, one.k);
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    for (std::size_t i = 0; i < expected.size() / kLanes; ++i) {
      const Place place = one.sum_layout(lane / 4, lane % 4, i);
      ASSERT_EQ(unpack(result.registers, one.sum, lane, i),
                expected[place.row * one.n + place.column])
          << "lane " << lane << " element " << i;
    }
  }
}

TEST(Mma, HalfPrecision) {
  for (const Type& sum : {kF16, kF32}) {
    expect_product({"m16n8k16", 16, 8, 16, kF16, kF16, sum, kHalfA16, kHalfB16, kSum16});
    expect_product({"m16n8k8", 16, 8, 8, kF16, kF16, sum, kHalfA8, kHalfB8, kSum16});
  }
}

TEST(Mma, Bfloat) {
  expect_product({"m16n8k16", 16, 8, 16, kBf16, kBf16, kF32, kHalfA16, kHalfB16, kSum16});
  expect_product({"m16n8k8", 16, 8, 8, kBf16, kBf16, kF32, kHalfA8, kHalfB8, kSum16});
}

TEST(Mma, Tf32IgnoresBitsItDoesNotHave) {
  expect_product({"m16n8k4", 16, 8, 4, kTf32, kTf32, kF32, kWordA4, kWordB, kSum16});
  expect_product({"m16n8k8", 16, 8, 8, kTf32, kTf32, kF32, kWordA8, kWordB, kSum16});
}

TEST(Mma, BytesOfEitherSign) {
  for (const Type& a : {kS8, kU8}) {
    for (const Type& b : {kS8, kU8}) {
      for (const char* const extra : {"", ".satfinite"}) {
        expect_product({"m16n8k32", 16, 8, 32, a, b, kS32, kByteA32, kByteB32, kSum16, extra});
        expect_product({"m16n8k16", 16, 8, 16, a, b, kS32, kByteA16, kByteB16, kSum16, extra});
        expect_product({"m8n8k16", 8, 8, 16, a, b, kS32, kByteA16Of8, kByteB16, kSum8, extra});
      }
    }
  }
}

TEST(Mma, EightBitFloats) {
  for (const Type& a : {kE4m3, kE5m2}) {
    for (const Type& b : {kE4m3, kE5m2}) {
      expect_product({"m16n8k32", 16, 8, 32, a, b, kF32, kByteA32, kByteB32, kSum16});
    }
  }
  expect_product({"m16n8k32", 16, 8, 32, kE4m3, kE4m3, kF16, kByteA32, kByteB32, kSum16});
}

TEST(Mma, Doubles) {
  expect_product({"m8n8k4", 8, 8, 4, kF64, kF64, kF64, kDoubleA8x4, kWordB, kSum8});
  expect_product({"m16n8k4", 16, 8, 4, kF64, kF64, kF64, kDoubleA16, kWordB, kSum16});
  expect_product({"m16n8k8", 16, 8, 8, kF64, kF64, kF64, kDoubleA16, kWordB, kSum16});
  expect_product({"m16n8k16", 16, 8, 16, kF64, kF64, kF64, kDoubleA16, kWordB, kSum16});
}

/// One mma.m16n8k32 of bytes that are all `byte`, on sums that are all `start`.
std::uint32_t byte_sum(const std::string& types, std::uint8_t byte, std::int32_t start) {
  Words input(10 * kLanes, 0x01010101U * byte);
  std::fill(input.begin() + 6 * kLanes, input.end(), static_cast<std::uint32_t>(start));
  const WarpResult result = run_warp(
      {"mma.sync.aligned.m16n8k32.row.col" + types + " " + registers('o', 0, 4) + ", " +
           registers('i', 0, 4) + ", " + registers('i', 4, 2) + ", " + registers('i', 6, 4) + ";",
       4},
      input);
  EXPECT_EQ(result.unsupported, "");
  return result.registers.at(77);
}

TEST(Mma, IntegerSumsWrapOrSaturate) {
  constexpr std::int32_t kMost = 0x7fffffff;
  constexpr std::int32_t kLeast = -kMost - 1;
  EXPECT_EQ(byte_sum(".s32.u8.u8.s32", 255, kMost - 5), 0x7ffffffaU + 32U * 255U * 255U);
  EXPECT_EQ(byte_sum(".satfinite.s32.u8.u8.s32", 255, kMost - 5), 0x7fffffffU);
  EXPECT_EQ(byte_sum(".satfinite.s32.s8.u8.s32", 0x80, kLeast + 9), 0x80000000U);
}

TEST(Mma, SumsOfF16AreRoundedOnce) {
  // 2048 + 16 * 0.5 * 0.25: added one by one in f16, nothing would change.
  Words input(8 * kLanes, 0x38003800U);
  std::fill(input.begin() + 4 * kLanes, input.begin() + 6 * kLanes, 0x34003400U);
  std::fill(input.begin() + 6 * kLanes, input.end(), 0x68006800U);
  const WarpResult result =
      run_warp({"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%o0, %o1}, "
                "{%i0, %i1, %i2, %i3}, {%i4, %i5}, {%i6, %i7};",
                2},
               input);
  for (const std::uint32_t word : result.registers) EXPECT_EQ(word, 0x68016801U);
}

constexpr char kPlain[] =
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%i0, %i1, %i2, %i3}, "
    "{%i4, %i5, %i6, %i7}, {%i8, %i9}, {%i0, %i1, %i2, %i3};\n";

TEST(Mma, SaysWhatItCosts) {
  const WarpResult result = run_warp({kPlain, 0}, Words(10 * kLanes));
  for (const InstructionInfo& info : result.info) {
    if (!info.opcode.starts_with("mma.")) continue;
    EXPECT_EQ(info.pipe, Pipe::tensor);
    EXPECT_EQ(info.flop_kind, FlopKind::tensor);
    EXPECT_EQ(info.flops * kLanes, 2 * 16 * 8 * 16);
    EXPECT_EQ(info.cost, 1);
    return;
  }
  FAIL() << "no mma in the program";
}

TEST(Mma, ReportsMissingLanesAndLeavesThemAlone) {
  Words input(10 * kLanes, 0x3c003c00U);
  const WarpResult result =
      run_warp({"mov.u32 %r0, %laneid;\nsetp.lt.u32 %p0, %r0, 31;\nmov.b32 %o0, 7;\n"
                "mov.b32 %o1, 7;\n@%p0 mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 "
                "{%o0, %o1}, {%i0, %i1, %i2, %i3}, {%i4, %i5}, {%i6, %i7};",
                2},
               input);
  ASSERT_EQ(result.record.checks.size(), 1U);
  EXPECT_EQ(result.record.checks[0].kind, CheckKind::inactive_lane);
  EXPECT_THAT(result.record.checks[0].detail, HasSubstr("31 of 32 lanes; lane 31 is missing"));
  EXPECT_EQ(result.registers[30], 0x4c404c40U);  // 16 + 1
  EXPECT_EQ(result.registers[31], 7U);
}

std::string refusal(const std::string& statement) {
  return run_warp({statement, 0}, Words(10 * kLanes)).unsupported;
}

TEST(Mma, NamesWhatIsNotKnown) {
  EXPECT_THAT(refusal("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%o0, %o1, %o2, "
                      "%o3}, {%i0, %i1, %i2, %i3}, {%i4, %i5}, {%i6, %i7, %i8, %i9};"),
              HasSubstr("b1"));
  EXPECT_THAT(refusal("mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32 {%o0, %o1}, {%i0}, {%i1}, "
                      "{%i2, %i3};"),
              HasSubstr("the types .s32.s4.s4.s32"));
  EXPECT_THAT(refusal("mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16 {%o0, %o1, %o2, %o3}, "
                      "{%i0, %i1}, {%i2, %i3}, {%i4, %i5, %i6, %i7};"),
              HasSubstr("the shape with the types .f16.f16.f16.f16"));
  EXPECT_THAT(refusal("mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%o0, %o1, %o2, %o3}, "
                      "{%i0, %i1}, {%i2, %i3}, {%i4, %i5, %i6, %i7}, %i8, 0;"),
              HasSubstr("sp"));
  EXPECT_THAT(refusal("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%o0, %o1, %o2, %o3}, "
                      "{%i0, %i1, %i2}, {%i4, %i5}, {%i6, %i7, %i8, %i9};"),
              HasSubstr("3 registers, not 4"));
  EXPECT_THAT(refusal("mma.sync.aligned.m16n8k16.row.col.bf16.bf16.bf16.f32 {%o0, %o1, %o2, %o3}, "
                      "{%i0, %i1, %i2, %i3}, {%i4, %i5}, {%i6, %i7, %i8, %i9};"),
              HasSubstr("the types .bf16.bf16.bf16.f32"));
}

}  // namespace
}  // namespace warpmind::simulator::test
