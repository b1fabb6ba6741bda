#include "profilers/simulator/ops/bit_opcodes.h"

#include "profilers/simulator/ops/lanes.h"
#include "profilers/simulator/ops/statement_reader.h"
#include "profilers/simulator/ops/type_dispatch.h"

#include <algorithm>
#include <bit>

namespace warpmind::simulator {
namespace {

struct And {
  template <class T>
  static T lane_result(T a, T b) {
    return static_cast<T>(a & b);
  }
};
struct Or {
  template <class T>
  static T lane_result(T a, T b) {
    return static_cast<T>(a | b);
  }
};
struct Xor {
  template <class T>
  static T lane_result(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};
struct Not {
  template <class T>
  static T lane_result(T a) {
    return static_cast<T>(~a);
  }
};
/// C's !a.
struct LogicalNot {
  template <class T>
  static T lane_result(T a) {
    return static_cast<T>(a == 0 ? 1 : 0);
  }
};

/// Amounts of the width and more give zero, or copies of the sign.
struct ShiftLeft {
  template <class T>
  static T lane_result(T a, std::uint32_t amount) {
    return amount >= 8 * sizeof(T) ? T{0} : static_cast<T>(a << amount);
  }
};
struct ShiftRight {
  template <class T>
  static T lane_result(T a, std::uint32_t amount) {
    constexpr std::uint32_t kMost = 8 * sizeof(T) - 1;
    if constexpr (std::is_signed_v<T>) {
      return static_cast<T>(a >> (amount < kMost ? amount : kMost));
    } else {
      return amount > kMost ? T{0} : static_cast<T>(a >> amount);
    }
  }
};

/// A window on b:a. `Left`: its upper word after a shift to the left.
template <bool Left, bool Clamp>
struct FunnelShift {
  static std::uint32_t lane_result(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    std::uint32_t amount = c & 31U;
    if (Clamp) amount = c < 32 ? c : 32;
    const std::uint64_t both = (std::uint64_t{b} << 32U) | a;
    return static_cast<std::uint32_t>(both >> (Left ? 32 - amount : amount));
  }
};

template <class F>
void decode_bitwise(StatementReader& read, int sources, float cost) {
  const std::string_view type = read.take_type();
  read.use(for_bits(type,
                    [&]<class T>(std::type_identity<T> /*type*/) -> Handler {
                      if constexpr (std::is_same_v<F, Not> || std::is_same_v<F, LogicalNot>) {
                        return apply_lanes<F, T, T>;
                      } else {
                        return apply_lanes<F, T, T, T>;
                      }
                    }),
           type);
  const int bytes = type_bytes(type);
  read.read_operands(sources, bytes, type);
  read.set_cost(Pipe::alu, bytes == 8 ? 2 * cost : cost);
}

void read_shift(StatementReader& read, Handler handler, std::string_view type) {
  read.use(handler, type);
  const int bytes = type_bytes(type);
  read.out.d = read.destination(bytes);
  read.out.a = read.source(bytes, type);
  read.out.b = read.source(4, "u32");
  read.set_cost(Pipe::alu, bytes == 8 ? 2.0F : 1.0F);
}

/// Instruction::immediate is the truth table: bit (a, b, c) of it.
void run_lop3(Warp& warp, const Instruction& in, Mask active) {
  std::uint32_t chosen[8];
  for (unsigned i = 0; i < 8; ++i) {
    chosen[i] = ((static_cast<std::uint64_t>(in.immediate) >> i) & 1U) != 0 ? ~0U : 0U;
  }
  const auto* const a = lanes<const std::uint32_t>(warp, in.a);
  const auto* const b = lanes<const std::uint32_t>(warp, in.b);
  const auto* const c = lanes<const std::uint32_t>(warp, in.c);
  alignas(64) std::uint32_t values[kLanes];
#pragma GCC ivdep
  for (int i = 0; i < kLanes; ++i) {
    const std::uint32_t x = a[i];
    const std::uint32_t y = b[i];
    const std::uint32_t z = c[i];
    const std::uint32_t without_x =
        (~y & ((~z & chosen[0]) | (z & chosen[1]))) | (y & ((~z & chosen[2]) | (z & chosen[3])));
    const std::uint32_t with_x =
        (~y & ((~z & chosen[4]) | (z & chosen[5]))) | (y & ((~z & chosen[6]) | (z & chosen[7])));
    values[i] = (~x & without_x) | (x & with_x);
  }
  store_lanes(lanes<std::uint32_t>(warp, in.d), values, active);
}

struct Same {
  static Mask lane_result(Mask a, Mask /*b*/) { return a; }
};
struct Invert {
  static Mask lane_result(Mask a, Mask /*b*/) { return ~a; }
};

// Instruction::option
constexpr unsigned kNegatesA = 1;
constexpr unsigned kNegatesB = 2;

template <class F>
void run_predicate(Warp& warp, const Instruction& in, Mask active) {
  Mask a = predicate(warp, in.a);
  Mask b = predicate(warp, in.b);
  if ((in.option & kNegatesA) != 0) a = ~a;
  if ((in.option & kNegatesB) != 0) b = ~b;
  store_predicate(warp, in.d, F::lane_result(a, b), active);
}

template <class F>
void decode_predicate(StatementReader& read, int sources) {
  const std::string_view type = read.take_type();
  read.use(type == "pred" ? run_predicate<F> : nullptr, type);
  read.out.d = read.destination(0);
  bool negates_a = false;
  bool negates_b = false;
  read.out.a = read.predicate_source(negates_a);
  read.out.b = sources > 1 ? read.predicate_source(negates_b) : read.out.a;
  read.out.option =
      static_cast<std::uint16_t>((negates_a ? kNegatesA : 0U) | (negates_b ? kNegatesB : 0U));
  read.set_cost(Pipe::alu, 0.5F);
}

void decode_and(StatementReader& read) { decode_bitwise<And>(read, 2, 1); }
void decode_or(StatementReader& read) { decode_bitwise<Or>(read, 2, 1); }
void decode_xor(StatementReader& read) { decode_bitwise<Xor>(read, 2, 1); }
void decode_not(StatementReader& read) { decode_bitwise<Not>(read, 1, 1); }
void decode_cnot(StatementReader& read) { decode_bitwise<LogicalNot>(read, 1, 2); }

void decode_lop3(StatementReader& read) {
  const std::string_view type = read.take_type();
  read.use(type == "b32" ? run_lop3 : nullptr, type);
  read.read_operands(3, 4, type);
  read.out.immediate = static_cast<std::int64_t>(read.literal());
  read.set_cost(Pipe::alu, 1);
}

void decode_shl(StatementReader& read) {
  const std::string_view type = read.take_type();
  read_shift(read,
             for_bits(type,
                      []<class T>(std::type_identity<T> /*type*/) -> Handler {
                        return apply_lanes<ShiftLeft, T, T, std::uint32_t>;
                      }),
             type);
}

void decode_shr(StatementReader& read) {
  const std::string_view type = read.take_type();
  const auto make = []<class T>(std::type_identity<T> /*type*/) -> Handler {
    return apply_lanes<ShiftRight, T, T, std::uint32_t>;
  };
  const Handler handler = is_signed_type(type) ? for_integer(type, make) : for_bits(type, make);
  read_shift(read, handler, type);
}

void decode_shf(StatementReader& read) {
  const bool is_left = read.take_one_of({"r", "l"}) == 1;
  const bool clamps = read.take_one_of({"wrap", "clamp"}) == 1;
  const std::string_view type = read.take_type();
  using Word = std::uint32_t;
  Handler handler = is_left
                        ? (clamps ? apply_lanes<FunnelShift<true, true>, Word, Word, Word, Word>
                                  : apply_lanes<FunnelShift<true, false>, Word, Word, Word, Word>)
                        : (clamps ? apply_lanes<FunnelShift<false, true>, Word, Word, Word, Word>
                                  : apply_lanes<FunnelShift<false, false>, Word, Word, Word, Word>);
  read.use(type == "b32" ? handler : nullptr, type);
  read.read_operands(3, 4, type);
  read.set_cost(Pipe::alu, 1);
}

void decode_predicate_and(StatementReader& read) { decode_predicate<And>(read, 2); }
void decode_predicate_or(StatementReader& read) { decode_predicate<Or>(read, 2); }
void decode_predicate_xor(StatementReader& read) { decode_predicate<Xor>(read, 2); }
void decode_predicate_not(StatementReader& read) { decode_predicate<Invert>(read, 1); }
void decode_predicate_mov(StatementReader& read) { decode_predicate<Same>(read, 1); }

using Word = std::uint32_t;

/// The lowest `count` bits.
template <class T>
constexpr T low_bits(std::uint32_t count) {
  return count >= 8 * sizeof(T) ? static_cast<T>(~T{0}) : static_cast<T>((T{1} << count) - 1U);
}

/// Above the field's end, and past the register's, stands the sign: 0 for unsigned types.
struct ExtractField {
  template <class T>
  static T lane_result(T a, std::uint32_t b, std::uint32_t c) {
    using Bits = std::make_unsigned_t<T>;
    constexpr std::uint32_t kTop = 8 * sizeof(T) - 1;
    const std::uint32_t position = b & 0xffU;
    const std::uint32_t length = c & 0xffU;
    const auto bits = static_cast<Bits>(a);
    bool sign = false;
    if (std::is_signed_v<T> && length != 0) {
      sign = ((bits >> std::min(position + length - 1, kTop)) & 1U) != 0;
    }
    const std::uint32_t available = position > kTop ? 0 : kTop + 1 - position;
    const Bits field = low_bits<Bits>(std::min(length, available));
    const Bits value = position > kTop ? Bits{0} : static_cast<Bits>((bits >> position) & field);
    return static_cast<T>(sign ? value | static_cast<Bits>(~field) : value);
  }
};

/// a's low bits over b's bits from a position on.
struct InsertField {
  template <class T>
  static T lane_result(T a, T b, std::uint32_t c, std::uint32_t d) {
    constexpr std::uint32_t kWidth = 8 * sizeof(T);
    const std::uint32_t position = c & 0xffU;
    if (position >= kWidth) return b;
    const auto field = static_cast<T>(low_bits<T>(d & 0xffU) << position);
    return static_cast<T>((b & ~field) | ((a << position) & field));
  }
};

/// Position of the highest bit that differs from the sign; all ones = none.
template <bool ShiftAmount>
struct FindBit {
  template <class T>
  static std::uint32_t lane_result(T a) {
    using Bits = std::make_unsigned_t<T>;
    auto bits = static_cast<Bits>(a);
    if (std::is_signed_v<T> && a < T{0}) bits = static_cast<Bits>(~bits);
    if (bits == 0) return ~0U;
    const auto zeros = static_cast<std::uint32_t>(std::countl_zero(bits));
    return ShiftAmount ? zeros : static_cast<std::uint32_t>(8 * sizeof(T)) - 1 - zeros;
  }
};

struct LeadingZeros {
  template <class T>
  static std::uint32_t lane_result(T a) {
    return static_cast<std::uint32_t>(std::countl_zero(a));
  }
};
struct PopulationCount {
  template <class T>
  static std::uint32_t lane_result(T a) {
    return static_cast<std::uint32_t>(std::popcount(a));
  }
};

struct ReverseBits {
  static std::uint32_t lane_result(std::uint32_t a) {
    a = ((a >> 1U) & 0x5555'5555U) | ((a & 0x5555'5555U) << 1U);
    a = ((a >> 2U) & 0x3333'3333U) | ((a & 0x3333'3333U) << 2U);
    a = ((a >> 4U) & 0x0f0f'0f0fU) | ((a & 0x0f0f'0f0fU) << 4U);
    return __builtin_bswap32(a);
  }
  static std::uint64_t lane_result(std::uint64_t a) {
    return (std::uint64_t{lane_result(static_cast<std::uint32_t>(a))} << 32U) |
           lane_result(static_cast<std::uint32_t>(a >> 32U));
  }
};

