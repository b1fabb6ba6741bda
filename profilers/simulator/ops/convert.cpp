#include "profilers/simulator/ops/convert.h"

#include "profilers/simulator/ops/decoders.h"

#include <algorithm>
#include <array>
#include <utility>

namespace warpmind::simulator {
namespace {

template <class D, class S, bool Saturate>
void run_integer(Warp& warp, const Instruction& in, Mask active) {
  alignas(64) S buffer[kLanes];
  alignas(64) D values[kLanes];
  const S* const from = source_lanes(warp, in, buffer);
  for (int lane = 0; lane < kLanes; ++lane) {
    if constexpr (Saturate && std::is_signed_v<S> && !std::is_signed_v<D>) {
      using Positive = std::make_unsigned_t<S>;
      const S value = from[lane] < 0 ? S{0} : from[lane];
      constexpr std::uint64_t kMost = std::numeric_limits<D>::max();
      const auto positive = std::uint64_t{static_cast<Positive>(value)};
      values[lane] = static_cast<D>(std::min(positive, kMost));
    } else if constexpr (Saturate && !std::is_signed_v<S>) {
      constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<D>::max());
      values[lane] = static_cast<D>(std::min(std::uint64_t{from[lane]}, kMost));
    } else if constexpr (Saturate) {
      values[lane] = clamp_to<D>(std::int64_t{from[lane]});
    } else {
      // NOLINTNEXTLINE(bugprone-signed-char-misuse): a number, to be sign-extended
      values[lane] = static_cast<D>(from[lane]);
    }
  }
  store_result(warp, in, values, active);
}

/// .rn … .rp, .rni … .rpi, .rna: option bits; a rounding that is missing gives `fallback`.
unsigned take_rounding_option(StatementReader& read, unsigned fallback) {
  constexpr std::array kOrder = {Rounding::nearest_even, Rounding::zero, Rounding::down,
                                 Rounding::up};
  const int whole = read.take_one_of({"rni", "rzi", "rmi", "rpi"});
  if (whole >= 0) {
    return kToWhole | static_cast<unsigned>(kOrder[static_cast<std::size_t>(whole)]);
  }
  if (read.take("rna")) return static_cast<unsigned>(Rounding::nearest_away);
  const auto rounding = read.take_rounding();
  return rounding ? static_cast<unsigned>(*rounding) : fallback;
}

unsigned take_flags(StatementReader& read) {
  constexpr std::array<std::pair<std::string_view, unsigned>, 4> kFlags = {
      {{"sat", kSaturate}, {"relu", kRelu}, {"satfinite", kFinite}, {"ftz", kFlush}}};
  unsigned option = 0;
  for (const auto& [name, flag] : kFlags) {
    if (read.take(name)) option |= flag;
  }
  return option;
}

bool is_pair(std::string_view type) { return type.ends_with("x2"); }

/// SASS instructions: conversions between words are moves or shifts.
void set_conversion_cost(StatementReader& read, const Conversion& conversion) {
  const bool both = is_integer(conversion.to) && is_integer(conversion.from);
  const bool is_wide = number_bytes(conversion.to) == 8 || number_bytes(conversion.from) == 8;
  const bool is_plain = conversion.to == NumberKind::f32 || conversion.from == NumberKind::f32;
  const bool is_half = conversion.to == NumberKind::f16 || conversion.from == NumberKind::f16;
  if (both) {
    read.set_cost(Pipe::alu, 1);
  } else if (is_plain && is_half) {
    read.set_cost(Pipe::half, 1);
  } else {
    read.set_cost(Pipe::special, is_wide ? 2.0F : 1.0F);
  }
}

/// The register may be wider than the type. A literal has the type's size.
int register_size(StatementReader& read, NumberKind kind) {
  const int bytes = read.context().register_bytes(read.peek());
  return std::max(bytes, number_bytes(kind));
}

void read_plain_conversion(StatementReader& read, const Conversion& conversion, std::string_view to,
                           std::string_view from) {
  Handler handler = integer_conversion(conversion);
  if (handler == nullptr) handler = real_conversion(conversion);
  if (handler == nullptr) handler = general_conversion(conversion);
  read.use(handler, conversion.to == NumberKind::unknown ? to : from);
  const int result_bytes = register_size(read, conversion.to);
  read.out.d = read.destination(result_bytes);
  const int source_bytes = register_size(read, conversion.from);
  read.out.a = read.source(source_bytes, conversion.from == NumberKind::tf32 ? "b32" : from);
  read.out.option = static_cast<std::uint16_t>(conversion.option);
  read.out.option2 = static_cast<std::uint16_t>(source_bytes | (result_bytes << 8));
  read.out.immediate = static_cast<int>(conversion.from) | (static_cast<int>(conversion.to) << 8);
  set_conversion_cost(read, conversion);
}

/// Two numbers clamped, side by side below c: cvt.pack.
template <class D>
void run_pack(Warp& warp, const Instruction& in, Mask active) {
  constexpr unsigned kBits = 8 * sizeof(D);
  const auto* const a = lanes<const std::int32_t>(warp, in.a);
  const auto* const b = lanes<const std::int32_t>(warp, in.b);
  const auto* const c = lanes<const std::uint32_t>(warp, in.c);
  alignas(64) std::uint32_t values[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) {
    const auto part = [](std::int32_t value) {
      using Positive = std::make_unsigned_t<D>;
      return std::uint32_t{static_cast<Positive>(clamp_to<D>(std::int64_t{value}))};
    };
    const std::uint32_t above = sizeof(D) == 1 ? c[lane] << 16U : 0U;
    values[lane] = above | (part(a[lane]) << kBits) | part(b[lane]);
  }
  store_lanes(lanes<std::uint32_t>(warp, in.d), values, active);
}

void read_pack(StatementReader& read) {
  if (!read.take("sat")) read.fail("cvt.pack without .sat");
  const int to = read.take_one_of({"u16", "s16", "u8", "s8"});
  const bool has_third = to >= 2;
  if (has_third && !read.take("b32")) read.fail("cvt.pack to 8 bits without .b32");
  const std::string_view type = read.take_type();
  constexpr std::array<Handler, 4> kHandlers = {run_pack<std::uint16_t>, run_pack<std::int16_t>,
                                                run_pack<std::uint8_t>, run_pack<std::int8_t>};
  read.use(to < 0 || type != "s32" ? nullptr : kHandlers[static_cast<std::size_t>(to)], type);
  read.read_operands(2, 4, type);
  read.out.c = has_third ? read.source(4, "b32") : read.out.a;
  read.set_cost(Pipe::alu, 1);
}

}  // namespace

