#include "profilers/simulator/ops/compare.h"
#include "profilers/simulator/ops/decoders.h"
#include "profilers/simulator/ops/type_dispatch.h"

#include <array>
#include <utility>

namespace warpmind::simulator {
namespace {

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
  static T apply(T a, T b, C c) {
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

}  // namespace

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

}  // namespace warpmind::simulator