/// The offset-th set bit from `base` on, downwards for negative offsets; all ones = none.
struct FindNthSet {
  static std::uint32_t lane_result(std::uint32_t mask, std::uint32_t base, std::int32_t offset) {
    if (base > 31) return ~0U;
    if (offset == 0) return ((mask >> base) & 1U) != 0 ? base : ~0U;
    const int step = offset > 0 ? 1 : -1;
    std::int64_t left = offset > 0 ? std::int64_t{offset} : -std::int64_t{offset};
    for (int at = static_cast<int>(base); at >= 0 && at < kLanes; at += step) {
      if (is_active(mask, at) && --left == 0) return static_cast<std::uint32_t>(at);
    }
    return ~0U;
  }
};

/// b ones from bit a on.
template <bool Clamp>
struct BitMask {
  static std::uint32_t lane_result(std::uint32_t a, std::uint32_t b) {
    if (Clamp && a >= 32) return 0;
    const std::uint32_t from = ~0U << (a & 31U);
    const std::uint32_t end = (a & 31U) + (b & 31U);
    if (end >= 32 || (Clamp && b >= 32)) return from;
    return from & ~(~0U << end);
  }
};

/// The low b bits of a, extended.
template <bool Signed, bool Clamp>
struct ExtendBits {
  static std::uint32_t lane_result(std::uint32_t a, std::uint32_t b) {
    if (Clamp && b >= 32) return a;
    const std::uint32_t count = b & 31U;
    const std::uint32_t above = ~0U << count;
    const bool sign = Signed && count != 0 && ((a >> ((count - 1) & 31U)) & 1U) != 0;
    return sign ? a | above : a & ~above;
  }
};

