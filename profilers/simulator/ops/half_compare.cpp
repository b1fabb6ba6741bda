/// \file
/// setp and set of f16, bf16 and their pairs. Rare, so the comparison is chosen while it runs.

#include "profilers/simulator/ops/compare.h"
#include "profilers/simulator/ops/half.h"

#include <array>
#include <utility>

namespace warpmind::simulator {
namespace {

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

}  // namespace

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

}  // namespace warpmind::simulator
