#include "profilers/simulator/ops/integer_opcodes.h"

#include "profilers/simulator/ops/integer_functors.h"
#include "profilers/simulator/ops/lanes.h"
#include "profilers/simulator/ops/statement_reader.h"
#include "profilers/simulator/ops/type_dispatch.h"

namespace warpmind::simulator {
namespace {

enum class CarryOperation { add, subtract };

// Arithmetic with the condition code CC.CF: one bit a lane in Warp::carry.

// Instruction::option
constexpr unsigned kReadsCarry = 1;
constexpr unsigned kWritesCarry = 2;
constexpr unsigned kSubtracts = 4;

/// a + b + carry, or a - b - carry; the carry goes out, too (of a subtraction: the borrow).
template <class T>
T add_with_carry(T a, T b, bool subtracts, bool& carry) {
  Wider<T> sum = subtracts ? Wider<T>{a} - Wider<T>{b} : Wider<T>{a} + Wider<T>{b};
  sum = subtracts ? sum - Wider<T>{carry} : sum + Wider<T>{carry};
  carry = ((sum >> (8 * sizeof(T))) & 1U) != 0;
  return static_cast<T>(sum);
}

template <class T>
void run_carry(Warp& warp, const Instruction& in, Mask active) {
  const auto* const a = lanes<const T>(warp, in.a);
  const auto* const b = lanes<const T>(warp, in.b);
  alignas(64) T values[kLanes];
  Mask carries = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    bool carry = (in.option & kReadsCarry) != 0 && is_active(warp.carry, lane);
    values[lane] = add_with_carry(a[lane], b[lane], (in.option & kSubtracts) != 0, carry);
    if (carry) carries |= Mask{1} << static_cast<unsigned>(lane);
  }
  store_lanes(lanes<T>(warp, in.d), values, active);
  if ((in.option & kWritesCarry) != 0) warp.carry = (warp.carry & ~active) | (carries & active);
}

template <class Multiply, class T>
void run_carry_mad(Warp& warp, const Instruction& in, Mask active) {
  using Bits = Unsigned<T>;
  const auto* const a = lanes<const T>(warp, in.a);
  const auto* const b = lanes<const T>(warp, in.b);
  const auto* const c = lanes<const Bits>(warp, in.c);
  alignas(64) Bits values[kLanes];
  Mask carries = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    bool carry = (in.option & kReadsCarry) != 0 && is_active(warp.carry, lane);
    const auto product = static_cast<Bits>(Multiply::lane_result(a[lane], b[lane]));
    values[lane] = add_with_carry(product, c[lane], false, carry);
    if (carry) carries |= Mask{1} << static_cast<unsigned>(lane);
  }
  store_lanes(lanes<Bits>(warp, in.d), values, active);
  if ((in.option & kWritesCarry) != 0) warp.carry = (warp.carry & ~active) | (carries & active);
}

std::uint16_t options(bool reads_carry, bool writes_carry) {
  return static_cast<std::uint16_t>((reads_carry ? kReadsCarry : 0U) |
                                    (writes_carry ? kWritesCarry : 0U));
}

void decode_carry(StatementReader& read, CarryOperation operation, bool reads_carry,
                  bool writes_carry) {
  const std::string_view type = read.take_type();
  const int bytes = type_bytes(type);
  Handler handler = nullptr;
  if (bytes == 4) handler = run_carry<std::uint32_t>;
  if (bytes == 8) handler = run_carry<std::uint64_t>;
  read.use(is_float_type(type) ? nullptr : handler, type);
  read.read_operands(2, bytes, type);
  read.out.option = options(reads_carry, writes_carry);
  if (operation == CarryOperation::subtract) read.out.option |= kSubtracts;
  read.set_cost(Pipe::alu, bytes == 8 ? 2.0F : 1.0F);
}

void decode_carry_mad(StatementReader& read, bool reads_carry, bool writes_carry) {
  const bool is_high = read.take_one_of({"lo", "hi"}) == 1;
  const std::string_view type = read.take_type();
  read.use(for_words(type,
                     [&]<class T>(std::type_identity<T> /*type*/) -> Handler {
                       return is_high ? run_carry_mad<MultiplyHigh, T>
                                      : run_carry_mad<MultiplyLow, T>;
                     }),
           type);
  const int bytes = type_bytes(type);
  read.read_operands(3, bytes, type);
  read.out.option = options(reads_carry, writes_carry);
  read.set_cost(Pipe::integer_multiply, bytes == 8 ? 5.0F : 2.0F);
}

void decode_addc(StatementReader& read) {
  const bool writes = read.take("cc");
  decode_carry(read, CarryOperation::add, true, writes);
}

void decode_subc(StatementReader& read) {
  const bool writes = read.take("cc");
  decode_carry(read, CarryOperation::subtract, true, writes);
}