/// Counts of bits: the result has 32 bits whatever the source.
template <class F>
void decode_count(StatementReader& read, bool takes_sign) {
  const std::string_view type = read.take_type();
  const bool fits = takes_sign == (type.substr(0, 1) != "b");
  read.use(fits ? for_words(type,
                            []<class T>(std::type_identity<T> /*type*/) -> Handler {
                              using Bits = std::make_unsigned_t<T>;
                              using Used = std::conditional_t<std::is_same_v<F, FindBit<true>> ||
                                                                  std::is_same_v<F, FindBit<false>>,
                                                              T, Bits>;
                              return apply_lanes<F, std::uint32_t, Used>;
                            })
                : nullptr,
           type);
  const int bytes = type_bytes(type);
  read.out.d = read.destination(4);
  read.out.a = read.source(bytes, type);
  read.set_cost(Pipe::special, bytes == 8 ? 3.0F : 1.0F);
}

void use_word(StatementReader& read, Handler handler, std::string_view type, int sources) {
  read.use(handler, type);
  read.read_operands(sources, 4, type);
}

void decode_bfe(StatementReader& read) {
  const std::string_view type = read.take_type();
  read.use(for_words(type,
                     []<class T>(std::type_identity<T> /*type*/) -> Handler {
                       return apply_lanes<ExtractField, T, T, std::uint32_t, std::uint32_t>;
                     }),
           type);
  const int bytes = type_bytes(type);
  read.out.d = read.destination(bytes);
  read.out.a = read.source(bytes, type);
  read.out.b = read.source(4, "u32");
  read.out.c = read.source(4, "u32");
  read.set_cost(Pipe::alu, bytes == 8 ? 6.0F : 2.0F);
}

