#include "profilers/simulator/ops/compare_opcodes.h"

#include "profilers/simulator/ops/half.h"
#include "profilers/simulator/ops/lanes.h"
#include "profilers/simulator/ops/rounding.h"
#include "profilers/simulator/ops/statement_reader.h"
#include "profilers/simulator/ops/type_dispatch.h"

#include <array>
#include <cstdint>
#include <utility>

namespace warpmind::simulator {
namespace {

// Comparisons of setp and set: on integers, and on floats with and without NaN.

/// The u forms hold for NaN, too. lo ls hi hs are lt le gt ge of unsigned integers.
enum class Comparison : std::uint8_t {
  eq,
  ne,
  lt,
  le,
  gt,
  ge,
  equ,
  neu,
  ltu,
  leu,
  gtu,
  geu,
  num,
  nan,
};
inline constexpr int kIntegerComparisons = 6;
inline constexpr int kComparisons = 14;

/// With the order of C's operators: false for NaN, except !=.
template <Comparison Which>
struct Compare {
  template <class T>
  static bool lane_result(T a, T b) {
    switch (Which) {
      case Comparison::eq: return a == b;
      case Comparison::ne: return std::is_floating_point_v<T> ? (a < b) | (a > b) : a != b;
      case Comparison::lt: return a < b;
      case Comparison::le: return a <= b;
      case Comparison::gt: return a > b;
      case Comparison::ge: return a >= b;
      case Comparison::equ: return !((a < b) | (a > b));
      case Comparison::neu: return a != b;
      case Comparison::ltu: return !(a >= b);
      case Comparison::leu: return !(a > b);
      case Comparison::gtu: return !(a <= b);
      case Comparison::geu: return !(a < b);
      case Comparison::num: return (a == a) & (b == b);
      default: return (a != a) | (b != b);
    }
  }
};

/// Both operands flushed first: .ftz.
template <class F>
struct Flushed {
  template <class T>
  static bool lane_result(T a, T b) {
    return F::lane_result(flush(a), flush(b));
  }
};

/// Parts of Instruction::option of setp and set.
inline constexpr unsigned kCombineMask = 3;     ///< none, and, or, xor
inline constexpr unsigned kCombineNegates = 4;  ///< "!" before the third operand
inline constexpr unsigned kCompareFlushes = 8;

/// r BoolOp c, with the third operand of the instruction.
[[nodiscard]] inline Mask combine_with(Warp& warp, const Instruction& in, Mask result) {
  if ((in.option & kCombineMask) == 0) return result;
  Mask third = predicate(warp, in.c);
  if ((in.option & kCombineNegates) != 0) third = ~third;
  switch (in.option & kCombineMask) {
    case 1: return result & third;
    case 2: return result | third;
    default: return result ^ third;
  }
}

/// What all forms have: .CmpOp, .BoolOp and .ftz. The third operand is read by read_third().
struct ComparisonForm {
  int comparison = -1;  ///< a Comparison
  unsigned option = 0;
};

// setp and set of f16, bf16 and their pairs. Rare, so the comparison is chosen while it runs.

using Test = Mask (*)(const float*, const float*);

template <std::size_t Which>
Mask test(const float* a, const float* b) {
  return lanes_where<Compare<static_cast<Comparison>(Which)>>(a, b);
}
template <std::size_t... Which>
constexpr std::array<Test, sizeof...(Which)> tests(std::index_sequence<Which...> /*all*/) {
  return {test<Which>...};
}
constexpr std::array<Test, kComparisons> kTests = tests(std::make_index_sequence<kComparisons>());

/// Lane i's value `part` of `each`, as float.
template <class Format, int Each>
void widen_part(Warp& warp, Slot slot, int part, bool flushes, float* to) {
  const auto* const from = lanes<const std::uint16_t>(warp, slot);
  alignas(64) std::uint16_t values[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) values[lane] = from[lane * Each + part];
  if (flushes) flush_halves<Format>(values, kLanes);
  Format::widen(values, to, kLanes);
}

/// Instruction::option2 is the comparison.
template <class Format, int Each>
Mask compare_part(Warp& warp, const Instruction& in, int part) {
  alignas(64) float a[kLanes];
  alignas(64) float b[kLanes];
  const bool flushes = (in.option & kCompareFlushes) != 0;
  widen_part<Format, Each>(warp, in.a, part, flushes, a);
  widen_part<Format, Each>(warp, in.b, part, flushes, b);
  return kTests[in.option2](a, b);
}

/// One value: p is the comparison and q its opposite. A pair: p is the low half's, q the high's.
template <class Format, int Each>
void run_setp(Warp& warp, const Instruction& in, Mask active) {
  const Mask low = compare_part<Format, Each>(warp, in, 0);
  const Mask other = Each == 1 ? ~low : compare_part<Format, Each>(warp, in, Each - 1);
  const Mask first = combine_with(warp, in, low);
  const Mask second = combine_with(warp, in, other);
  store_predicate(warp, in.d, first, active);
  if (in.e != kNoSlot) store_predicate(warp, in.e, second, active);
}

/// Values of T, or two 16-bit ones side by side. Instruction::immediate has the bits for "holds".
template <class Format, int Each, class T>
void run_set(Warp& warp, const Instruction& in, Mask active) {
  alignas(64) T values[kLanes] = {};
  for (int part = 0; part < Each; ++part) {
    const Mask result = combine_with(warp, in, compare_part<Format, Each>(warp, in, part));
    const auto value = static_cast<T>(static_cast<T>(in.immediate) << (16U * part));
    for (int lane = 0; lane < kLanes; ++lane) {
      if (is_active(result, lane)) values[lane] = static_cast<T>(values[lane] | value);
    }
  }
  store_lanes(lanes<T>(warp, in.d), values, active);
}

template <class Format>
Handler single_set(std::string_view result) {
  if (result == "u32" || result == "s32") return run_set<Format, 1, std::uint32_t>;
  if (type_bytes(result) == 2) return run_set<Format, 1, std::uint16_t>;
  return nullptr;
}

Handler half_setp_handler(std::string_view type, int comparison) {
  if (comparison < 0) return nullptr;
  if (type == "f16") return run_setp<Float16, 1>;
  if (type == "f16x2") return run_setp<Float16, 2>;
  if (type == "bf16") return run_setp<Bfloat16, 1>;
  if (type == "bf16x2") return run_setp<Bfloat16, 2>;
  return nullptr;
}

Handler half_set_handler(std::string_view type, std::string_view result, int comparison) {
  if (comparison < 0) return nullptr;
  if (type == "f16") return single_set<Float16>(result);
  if (type == "bf16") return single_set<Bfloat16>(result);
  const bool fits = result == type || result == "u32" || result == "s32";
  if (type == "f16x2" && fits) return run_set<Float16, 2, std::uint32_t>;
  if (type == "bf16x2" && fits) return run_set<Bfloat16, 2, std::uint32_t>;
  return nullptr;
}

template <class F, class T>
void run_setp(Warp& warp, const Instruction& in, Mask active) {
  const Mask holds = lanes_where<F>(lanes<const T>(warp, in.a), lanes<const T>(warp, in.b));
  const Mask first = combine_with(warp, in, holds);
  const Mask second = combine_with(warp, in, ~holds);
  store_predicate(warp, in.d, first, active);
  if (in.e != kNoSlot) store_predicate(warp, in.e, second, active);
}

/// All ones (integers) or 1.0f, else zero: Instruction::immediate has the bits for "holds".
template <class F, class T>
void run_set(Warp& warp, const Instruction& in, Mask active) {
  const Mask holds = lanes_where<F>(lanes<const T>(warp, in.a), lanes<const T>(warp, in.b));
  const Mask result = combine_with(warp, in, holds);
  const auto value = static_cast<std::uint32_t>(in.immediate);
  alignas(64) std::uint32_t values[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) values[lane] = is_active(result, lane) ? value : 0;
  store_lanes(lanes<std::uint32_t>(warp, in.d), values, active);
}

template <class T, bool Flush, bool IsSet, std::size_t Which>
constexpr Handler comparison_handler() {
  using Plain = Compare<static_cast<Comparison>(Which)>;
  using F = std::conditional_t<Flush, Flushed<Plain>, Plain>;
  return IsSet ? run_set<F, T> : run_setp<F, T>;
}

/// The handler for a comparison that is known at run time.
template <class T, bool Flush, bool IsSet, std::size_t... Which>
Handler pick(int comparison, std::index_sequence<Which...> /*all*/) {
  static constexpr std::array<Handler, sizeof...(Which)> kHandlers = {
      comparison_handler<T, Flush, IsSet, Which>()...};
  const auto index = static_cast<std::size_t>(comparison);
  return comparison < 0 || index >= kHandlers.size() ? nullptr : kHandlers[index];
}

template <bool IsSet>
Handler handler_of(std::string_view type, int comparison, bool flushes) {
  if (type == "f32") {
    constexpr auto kAll = std::make_index_sequence<kComparisons>();
    return flushes ? pick<float, true, IsSet>(comparison, kAll)
                   : pick<float, false, IsSet>(comparison, kAll);
  }
  if (type == "f64") {
    return pick<double, false, IsSet>(comparison, std::make_index_sequence<kComparisons>());
  }
  const auto make = [&]<class T>(std::type_identity<T> /*type*/) -> Handler {
    return pick<T, false, IsSet>(comparison, std::make_index_sequence<kIntegerComparisons>());
  };
  return is_signed_type(type) ? for_integer(type, make) : for_bits(type, make);
}

template <class T>
void run_selp(Warp& warp, const Instruction& in, Mask active) {
  Mask chosen = predicate(warp, in.c);
  if (in.option != 0) chosen = ~chosen;
  alignas(64) T values[kLanes];
  std::memcpy(values, lanes<const T>(warp, in.b), sizeof values);
  blend_lanes(values, lanes<const T>(warp, in.a), chosen);
  store_lanes(lanes<T>(warp, in.d), values, active);
}

template <class C, bool Flush>
struct SelectByValue {
  template <class T>
  static T lane_result(T a, T b, C c) {
    if constexpr (Flush) c = flush(c);
    return c >= C{0} ? a : b;  // NaN takes b
  }
};

template <class C, bool Flush>
Handler slct_handler(int bytes) {
  using F = SelectByValue<C, Flush>;
  if (bytes == 2) return apply_lanes<F, std::uint16_t, std::uint16_t, std::uint16_t, C>;
  if (bytes == 4) return apply_lanes<F, std::uint32_t, std::uint32_t, std::uint32_t, C>;
  if (bytes == 8) return apply_lanes<F, std::uint64_t, std::uint64_t, std::uint64_t, C>;
  return nullptr;
}

bool is_half_type(std::string_view type) {
  return type == "f16" || type == "bf16" || type == "f16x2" || type == "bf16x2";
}

int bytes_of(std::string_view type) { return type.ends_with("x2") ? 4 : type_bytes(type); }

/// What set writes where the comparison holds; for pairs, to each half.
std::int64_t set_value(std::string_view result, std::string_view type) {
  if (result == "f32") return 0x3f80'0000;
  if (result.starts_with("f16")) return 0x3c00;
  if (result.starts_with("bf16")) return 0x3f80;
  return type.ends_with("x2") || type_bytes(result) == 2 ? 0xffff : 0xffff'ffff;
}

void set_comparison_cost(StatementReader& read, int bytes) {
  read.set_cost(Pipe::alu, bytes == 8 ? 2.0F : 1.0F);
}

ComparisonForm read_comparison(StatementReader& read, std::string_view type) {
  ComparisonForm form;
  const int unsigned_only = read.take_one_of({"lo", "ls", "hi", "hs"});
  if (unsigned_only >= 0) {
    const bool fits = !is_float_type(type) && !type.ends_with("x2") && !is_signed_type(type);
    if (!fits) read.fail("an unsigned comparison of ." + std::string(type));
    form.comparison = static_cast<int>(Comparison::lt) + unsigned_only;
  } else {
    form.comparison = read.take_one_of({"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu",
                                        "leu", "gtu", "geu", "num", "nan"});
    if (form.comparison < 0) read.fail("a comparison without operator");
  }
  form.option = static_cast<unsigned>(read.take_one_of({"and", "or", "xor"}) + 1);
  const bool can_flush = type == "f32" || type.starts_with("f16");
  if (can_flush && read.take("ftz")) form.option |= kCompareFlushes;
  return form;
}

void read_third(StatementReader& read, unsigned option) {
  if ((option & kCombineMask) != 0) {
    bool negated = false;
    read.out.c = read.predicate_source(negated);
    if (negated) option |= kCombineNegates;
  }
  read.out.option = static_cast<std::uint16_t>(option);
}

void decode_setp(StatementReader& read) {
  const std::string_view type = read.take_type();
  const ComparisonForm form = read_comparison(read, type);
  const bool flushes = (form.option & kCompareFlushes) != 0;
  read.use(is_half_type(type) ? half_setp_handler(type, form.comparison)
                              : handler_of<false>(type, form.comparison, flushes),
           type);
  read.out.option2 = static_cast<std::uint16_t>(form.comparison);
  const int bytes = bytes_of(type);
  read.out.d = read.destination(0);
  if (read.peek().paired) read.out.e = read.destination(0);
  read.out.a = read.source(bytes, type.ends_with("x2") ? "b32" : type);
  read.out.b = read.source(bytes, type.ends_with("x2") ? "b32" : type);
  read_third(read, form.option);
  set_comparison_cost(read, bytes);
}

void decode_set(StatementReader& read) {
  const std::string_view type = read.take_type();
  const std::string_view result = read.take_type();
  const ComparisonForm form = read_comparison(read, type);
  const bool flushes = (form.option & kCompareFlushes) != 0;
  if (is_half_type(type)) {
    read.use(half_set_handler(type, result, form.comparison), type);
  } else {
    const bool fits = result == "u32" || result == "s32" || result == "f32";
    read.use(fits ? handler_of<true>(type, form.comparison, flushes) : nullptr,
             fits ? type : result);
  }
  read.out.immediate = set_value(result, type);
  read.out.option2 = static_cast<std::uint16_t>(form.comparison);
  const int bytes = bytes_of(type);
  read.out.d = read.destination(bytes_of(result));
  read.out.a = read.source(bytes, type.ends_with("x2") ? "b32" : type);
  read.out.b = read.source(bytes, type.ends_with("x2") ? "b32" : type);
  read_third(read, form.option);
  set_comparison_cost(read, bytes);
}

void decode_selp(StatementReader& read) {
  const std::string_view type = read.take_type();
  const int bytes = type_bytes(type);
  Handler handler = nullptr;
  if (bytes == 2) handler = run_selp<std::uint16_t>;
  if (bytes == 4) handler = run_selp<std::uint32_t>;
  if (bytes == 8) handler = run_selp<std::uint64_t>;
  read.use(handler, type);
  read.read_operands(2, bytes, type);
  bool negated = false;
  read.out.c = read.predicate_source(negated);
  read.out.option = negated ? 1 : 0;
  set_comparison_cost(read, bytes);
}

void decode_slct(StatementReader& read) {
  const std::string_view by = read.take_type();
  const bool flushes = by == "f32" && read.take("ftz");
  const std::string_view type = read.take_type();
  const int bytes = type_bytes(type);
  Handler handler = nullptr;
  if (by == "s32") handler = slct_handler<std::int32_t, false>(bytes);
  if (by == "f32") {
    handler = flushes ? slct_handler<float, true>(bytes) : slct_handler<float, false>(bytes);
  }
  read.use(handler, handler == nullptr && by != "s32" && by != "f32" ? by : type);
  read.read_operands(2, bytes, type);
  read.out.c = read.source(4, by);
  set_comparison_cost(read, bytes);
}

}  // namespace

std::span<const OpcodeEntry> compare_opcodes() {
  static constexpr OpcodeEntry table[] = {
      {"selp", TypeClass::any, decode_with<decode_selp>},
      {"slct", TypeClass::any, decode_with<decode_slct>},
      {"set", TypeClass::any, decode_with<decode_set>},
      {"setp", TypeClass::any, decode_with<decode_setp>},
  };
  return table;
}

}  // namespace warpmind::simulator