void decode_madc(StatementReader& read) {
  const bool writes = read.take("cc");
  decode_carry_mad(read, true, writes);
}

float cost_of(int bytes) { return bytes == 8 ? 2.0F : 1.0F; }

template <class F>
Handler binary_handler(std::string_view type) {
  return for_integer(type, []<class T>(std::type_identity<T> /*type*/) -> Handler {
    return apply_lanes<F, T, T, T>;
  });
}

/// Two operands of one type; the packed types only where `packed` says so.
template <class F>
void decode_binary(StatementReader& read, float cost_32, float cost_64) {
  const std::string_view type = read.take_type();
  const bool is_packed = type == "u16x2" || type == "s16x2";
  Handler handler = binary_handler<F>(type);
  if (type == "u16x2") {
    handler = apply_lanes<Halves<F, std::uint16_t>, std::uint32_t, std::uint32_t, std::uint32_t>;
  } else if (type == "s16x2") {
    handler = apply_lanes<Halves<F, std::int16_t>, std::uint32_t, std::uint32_t, std::uint32_t>;
  }
  read.use(handler, type);
  const int bytes = is_packed ? 4 : type_bytes(type);
  read.read_operands(2, bytes, is_packed ? "b32" : type);
  read.set_cost(Pipe::alu, bytes == 8 ? cost_64 : cost_32);
}

/// add.sat and sub.sat.
template <class F>
struct Saturated {
  static std::int32_t lane_result(std::int32_t a, std::int32_t b) {
    return clamp_to<std::int32_t>(F::lane_result(std::int64_t{a}, std::int64_t{b}));
  }
};

template <class F>
void decode_saturated(StatementReader& read) {
  const std::string_view type = read.take_type();
  read.use(
      type == "s32" ? apply_lanes<Saturated<F>, std::int32_t, std::int32_t, std::int32_t> : nullptr,
      type);
  read.read_operands(2, 4, type);
  read.set_cost(Pipe::alu, 3);
}