void decode_bfi(StatementReader& read) {
  const std::string_view type = read.take_type();
  const int bytes = type_bytes(type);
  Handler handler = nullptr;
  if (type == "b32") handler = apply_lanes<InsertField, Word, Word, Word, Word, Word>;
  if (type == "b64") {
    handler = apply_lanes<InsertField, std::uint64_t, std::uint64_t, std::uint64_t, Word, Word>;
  }
  read.use(handler, type);
  read.out.d = read.destination(bytes);
  read.out.a = read.source(bytes, type);
  read.out.b = read.source(bytes, type);
  read.out.c = read.source(4, "u32");
  read.out.e = read.source(4, "u32");
  read.set_cost(Pipe::alu, bytes == 8 ? 8.0F : 2.0F);
}

void decode_bfind(StatementReader& read) {
  if (read.take("shiftamt")) {
    decode_count<FindBit<true>>(read, true);
  } else {
    decode_count<FindBit<false>>(read, true);
  }
}

void decode_clz(StatementReader& read) { decode_count<LeadingZeros>(read, false); }
void decode_popc(StatementReader& read) { decode_count<PopulationCount>(read, false); }

void decode_brev(StatementReader& read) {
  const std::string_view type = read.take_type();
  Handler handler = nullptr;
  if (type == "b32") handler = apply_lanes<ReverseBits, Word, Word>;
  if (type == "b64") handler = apply_lanes<ReverseBits, std::uint64_t, std::uint64_t>;
  read.use(handler, type);
  read.read_operands(1, type_bytes(type), type);
  read.set_cost(Pipe::special, type == "b64" ? 2.0F : 1.0F);
}

