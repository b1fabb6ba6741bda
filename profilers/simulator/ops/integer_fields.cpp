#include "profilers/simulator/ops/decoders.h"
#include "profilers/simulator/ops/lanes.h"
#include "profilers/simulator/ops/type_dispatch.h"

#include <algorithm>
#include <bit>

namespace warpmind::simulator {
namespace {

using Word = std::uint32_t;

/// The lowest `count` bits.
template <class T>
constexpr T low_bits(std::uint32_t count) {
  return count >= 8 * sizeof(T) ? static_cast<T>(~T{0}) : static_cast<T>((T{1} << count) - 1U);
}

/// Above the field's end, and past the register's, stands the sign: 0 for unsigned types.
struct ExtractField {
  template <class T>
  static T apply(T a, std::uint32_t b, std::uint32_t c) {
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
  static T apply(T a, T b, std::uint32_t c, std::uint32_t d) {
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
  static std::uint32_t apply(T a) {
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
  static std::uint32_t apply(T a) {
    return static_cast<std::uint32_t>(std::countl_zero(a));
  }
};
struct PopulationCount {
  template <class T>
  static std::uint32_t apply(T a) {
    return static_cast<std::uint32_t>(std::popcount(a));
  }
};

struct ReverseBits {
  static std::uint32_t apply(std::uint32_t a) {
    a = ((a >> 1U) & 0x5555'5555U) | ((a & 0x5555'5555U) << 1U);
    a = ((a >> 2U) & 0x3333'3333U) | ((a & 0x3333'3333U) << 2U);
    a = ((a >> 4U) & 0x0f0f'0f0fU) | ((a & 0x0f0f'0f0fU) << 4U);
    return __builtin_bswap32(a);
  }
  static std::uint64_t apply(std::uint64_t a) {
    return (std::uint64_t{apply(static_cast<std::uint32_t>(a))} << 32U) |
           apply(static_cast<std::uint32_t>(a >> 32U));
  }
};

/// The offset-th set bit from `base` on, downwards for negative offsets; all ones = none.
struct FindNthSet {
  static std::uint32_t apply(std::uint32_t mask, std::uint32_t base, std::int32_t offset) {
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
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b) {
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
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b) {
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

}  // namespace

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

}  // namespace warpmind::simulator