/// Low 24 bits, sign-extended where T is signed.
template <class T>
std::int64_t low_24(T value) {
  const auto bits = static_cast<std::uint32_t>(value) & 0xff'ffffU;
  const bool negative = std::is_signed_v<T> && (bits & 0x80'0000U) != 0;
  return std::int64_t{bits} - (negative ? 0x100'0000 : 0);
}
/// Bits 0 to 31, or 16 to 47, of a product of 24-bit numbers.
template <unsigned Shift>
struct Multiply24 {
  template <class T>
  static T lane_result(T a, T b) {
    return static_cast<T>(static_cast<std::uint64_t>(low_24(a) * low_24(b)) >> Shift);
  }
};
/// mad.hi.sat and mad24.hi.sat.
template <class Multiply>
struct SaturatedMultiplyAdd {
  static std::int32_t lane_result(std::int32_t a, std::int32_t b, std::int32_t c) {
    return clamp_to<std::int32_t>(std::int64_t{Multiply::lane_result(a, b)} + c);
  }
};

template <class F>
Handler multiply_add_handler(std::string_view type) {
  return for_integer(type, []<class T>(std::type_identity<T> /*type*/) -> Handler {
    return apply_lanes<MultiplyAdd<F>, T, T, T, T>;
  });
}

/// d is twice as wide as a and b.
Handler wide_handler(std::string_view type, bool adds) {
  return for_integer(type, [&]<class T>(std::type_identity<T> /*type*/) -> Handler {
    if constexpr (sizeof(T) == 8) {
      return nullptr;
    } else if (adds) {
      return apply_lanes<MultiplyAdd<MultiplyWide>, Wider<T>, T, T, Wider<T>>;
    } else {
      return apply_lanes<MultiplyWide, Wider<T>, T, T>;
    }
  });
}

float multiply_cost(int bytes, bool is_high) {
  if (bytes == 8) return is_high ? 8.0F : 4.0F;
  return is_high ? 2.0F : 1.0F;
}

void decode_wide(StatementReader& read, bool adds) {
  const std::string_view type = read.take_type();
  read.use(wide_handler(type, adds), type);
  const int bytes = type_bytes(type);
  read.out.d = read.destination(2 * bytes);
  read.out.a = read.source(bytes, type);
  read.out.b = read.source(bytes, type);
  if (adds) {
    std::string_view sum = type.front() == 's' ? "s64" : "u64";
    if (bytes == 2) sum = type.front() == 's' ? "s32" : "u32";
    read.out.c = read.source(2 * bytes, sum);
  }
  read.set_cost(Pipe::integer_multiply, bytes == 4 ? 2.0F : 1.0F);
}

Handler handler_24(std::string_view type, bool is_high, bool adds) {
  const auto make = [&]<class T>(std::type_identity<T> /*type*/) -> Handler {
    if (adds) {
      return is_high ? apply_lanes<MultiplyAdd<Multiply24<16>>, T, T, T, T>
                     : apply_lanes<MultiplyAdd<Multiply24<0>>, T, T, T, T>;
    }
    return is_high ? apply_lanes<Multiply24<16>, T, T, T> : apply_lanes<Multiply24<0>, T, T, T>;
  };
  if (type == "u32") return make(std::type_identity<std::uint32_t>());
  if (type == "s32") return make(std::type_identity<std::int32_t>());
  return nullptr;
}

template <class F>
void decode_unary_signed(StatementReader& read) {
  const std::string_view type = read.take_type();
  Handler handler = nullptr;
  if (type == "s32") handler = apply_lanes<F, std::int32_t, std::int32_t>;
  if (type == "s64") handler = apply_lanes<F, std::int64_t, std::int64_t>;
  if (type == "s16") handler = apply_lanes<F, std::int16_t, std::int16_t>;
  read.use(handler, type);
  const int bytes = type_bytes(type);
  read.read_operands(1, bytes, type);
  read.set_cost(Pipe::alu, cost_of(bytes));
}

template <class F>
void decode_extreme(StatementReader& read) {
  if (!read.take("relu")) {
    decode_binary<F>(read, 1, 3);
    return;
  }
  const std::string_view type = read.take_type();
  using Word = std::uint32_t;
  Handler handler = nullptr;
  if (type == "s32") {
    handler = apply_lanes<ReluInteger<F>, std::int32_t, std::int32_t, std::int32_t>;
  } else if (type == "s16x2") {
    handler = apply_lanes<Halves<ReluInteger<F>, std::int16_t>, Word, Word, Word>;
  }
  read.use(handler, type);
  read.read_operands(2, 4, "b32");
  read.set_cost(Pipe::alu, 1);
}

void decode_integer_add(StatementReader& read) {
  if (read.take("cc")) return decode_carry(read, CarryOperation::add, false, true);
  if (read.take("sat")) return decode_saturated<AddInteger>(read);
  decode_binary<AddInteger>(read, 1, 2);
}

void decode_integer_sub(StatementReader& read) {
  if (read.take("cc")) return decode_carry(read, CarryOperation::subtract, false, true);
  if (read.take("sat")) return decode_saturated<SubtractInteger>(read);
  decode_binary<SubtractInteger>(read, 1, 2);
}

void decode_integer_mul(StatementReader& read) {
  if (read.take("wide")) return decode_wide(read, false);
  const bool is_high = read.take_one_of({"lo", "hi"}) == 1;
  const std::string_view type = read.take_type();
  read.use(is_high ? binary_handler<MultiplyHigh>(type) : binary_handler<MultiplyLow>(type), type);
  const int bytes = type_bytes(type);
  read.read_operands(2, bytes, type);
  read.set_cost(Pipe::integer_multiply, multiply_cost(bytes, is_high));
}

void decode_integer_mad(StatementReader& read) {
  if (read.take("cc")) return decode_carry_mad(read, false, true);
  if (read.take("wide")) return decode_wide(read, true);
  const bool is_high = read.take_one_of({"lo", "hi"}) == 1;
  const bool is_saturated = is_high && read.take("sat");
  const std::string_view type = read.take_type();
  Handler handler =
      is_high ? multiply_add_handler<MultiplyHigh>(type) : multiply_add_handler<MultiplyLow>(type);
  if (is_saturated) {
    using Int = std::int32_t;
    handler = type == "s32" ? apply_lanes<SaturatedMultiplyAdd<MultiplyHigh>, Int, Int, Int, Int>
                            : nullptr;
  }
  read.use(handler, type);
  const int bytes = type_bytes(type);
  read.read_operands(3, bytes, type);
  read.set_cost(Pipe::integer_multiply, multiply_cost(bytes, is_high));
}

void decode_mul24(StatementReader& read) {
  const bool is_high = read.take_one_of({"lo", "hi"}) == 1;
  const std::string_view type = read.take_type();
  read.use(handler_24(type, is_high, false), type);
  read.read_operands(2, 4, type);
  read.set_cost(Pipe::integer_multiply, 3);
}

void decode_mad24(StatementReader& read) {
  const bool is_high = read.take_one_of({"lo", "hi"}) == 1;
  const bool is_saturated = is_high && read.take("sat");
  const std::string_view type = read.take_type();
  Handler handler = handler_24(type, is_high, true);
  if (is_saturated) {
    using Int = std::int32_t;
    handler = type == "s32" ? apply_lanes<SaturatedMultiplyAdd<Multiply24<16>>, Int, Int, Int, Int>
                            : nullptr;
  }
  read.use(handler, type);
  read.read_operands(3, 4, type);
  read.set_cost(Pipe::integer_multiply, 4);
}

void decode_integer_div(StatementReader& read) {
  // By a constant the compiler multiplies.
  const auto& operands = read.statement().operands;
  const bool by_constant = operands.size() == 3 && operands[2].kind == ptx::OperandKind::integer;
  decode_binary<DivideInteger>(read, by_constant ? 4 : 18, by_constant ? 8 : 70);
}

void decode_integer_rem(StatementReader& read) {
  const auto& operands = read.statement().operands;
  const bool by_constant = operands.size() == 3 && operands[2].kind == ptx::OperandKind::integer;
  decode_binary<RemainderInteger>(read, by_constant ? 5 : 18, by_constant ? 9 : 70);
}

void decode_integer_abs(StatementReader& read) { decode_unary_signed<AbsoluteInteger>(read); }
void decode_integer_neg(StatementReader& read) { decode_unary_signed<NegateInteger>(read); }
void decode_integer_min(StatementReader& read) { decode_extreme<MinimumInteger>(read); }
void decode_integer_max(StatementReader& read) { decode_extreme<MaximumInteger>(read); }

void decode_sad(StatementReader& read) {
  const std::string_view type = read.take_type();
  read.use(for_integer(type,
                       []<class T>(std::type_identity<T> /*type*/) -> Handler {
                         return apply_lanes<SumOfAbsoluteDifference, T, T, T, T>;
                       }),
           type);
  const int bytes = type_bytes(type);
  read.read_operands(3, bytes, type);
  read.set_cost(Pipe::alu, cost_of(bytes));
}

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
  static std::uint32_t lane_result(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    std::int64_t sum = 0;
    for (unsigned i = 0; i < 4; ++i) sum += part<SignedA, 8>(a, i) * part<SignedB, 8>(b, i);
    return c + static_cast<std::uint32_t>(sum);
  }
};

/// Both halves of a with the low (or high) two bytes of b.
template <bool SignedA, bool SignedB, bool High>
struct Dot2 {
  static std::uint32_t lane_result(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
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

}  // namespace

std::span<const OpcodeEntry> integer_opcodes() {
  static constexpr OpcodeEntry table[] = {
      {"add", TypeClass::integer, decode_with<decode_integer_add>},
      {"addc", TypeClass::any, decode_with<decode_addc>},
      {"sub", TypeClass::integer, decode_with<decode_integer_sub>},
      {"subc", TypeClass::any, decode_with<decode_subc>},
      {"mul", TypeClass::integer, decode_with<decode_integer_mul>},
      {"mad", TypeClass::integer, decode_with<decode_integer_mad>},
      {"madc", TypeClass::any, decode_with<decode_madc>},
      {"mul24", TypeClass::any, decode_with<decode_mul24>},
      {"mad24", TypeClass::any, decode_with<decode_mad24>},
      {"div", TypeClass::integer, decode_with<decode_integer_div>},
      {"rem", TypeClass::any, decode_with<decode_integer_rem>},
      {"abs", TypeClass::integer, decode_with<decode_integer_abs>},
      {"neg", TypeClass::integer, decode_with<decode_integer_neg>},
      {"min", TypeClass::integer, decode_with<decode_integer_min>},
      {"max", TypeClass::integer, decode_with<decode_integer_max>},
      // By the first modifier: the packed types belong to no class, nor does .relu after a type.
      {"add.u16x2", TypeClass::any, decode_with<decode_integer_add>},
      {"add.s16x2", TypeClass::any, decode_with<decode_integer_add>},
      {"min.u16x2", TypeClass::any, decode_with<decode_integer_min>},
      {"min.s16x2", TypeClass::any, decode_with<decode_integer_min>},
      {"min.s32", TypeClass::any, decode_with<decode_integer_min>},
      {"min.relu", TypeClass::any, decode_with<decode_integer_min>},
      {"max.u16x2", TypeClass::any, decode_with<decode_integer_max>},
      {"max.s16x2", TypeClass::any, decode_with<decode_integer_max>},
      {"max.s32", TypeClass::any, decode_with<decode_integer_max>},
      {"max.relu", TypeClass::any, decode_with<decode_integer_max>},
      {"sad", TypeClass::any, decode_with<decode_sad>},
      {"dp4a", TypeClass::any, decode_with<decode_dp4a>},
      {"dp2a", TypeClass::any, decode_with<decode_dp2a>},
      {"vabsdiff", TypeClass::any, decode_with<decode_vabsdiff>},
      {"vabsdiff2", TypeClass::any, decode_with<decode_vabsdiff2>},
      {"vabsdiff4", TypeClass::any, decode_with<decode_vabsdiff4>},
  };
  return table;
}

}  // namespace warpmind::simulator