void decode_fns(StatementReader& read) {
  const std::string_view type = read.take_type();
  read.use(type == "b32" ? apply_lanes<FindNthSet, Word, Word, Word, std::int32_t> : nullptr, type);
  read.out.d = read.destination(4);
  read.out.a = read.source(4, "b32");
  read.out.b = read.source(4, "u32");
  read.out.c = read.source(4, "s32");
  read.set_cost(Pipe::alu, 30);
}

void decode_bmsk(StatementReader& read) {
  const bool clamps = read.take_one_of({"wrap", "clamp"}) == 1;
  const std::string_view type = read.take_type();
  const Handler handler = clamps ? apply_lanes<BitMask<true>, Word, Word, Word>
                                 : apply_lanes<BitMask<false>, Word, Word, Word>;
  use_word(read, type == "b32" ? handler : nullptr, type, 2);
  read.set_cost(Pipe::alu, 1);
}

void decode_szext(StatementReader& read) {
  const bool clamps = read.take_one_of({"wrap", "clamp"}) == 1;
  const std::string_view type = read.take_type();
  Handler handler = nullptr;
  if (type == "u32") {
    handler = clamps ? apply_lanes<ExtendBits<false, true>, Word, Word, Word>
                     : apply_lanes<ExtendBits<false, false>, Word, Word, Word>;
  } else if (type == "s32") {
    handler = clamps ? apply_lanes<ExtendBits<true, true>, Word, Word, Word>
                     : apply_lanes<ExtendBits<true, false>, Word, Word, Word>;
  }
  use_word(read, handler, type, 2);
  read.set_cost(Pipe::alu, 1);
}

using Word = std::uint32_t;

enum class PermuteMode { index, forward, backward, replicate, edge_left, edge_right, halves };

/// Which of the eight bytes of b:a goes to byte i; bit 3 = its sign, eight times.
template <PermuteMode Mode>
constexpr std::uint32_t selected_byte(std::uint32_t selector, std::uint32_t i) {
  const std::uint32_t start = selector & 3U;
  switch (Mode) {
    case PermuteMode::forward: return start + i;
    case PermuteMode::backward: return (start - i) & 7U;
    case PermuteMode::replicate: return start;
    case PermuteMode::edge_left: return std::max(start, i);
    case PermuteMode::edge_right: return std::min(start, i);
    case PermuteMode::halves: return 2 * (start & 1U) + (i & 1U);
    default: return (selector >> (4 * i)) & 15U;
  }
}

template <PermuteMode Mode>
struct Permute {
  static std::uint32_t lane_result(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    const std::uint64_t both = (std::uint64_t{b} << 32U) | a;
    std::uint32_t result = 0;
    for (std::uint32_t i = 0; i < 4; ++i) {
      const std::uint32_t which = selected_byte<Mode>(c, i);
      auto byte = static_cast<std::uint32_t>((both >> (8 * (which & 7U))) & 0xffU);
      if ((which & 8U) != 0) byte = (byte & 0x80U) != 0 ? 0xffU : 0U;
      result |= byte << (8 * i);
    }
    return result;
  }
};

Handler permute_handler(int mode) {
  switch (mode) {
    case 0: return apply_lanes<Permute<PermuteMode::forward>, Word, Word, Word, Word>;
    case 1: return apply_lanes<Permute<PermuteMode::backward>, Word, Word, Word, Word>;
    case 2: return apply_lanes<Permute<PermuteMode::replicate>, Word, Word, Word, Word>;
    case 3: return apply_lanes<Permute<PermuteMode::edge_left>, Word, Word, Word, Word>;
    case 4: return apply_lanes<Permute<PermuteMode::edge_right>, Word, Word, Word, Word>;
    case 5: return apply_lanes<Permute<PermuteMode::halves>, Word, Word, Word, Word>;
    default: return apply_lanes<Permute<PermuteMode::index>, Word, Word, Word, Word>;
  }
}

