/// \file
/// Conversions of pairs: f16x2, bf16x2, and the 8-bit e4m3x2 and e5m2x2.

#include "profilers/simulator/ops/convert.h"
#include "profilers/simulator/ops/half.h"

#include <array>

namespace warpmind::simulator {
namespace {

struct PackedFormat {
  std::string_view name;
  FloatFormat format;
  unsigned bits;  ///< of one number
};
constexpr std::array<PackedFormat, 4> kPacked = {{{"f16x2", kFormatF16, 16},
                                                  {"bf16x2", kFormatBf16, 16},
                                                  {"e4m3x2", kFormatE4m3, 8},
                                                  {"e5m2x2", kFormatE5m2, 8}}};

int find_packed(std::string_view type) {
  for (std::size_t i = 0; i < kPacked.size(); ++i) {
    if (kPacked[i].name == type) return static_cast<int>(i);
  }
  return -1;
}

// Instruction::immediate
constexpr unsigned kFromShift = 8;  ///< 0 = two f32, else 1 + index of the source's format

double adjusted(double value, unsigned option) {
  if ((option & kRelu) != 0 && value <= 0) value = 0;
  return value;
}

/// The two numbers of one lane: the first goes to the upper half.
std::array<double, 2> read_pair(Warp& warp, const Instruction& in, int lane) {
  const auto from = static_cast<unsigned>(in.immediate) >> kFromShift;
  if (from == 0) {
    return {static_cast<double>(lanes<const float>(warp, in.a)[lane]),
            static_cast<double>(lanes<const float>(warp, in.b)[lane])};
  }
  const PackedFormat& packed = kPacked[from - 1];
  const std::uint32_t both = packed.bits == 8 ? lanes<const std::uint16_t>(warp, in.a)[lane]
                                              : lanes<const std::uint32_t>(warp, in.a)[lane];
  const std::uint32_t low = both & ((1U << packed.bits) - 1U);
  return {decode_float(both >> packed.bits, packed.format), decode_float(low, packed.format)};
}

template <class T>
void run_packed(Warp& warp, const Instruction& in, Mask active) {
  const PackedFormat& to = kPacked[static_cast<std::size_t>(in.immediate & 0xff)];
  alignas(64) T values[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) {
    const auto [high, low] = read_pair(warp, in, lane);
    const auto code = [&](double value) {
      return encode_float(adjusted(value, in.option), to.format, rounding_of(in),
                          (in.option & kFinite) != 0);
    };
    values[lane] = static_cast<T>((code(high) << to.bits) | code(low));
  }
  store_lanes(lanes<T>(warp, in.d), values, active);
}

/// Two floats to the nearest halves: the usual case.
template <class Format>
void run_nearest_pair(Warp& warp, const Instruction& in, Mask active) {
  alignas(64) float canonical_high[kLanes];
  alignas(64) float canonical_low[kLanes];
  alignas(64) std::uint16_t high[kLanes];
  alignas(64) std::uint16_t low[kLanes];
  alignas(64) std::uint32_t values[kLanes];
  const auto* const a = lanes<const float>(warp, in.a);
  const auto* const b = lanes<const float>(warp, in.b);
  for (int i = 0; i < kLanes; ++i) canonical_high[i] = canonical(a[i]);
  for (int i = 0; i < kLanes; ++i) canonical_low[i] = canonical(b[i]);
  Format::narrow(canonical_high, high, kLanes);
  Format::narrow(canonical_low, low, kLanes);
  for (int i = 0; i < kLanes; ++i) {
    values[i] = (static_cast<std::uint32_t>(high[i]) << 16U) | low[i];
  }
  store_lanes(lanes<std::uint32_t>(warp, in.d), values, active);
}

Handler packed_handler(int to, int from, unsigned option) {
  const bool is_nearest = (option & (kRoundingMask | kRelu | kFinite)) == 0;
  if (from < 0 && is_nearest && to == 0) return run_nearest_pair<Float16>;
  if (from < 0 && is_nearest && to == 1) return run_nearest_pair<Bfloat16>;
  return kPacked[static_cast<std::size_t>(to)].bits == 8 ? run_packed<std::uint16_t>
                                                         : run_packed<std::uint32_t>;
}

}  // namespace

void read_packed_conversion(StatementReader& read, std::string_view to, std::string_view from,
                            unsigned option) {
  const int to_index = find_packed(to);
  const int from_index = find_packed(from);
  if (to_index < 0) return read.fail("the type ." + std::string(to));
  if (from_index < 0 && from != "f32") return read.fail("the type ." + std::string(from));
  if ((option & (kSaturate | kFlush | kToWhole)) != 0) {
    return read.fail("the modifiers of a conversion to ." + std::string(to));
  }
  // The 8-bit formats have no other way.
  const bool is_narrow = kPacked[static_cast<std::size_t>(to_index)].bits == 8;
  if (is_narrow) option |= kFinite;
  read.use(packed_handler(to_index, from_index, option), to);
  read.out.d = read.destination(is_narrow ? 2 : 4);
  if (from_index < 0) {
    read.out.a = read.source(4, "f32");
    read.out.b = read.source(4, "f32");
  } else {
    const bool is_narrow_source = kPacked[static_cast<std::size_t>(from_index)].bits == 8;
    read.out.a = read.source(is_narrow_source ? 2 : 4, is_narrow_source ? "b16" : "b32");
  }
  read.out.option = static_cast<std::uint16_t>(option);
  read.out.immediate = to_index | ((from_index + 1) << kFromShift);
  read.set_cost(Pipe::half, 1);
}

}  // namespace warpmind::simulator
