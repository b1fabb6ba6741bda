#include "profilers/simulator/ops/decoders.h"
#include "profilers/simulator/ops/integer_functors.h"
#include "profilers/simulator/ops/lanes.h"

namespace warpmind::simulator {
namespace {

using Word = std::uint32_t;

/// Part i of a word, `Bits` bits wide.
template <bool Signed, unsigned Bits>
std::int64_t part(std::uint32_t word, unsigned i) {
  const std::uint64_t field =
      (std::uint64_t{word} >> (Bits * i)) & ((std::uint64_t{1} << Bits) - 1);
  const bool negative = Signed && ((field >> (Bits - 1)) & 1U) != 0;
  return static_cast<std::int64_t>(field) - (negative ? std::int64_t{1} << Bits : 0);
}

template <bool SignedA, bool SignedB>
struct Dot4 {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    std::int64_t sum = 0;
    for (unsigned i = 0; i < 4; ++i) sum += part<SignedA, 8>(a, i) * part<SignedB, 8>(b, i);
    return c + static_cast<std::uint32_t>(sum);
  }
};

/// Both halves of a with the low (or high) two bytes of b.
template <bool SignedA, bool SignedB, bool High>
struct Dot2 {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    std::int64_t sum = 0;
    for (unsigned i = 0; i < 2; ++i) {
      sum += part<SignedA, 16>(a, i) * part<SignedB, 8>(b, i + (High ? 2 : 0));
    }
    return c + static_cast<std::uint32_t>(sum);
  }
};

enum class Second { none, add, minimum, maximum };

// Instruction::option of vabsdiff
constexpr unsigned kSignedA = 1;
constexpr unsigned kSignedB = 2;
constexpr unsigned kSignedD = 4;
constexpr unsigned kSaturates = 8;
constexpr unsigned kSecondShift = 4;

/// The difference fits 33 bits; .sat clamps it to d's type.
template <unsigned Bits>
std::int64_t difference(std::uint32_t a, std::uint32_t b, unsigned i, unsigned option) {
  const std::int64_t x =
      (option & kSignedA) != 0 ? part<true, Bits>(a, i) : part<false, Bits>(a, i);
  const std::int64_t y =
      (option & kSignedB) != 0 ? part<true, Bits>(b, i) : part<false, Bits>(b, i);
  const std::int64_t apart = x < y ? y - x : x - y;
  const unsigned bits = (option & kSignedD) != 0 ? Bits - 1 : Bits;
  const std::int64_t most = (std::int64_t{1} << bits) - 1;
  return (option & kSaturates) != 0 && apart > most ? most : apart;
}

std::uint32_t combine(std::uint32_t value, std::uint32_t c, unsigned option) {
  const auto second = static_cast<Second>(option >> kSecondShift);
  const bool is_less = (option & kSignedD) != 0
                           ? static_cast<std::int32_t>(value) < static_cast<std::int32_t>(c)
                           : value < c;
  switch (second) {
    case Second::add: return value + c;
    case Second::minimum: return is_less ? value : c;
    case Second::maximum: return is_less ? c : value;
    default: return value;
  }
}

/// `Bits` = 32: one difference. Else as many as there are parts: side by side, or (.add) summed.
template <unsigned Bits>
void run_vabsdiff(Warp& warp, const Instruction& in, Mask active) {
  const auto* const a = lanes<const Word>(warp, in.a);
  const auto* const b = lanes<const Word>(warp, in.b);
  const auto* const c = lanes<const Word>(warp, in.c);
  const bool sums = static_cast<Second>(in.option >> kSecondShift) == Second::add;
  alignas(64) Word values[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) {
    Word value = 0;
    for (unsigned i = 0; i < 32 / Bits; ++i) {
      const std::int64_t apart = difference<Bits>(a[lane], b[lane], i, in.option);
      const auto bits = static_cast<std::uint64_t>(apart) & ((std::uint64_t{1} << Bits) - 1);
      value += static_cast<Word>(sums ? bits : bits << (Bits * i));
    }
    values[lane] = combine(value, c[lane], in.option);
  }
  store_lanes(lanes<Word>(warp, in.d), values, active);
}

/// The next type from the end; .u32 or .s32.
bool take_is_signed(StatementReader& read) {
  const std::string_view type = read.take_type();
  if (type != "u32" && type != "s32") read.fail("the type ." + std::string(type));
  return type == "s32";
}

void read_vabsdiff(StatementReader& read, Handler handler, bool is_packed) {
  const int second =
      is_packed ? (read.take("add") ? 0 : -1) : read.take_one_of({"add", "min", "max"});
  const bool saturates = read.take("sat");
  const bool signed_b = take_is_signed(read);
  const bool signed_a = take_is_signed(read);
  const bool signed_d = take_is_signed(read);
  read.use(handler, "u32");
  read.read_operands(2, 4, "u32");
  // The packed forms name c even where it does not count: every part of d is written.
  const bool has_third = second >= 0 || is_packed;
  read.out.c = has_third ? read.source(4, "u32") : read.out.b;
  read.out.option = static_cast<std::uint16_t>(
      (signed_a ? kSignedA : 0U) | (signed_b ? kSignedB : 0U) | (signed_d ? kSignedD : 0U) |
      (saturates ? kSaturates : 0U) | (static_cast<unsigned>(second + 1) << kSecondShift));
  read.set_cost(Pipe::alu, is_packed ? 8.0F : 2.0F);
}

template <bool SignedA>
Handler dot2_handler(bool signed_b, bool is_high) {
  if (signed_b) {
    return is_high ? apply_lanes<Dot2<SignedA, true, true>, Word, Word, Word, Word>
                   : apply_lanes<Dot2<SignedA, true, false>, Word, Word, Word, Word>;
  }
  return is_high ? apply_lanes<Dot2<SignedA, false, true>, Word, Word, Word, Word>
                 : apply_lanes<Dot2<SignedA, false, false>, Word, Word, Word, Word>;
}

template <bool SignedA>
Handler dot4_handler(bool signed_b) {
  return signed_b ? apply_lanes<Dot4<SignedA, true>, Word, Word, Word, Word>
                  : apply_lanes<Dot4<SignedA, false>, Word, Word, Word, Word>;
}

}  // namespace

void decode_dp4a(StatementReader& read) {
  const bool signed_b = take_is_signed(read);
  const bool signed_a = take_is_signed(read);
  read.use(signed_a ? dot4_handler<true>(signed_b) : dot4_handler<false>(signed_b), "u32");
  read.read_operands(3, 4, "b32");
  read.set_cost(Pipe::integer_multiply, 1);
}

void decode_dp2a(StatementReader& read) {
  const bool is_high = read.take_one_of({"lo", "hi"}) == 1;
  const bool signed_b = take_is_signed(read);
  const bool signed_a = take_is_signed(read);
  read.use(
      signed_a ? dot2_handler<true>(signed_b, is_high) : dot2_handler<false>(signed_b, is_high),
      "u32");
  read.read_operands(3, 4, "b32");
  read.set_cost(Pipe::integer_multiply, 1);
}

void decode_vabsdiff(StatementReader& read) { read_vabsdiff(read, run_vabsdiff<32>, false); }
void decode_vabsdiff2(StatementReader& read) { read_vabsdiff(read, run_vabsdiff<16>, true); }
void decode_vabsdiff4(StatementReader& read) { read_vabsdiff(read, run_vabsdiff<8>, true); }

}  // namespace warpmind::simulator