/// A selector that is written in the text and takes no signs: bytes are shuffled 32 at a time.
/// Instruction::immediate is the selector.
void run_constant_permute(Warp& warp, const Instruction& in, Mask active) {
  alignas(32) std::uint8_t from_a[32];
  alignas(32) std::uint8_t from_b[32];
  constexpr std::uint8_t kZero = 0x80;
  for (unsigned i = 0; i < 32; ++i) {
    const auto word = static_cast<std::uint8_t>(i & 12U);  // of the half register
    const auto which = static_cast<std::uint8_t>((in.immediate >> (4 * (i & 3U))) & 7U);
    from_a[i] = which < 4 ? static_cast<std::uint8_t>(word + which) : kZero;
    from_b[i] = which < 4 ? kZero : static_cast<std::uint8_t>(word + which - 4);
  }
  const __m256i shuffle_a = _mm256_load_si256(reinterpret_cast<const __m256i*>(from_a));
  const __m256i shuffle_b = _mm256_load_si256(reinterpret_cast<const __m256i*>(from_b));
  const auto* const a = reinterpret_cast<const __m256i*>(lanes<const Word>(warp, in.a));
  const auto* const b = reinterpret_cast<const __m256i*>(lanes<const Word>(warp, in.b));
  alignas(64) Word values[kLanes];
  for (unsigned i = 0; i < 4; ++i) {
    const __m256i low = _mm256_shuffle_epi8(_mm256_loadu_si256(a + i), shuffle_a);
    const __m256i high = _mm256_shuffle_epi8(_mm256_loadu_si256(b + i), shuffle_b);
    _mm256_store_si256(reinterpret_cast<__m256i*>(values) + i, _mm256_or_si256(low, high));
  }
  store_lanes(lanes<Word>(warp, in.d), values, active);
}

void decode_prmt(StatementReader& read) {
  const int mode = read.take_one_of({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
  const std::string_view type = read.take_type();
  read.use(type == "b32" ? permute_handler(mode) : nullptr, type);
  read.read_operands(2, 4, type);
  std::uint64_t selector = 0;
  const bool is_constant = mode < 0 && read.context().literal(read.peek(), selector);
  read.out.c = read.source(4, type);
  if (is_constant && type == "b32" && (selector & 0x8888U) == 0) {
    read.out.handler = run_constant_permute;
    read.out.immediate = static_cast<std::int64_t>(selector);
  }
  read.set_cost(Pipe::alu, 1);
}

}  // namespace

std::span<const OpcodeEntry> bit_opcodes() {
  static constexpr OpcodeEntry table[] = {
      {"and", TypeClass::predicate, decode_with<decode_predicate_and>},
      {"or", TypeClass::predicate, decode_with<decode_predicate_or>},
      {"xor", TypeClass::predicate, decode_with<decode_predicate_xor>},
      {"not", TypeClass::predicate, decode_with<decode_predicate_not>},
      {"and", TypeClass::any, decode_with<decode_and>},
      {"or", TypeClass::any, decode_with<decode_or>},
      {"xor", TypeClass::any, decode_with<decode_xor>},
      {"not", TypeClass::any, decode_with<decode_not>},
      {"cnot", TypeClass::any, decode_with<decode_cnot>},
      {"lop3", TypeClass::any, decode_with<decode_lop3>},
      {"shl", TypeClass::any, decode_with<decode_shl>},
      {"shr", TypeClass::any, decode_with<decode_shr>},
      {"shf", TypeClass::any, decode_with<decode_shf>},
      {"bfe", TypeClass::any, decode_with<decode_bfe>},
      {"bfi", TypeClass::any, decode_with<decode_bfi>},
      {"bfind", TypeClass::any, decode_with<decode_bfind>},
      {"clz", TypeClass::any, decode_with<decode_clz>},
      {"popc", TypeClass::any, decode_with<decode_popc>},
      {"brev", TypeClass::any, decode_with<decode_brev>},
      {"fns", TypeClass::any, decode_with<decode_fns>},
      {"bmsk", TypeClass::any, decode_with<decode_bmsk>},
      {"szext", TypeClass::any, decode_with<decode_szext>},
      {"prmt", TypeClass::any, decode_with<decode_prmt>},
      {"mov", TypeClass::predicate, decode_with<decode_predicate_mov>},
  };
  return table;
}

}  // namespace warpmind::simulator
