#include "tests/unit/simulator/opcode_bench.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace warpmind::simulator::test {
namespace {

const std::vector<std::uint64_t> kEdges = {
    0,   1,   31,          32,          33,          63,    64,
    255, 256, 0x7fff'ffff, 0x8000'0000, 0xffff'ffff, ~0ULL, 0x8000'0000'0000'0000};

/// The pseudo code of the PTX ISA, bit by bit.
std::uint64_t extract_field(std::uint64_t a, std::uint64_t b, std::uint64_t c, unsigned width,
                            bool is_signed) {
  const unsigned position = b & 0xffU;
  const unsigned length = c & 0xffU;
  const unsigned top = width - 1;
  const bool has_sign = is_signed && length != 0;
  const std::uint64_t sign = has_sign ? (a >> std::min(position + length - 1, top)) & 1U : 0;
  std::uint64_t result = 0;
  for (unsigned i = 0; i <= top; ++i) {
    const bool inside = i < length && position + i <= top;
    result |= (inside ? (a >> (position + i)) & 1U : sign) << i;
  }
  return result;
}

std::uint64_t insert_field(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d,
                           unsigned width) {
  const unsigned position = c & 0xffU;
  const unsigned length = d & 0xffU;
  for (unsigned i = 0; i < length && position + i < width; ++i) {
    const std::uint64_t where = std::uint64_t{1} << (position + i);
    b = ((a >> i) & 1U) != 0 ? b | where : b & ~where;
  }
  return b;
}

TEST(IntegerFieldOpcodes, BitFields) {
  expect_reference("bfe.u32 %r0, %r1, %r2, %r3;", 3, kEdges,
                   [](const auto& v) { return extract_field(v[0], v[1], v[2], 32, false); });
  expect_reference("bfe.s32 %r0, %r1, %r2, %r3;", 3, kEdges,
                   [](const auto& v) { return extract_field(v[0], v[1], v[2], 32, true); });
  expect_reference("bfe.u64 %d0, %d1, %r2, %r3;", 3, kEdges,
                   [](const auto& v) { return extract_field(v[0], v[1], v[2], 64, false); });
  expect_reference("bfe.s64 %d0, %d1, %r2, %r3;", 3, kEdges,
                   [](const auto& v) { return extract_field(v[0], v[1], v[2], 64, true); });
  expect_reference("bfi.b32 %r0, %r1, %r2, %r3, %r4;", 4, kEdges,
                   [](const auto& v) { return insert_field(v[0], v[1], v[2], v[3], 32); });
  expect_reference("bfi.b64 %d0, %d1, %d2, %r3, %r4;", 4, kEdges,
                   [](const auto& v) { return insert_field(v[0], v[1], v[2], v[3], 64); });
  expect_cases({
      {"bfe.s32 %r0, %r1, %r2, %r3;", {0x0000'0f00, 8, 4}, 0xffff'ffff},
      {"bfi.b32 %r0, %r1, %r2, %r3, %r4;", {0xff, 0, 28, 8}, 0xf000'0000},
  });
}

TEST(IntegerFieldOpcodes, Logic) {
  expect_cases({
      {"and.b32 %r0, %r1, %r2;", {0xff00'ff00, 0x0ff0'0ff0}, 0x0f00'0f00},
      {"or.b64 %d0, %d1, %d2;", {0xff00, 0x00ff'0000'0000}, 0x00ff'0000'ff00},
      {"xor.b16 %h0, %h1, %h2;", {0xffff, 0x0ff0}, 0xf00f},
      {"not.b16 %h0, %h1;", {0x00ff}, 0xff00},
      {"not.b64 %d0, %d1;", {0}, ~0ULL},
      {"cnot.b32 %r0, %r1;", {0}, 1},
      {"cnot.b32 %r0, %r1;", {5}, 0},
      {"cnot.b64 %d0, %d1;", {1ULL << 40U}, 0},
      {"lop3.b32 %r0, %r1, %r2, %r3, 0x96;", {0xf0f0'f0f0, 0xcccc'cccc, 0xaaaa'aaaa}, 0x9696'9696},
      {"lop3.b32 %r0, %r1, %r2, %r3, 0xca;", {0xf0f0'f0f0, 0xcccc'cccc, 0xaaaa'aaaa}, 0xcaca'caca},
      {"lop3.b32 %r0, %r1, %r2, %r3, 0x1;", {0xf0f0'f0f0, 0xcccc'cccc, 0xaaaa'aaaa}, 0x0101'0101},
  });
}

TEST(IntegerFieldOpcodes, ShiftAmountsAreClamped) {
  expect_cases({
      {"shl.b32 %r0, %r1, %r2;", {1, 31}, 0x8000'0000},
      {"shl.b32 %r0, %r1, %r2;", {1, 32}, 0},
      {"shl.b32 %r0, %r1, %r2;", {1, 0xffff'ffff}, 0},
      {"shl.b16 %h0, %h1, %r2;", {1, 15}, 0x8000},
      {"shl.b16 %h0, %h1, %r2;", {1, 16}, 0},
      {"shl.b64 %d0, %d1, %r2;", {1, 63}, 0x8000'0000'0000'0000},
      {"shl.b64 %d0, %d1, %r2;", {1, 64}, 0},
      {"shr.u32 %r0, %r1, %r2;", {0x8000'0000, 31}, 1},
      {"shr.u32 %r0, %r1, %r2;", {0x8000'0000, 32}, 0},
      {"shr.s32 %r0, %r1, %r2;", {0x8000'0000, 40}, 0xffff'ffff},
      {"shr.s32 %r0, %r1, 1;", {0x8000'0000}, 0xc000'0000},
      {"shr.s16 %h0, %h1, %r2;", {0x8000, 4}, 0xf800},
      {"shr.u16 %h0, %h1, %r2;", {0x8000, 16}, 0},
      {"shr.s64 %d0, %d1, %r2;", {0x8000'0000'0000'0000, 100}, ~0ULL},
      {"shr.b64 %d0, %d1, %r2;", {0x8000'0000'0000'0000, 63}, 1},
      {"shf.l.wrap.b32 %r0, %r1, %r2, %r3;", {0x8000'0001, 0x1, 1}, 0x3},
      {"shf.l.wrap.b32 %r0, %r1, %r2, %r3;", {0x1234'5678, 0x9abc'def0, 32}, 0x9abc'def0},
      {"shf.l.clamp.b32 %r0, %r1, %r2, %r3;", {0x1234'5678, 0x9abc'def0, 40}, 0x1234'5678},
      {"shf.r.wrap.b32 %r0, %r1, %r2, %r3;", {0x1234'5678, 0x9abc'def0, 33}, 0x091a'2b3c},
      {"shf.r.clamp.b32 %r0, %r1, %r2, %r3;", {0x1234'5678, 0x9abc'def0, 33}, 0x9abc'def0},
      {"shf.r.clamp.b32 %r0, %r1, %r2, %r3;", {0x1234'5678, 0x9abc'def0, 4}, 0x0123'4567},
  });
}

TEST(IntegerFieldOpcodes, CountsAndSearches) {
  expect_cases({
      {"clz.b32 %r0, %r1;", {0}, 32},
      {"clz.b32 %r0, %r1;", {1}, 31},
      {"clz.b64 %r0, %d1;", {0}, 64},
      {"clz.b64 %r0, %d1;", {1ULL << 40U}, 23},
      {"popc.b32 %r0, %r1;", {0xf0f0'0001}, 9},
      {"popc.b64 %r0, %d1;", {~0ULL}, 64},
      {"brev.b32 %r0, %r1;", {0x1234'5678}, 0x1e6a'2c48},
      {"brev.b64 %d0, %d1;", {1}, 0x8000'0000'0000'0000},
      {"bfind.u32 %r0, %r1;", {0}, 0xffff'ffff},
      {"bfind.u32 %r0, %r1;", {0x8000'0000}, 31},
      {"bfind.s32 %r0, %r1;", {0xffff'ffff}, 0xffff'ffff},
      {"bfind.s32 %r0, %r1;", {0xffff'fffb}, 2},
      {"bfind.shiftamt.u32 %r0, %r1;", {1}, 31},
      {"bfind.shiftamt.s64 %r0, %d1;", {1}, 63},
      {"bfind.u64 %r0, %d1;", {1ULL << 50U}, 50},
      {"fns.b32 %r0, %r1, %r2, %r3;", {0b1011'0100, 0, 3}, 5},
      {"fns.b32 %r0, %r1, %r2, %r3;", {0b1011'0100, 7, 0xffff'fffe}, 5},
      {"fns.b32 %r0, %r1, %r2, %r3;", {0b1011'0100, 0, 0}, 0xffff'ffff},
      {"fns.b32 %r0, %r1, %r2, %r3;", {0b1011'0100, 4, 0}, 4},
      {"fns.b32 %r0, %r1, %r2, %r3;", {0b1011'0100, 0, 9}, 0xffff'ffff},
      {"fns.b32 %r0, %r1, %r2, %r3;", {0b1011'0100, 4, 0x8000'0000}, 0xffff'ffff},
  });
}

TEST(IntegerFieldOpcodes, MasksAndExtensions) {
  expect_cases({
      {"bmsk.clamp.b32 %r0, %r1, %r2;", {4, 8}, 0x0000'0ff0},
      {"bmsk.clamp.b32 %r0, %r1, %r2;", {4, 32}, 0xffff'fff0},
      {"bmsk.clamp.b32 %r0, %r1, %r2;", {32, 4}, 0},
      {"bmsk.clamp.b32 %r0, %r1, %r2;", {28, 8}, 0xf000'0000},
      {"bmsk.wrap.b32 %r0, %r1, %r2;", {36, 40}, 0x0000'0ff0},
      {"bmsk.wrap.b32 %r0, %r1, %r2;", {4, 0}, 0},
      {"szext.clamp.s32 %r0, %r1, %r2;", {0xff, 8}, 0xffff'ffff},
      {"szext.clamp.s32 %r0, %r1, %r2;", {0x17f, 8}, 0x7f},
      {"szext.clamp.u32 %r0, %r1, %r2;", {0x1ff, 8}, 0xff},
      {"szext.clamp.u32 %r0, %r1, %r2;", {0x8000'00ff, 32}, 0x8000'00ff},
      {"szext.wrap.u32 %r0, %r1, %r2;", {0x1ff, 40}, 0xff},
      {"szext.wrap.s32 %r0, %r1, %r2;", {0xffff'ffff, 32}, 0},
  });
}

TEST(IntegerFieldOpcodes, PermuteModes) {
  // The bytes of b:a count from 0 to 7: 0x07…00.
  constexpr std::uint64_t kA = 0x0302'0100;
  constexpr std::uint64_t kB = 0x8706'0504;
  expect_cases({
      {"prmt.b32 %r0, %r1, %r2, %r3;", {kA, kB, 0x5410}, 0x0504'0100},
      {"prmt.b32 %r0, %r1, %r2, %r3;", {kA, kB, 0xf0f7}, 0xff00'ff87},
      {"prmt.b32 %r0, %r1, %r2, 0x7632;", {kA, kB}, 0x8706'0302},
      {"prmt.b32.f4e %r0, %r1, %r2, %r3;", {kA, kB, 1}, 0x0403'0201},
      {"prmt.b32.f4e %r0, %r1, %r2, %r3;", {kA, kB, 3}, 0x0605'0403},
      {"prmt.b32.b4e %r0, %r1, %r2, %r3;", {kA, kB, 0}, 0x0506'8700},
      {"prmt.b32.b4e %r0, %r1, %r2, %r3;", {kA, kB, 2}, 0x8700'0102},
      {"prmt.b32.b4e %r0, %r1, %r2, %r3;", {kA, kB, 3}, 0x0001'0203},
      {"prmt.b32.rc8 %r0, %r1, %r2, %r3;", {kA, kB, 2}, 0x0202'0202},
      {"prmt.b32.ecl %r0, %r1, %r2, %r3;", {kA, kB, 1}, 0x0302'0101},
      {"prmt.b32.ecl %r0, %r1, %r2, %r3;", {kA, kB, 3}, 0x0303'0303},
      {"prmt.b32.ecr %r0, %r1, %r2, %r3;", {kA, kB, 0}, 0},
      {"prmt.b32.ecr %r0, %r1, %r2, %r3;", {kA, kB, 2}, 0x0202'0100},
      {"prmt.b32.rc16 %r0, %r1, %r2, %r3;", {kA, kB, 1}, 0x0302'0302},
      {"prmt.b32.rc16 %r0, %r1, %r2, %r3;", {kA, kB, 2}, 0x0100'0100},
  });
}

TEST(IntegerFieldOpcodes, PermutesLaneByLane) {
  const auto permute = [](std::uint64_t a, std::uint64_t b, std::uint64_t selector) {
    const std::uint64_t both = (b << 32U) | a;
    std::uint64_t result = 0;
    for (unsigned i = 0; i < 4; ++i) {
      const auto which = (selector >> (4 * i)) & 15U;
      std::uint64_t byte = (both >> (8 * (which & 7U))) & 0xffU;
      if (which > 7) byte = byte > 127 ? 255 : 0;
      result |= byte << (8 * i);
    }
    return result;
  };
  expect_reference("prmt.b32 %r0, %r1, %r2, %r3;", 3, {},
                   [&](const auto& v) { return permute(v[0], v[1], v[2]); });
  expect_reference("prmt.b32 %r0, %r1, %r2, 0x6143;", 2, {},
                   [&](const auto& v) { return permute(v[0], v[1], 0x6143); });
  expect_reference("prmt.b32 %r0, %r1, %r2, 0xb7f0;", 2, {},
                   [&](const auto& v) { return permute(v[0], v[1], 0xb7f0); });
}

TEST(IntegerFieldOpcodes, Predicates) {
  expect_cases({
      {"and.pred %p0, %p1, %p2;", {1, 1}, 1},
      {"and.pred %p0, %p1, %p2;", {1, 0}, 0},
      {"or.pred %p0, %p1, %p2;", {1, 0}, 1},
      {"xor.pred %p0, %p1, %p2;", {1, 1}, 0},
      {"not.pred %p0, %p1;", {0}, 1},
      {"mov.pred %p0, %p1;", {1}, 1},
      {"mov.pred %p0, 0;", {}, 0},
      {"mov.pred %p0, 1;", {}, 1},
  });
}

}  // namespace
}  // namespace warpmind::simulator::test