NumberKind number_kind(std::string_view type) {
  constexpr std::array<std::string_view, 13> kNames = {
      "u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64", "f16", "bf16", "tf32", "f32", "f64"};
  const auto* const at = std::find(kNames.begin(), kNames.end(), type);
  return static_cast<NumberKind>(at - kNames.begin());
}

int number_bytes(NumberKind kind) {
  switch (kind) {
    case NumberKind::u64:
    case NumberKind::s64:
    case NumberKind::f64: return 8;
    case NumberKind::u32:
    case NumberKind::s32:
    case NumberKind::tf32:
    case NumberKind::f32: return 4;
    default: return 2;
  }
}

Handler integer_conversion(const Conversion& conversion) {
  const bool saturates = (conversion.option & kSaturate) != 0;
  return for_kind(conversion.to, [&]<class D>(std::type_identity<D> /*to*/) -> Handler {
    return for_kind(conversion.from, [&]<class S>(std::type_identity<S> /*from*/) -> Handler {
      return saturates ? run_integer<D, S, true> : run_integer<D, S, false>;
    });
  });
}

void decode_cvt(StatementReader& read) {
  if (read.take("pack")) return read_pack(read);
  unsigned option = take_flags(read);
  const unsigned rounding = take_rounding_option(read, kRoundingMask);
  const std::string_view from = read.take_type();
  const std::string_view to = read.take_type();
  Conversion conversion{number_kind(to), number_kind(from), option};
  const bool to_integer = is_integer(conversion.to) && !is_integer(conversion.from);
  const auto fallback = static_cast<unsigned>(to_integer ? Rounding::zero : Rounding::nearest_even);
  option |= rounding == kRoundingMask ? fallback : rounding;
  if (to_integer) option = (option | kToWhole) & ~kSaturate;  // clamped to the type anyway
  conversion.option = option;
  if (is_pair(to) || is_pair(from)) return read_packed_conversion(read, to, from, option);
  read_plain_conversion(read, conversion, to, from);
}

}  // namespace warpmind::simulator
