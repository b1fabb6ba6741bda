#pragma once
/// \file
/// Work on all lanes of registers at once: a fast path for full warps that the compiler turns into
/// AVX2 code, and a blend that leaves inactive lanes alone.

#include "profilers/simulator/exec/warp.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <immintrin.h>
#include <type_traits>
#include <utility>

namespace warpmind::simulator {

[[nodiscard]] inline bool is_active(Mask active, int lane) {
  return ((active >> static_cast<unsigned>(lane)) & 1U) != 0;
}

/// All ones in each 16-bit element i whose bit i of `bits` is set.
[[nodiscard]] inline __m256i expand_16(Mask bits) {
  const __m256i which = _mm256_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096,
                                          8192, 16384, -32768);
  const __m256i all = _mm256_set1_epi16(static_cast<std::int16_t>(bits & 0xffffU));
  return _mm256_cmpeq_epi16(_mm256_and_si256(all, which), which);
}
[[nodiscard]] inline __m256i expand_32(Mask bits) {
  const __m256i which = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  const __m256i all = _mm256_set1_epi32(static_cast<int>(bits));
  return _mm256_cmpeq_epi32(_mm256_and_si256(all, which), which);
}
[[nodiscard]] inline __m256i expand_64(Mask bits) {
  const __m256i which = _mm256_setr_epi64x(1, 2, 4, 8);
  const __m256i all = _mm256_set1_epi64x(static_cast<long long>(bits));
  return _mm256_cmpeq_epi64(_mm256_and_si256(all, which), which);
}

/// Writes the active lanes of 2, 4 or 8 bytes each.
template <class T>
inline void blend_lanes(T* to, const T* values, Mask active) {
  static_assert(sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8);
  constexpr unsigned kStep = 32 / sizeof(T);
  for (unsigned first = 0; first < kLanes; first += kStep) {
    const Mask bits = active >> first;
    __m256i which{};
    if constexpr (sizeof(T) == 2) which = expand_16(bits);
    if constexpr (sizeof(T) == 4) which = expand_32(bits);
    if constexpr (sizeof(T) == 8) which = expand_64(bits);
    auto* const at = reinterpret_cast<__m256i*>(to + first);
    const __m256i value = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(values + first));
    _mm256_storeu_si256(at, _mm256_blendv_epi8(_mm256_loadu_si256(at), value, which));
  }
}

template <class T>
inline void store_lanes(T* to, const T* values, Mask active) {
  if (active == kAllLanes) {
    std::memcpy(to, values, sizeof(T) * kLanes);
  } else {
    blend_lanes(to, values, active);
  }
}

inline void store_predicate(Warp& warp, Slot slot, Mask value, Mask active) {
  Mask& to = predicate(warp, slot);
  to = (to & ~active) | (value & active);
}

/// result[i] = F::lane_result(sources[i]...). `result` is one of the sources or apart from all.
template <class F, class D, class... S>
inline void compute_lanes(D* result, const S*... sources) {
#pragma GCC ivdep
  for (int lane = 0; lane < kLanes; ++lane) result[lane] = F::lane_result(sources[lane]...);
}

/// The source slots of an instruction, in the order of PTX operands.
[[nodiscard]] inline std::array<Slot, 4> source_slots(const Instruction& in) {
  return {in.a, in.b, in.c, in.e};
}

template <class F, class D, class... S, std::size_t... I>
inline void apply_lanes_at(Warp& warp, const Instruction& in, Mask active,
                           std::index_sequence<I...> /*which*/) {
  const std::array<Slot, 4> slots = source_slots(in);
  // Registers of one size are the same or apart; of different sizes, one could lie in the other.
  constexpr bool kInPlace = ((sizeof(S) == sizeof(D)) && ...);
  if (kInPlace && active == kAllLanes) {
    compute_lanes<F>(lanes<D>(warp, in.d), lanes<const S>(warp, slots[I])...);
    return;
  }
  alignas(64) D values[kLanes];
  compute_lanes<F>(values, lanes<const S>(warp, slots[I])...);
  store_lanes(lanes<D>(warp, in.d), values, active);
}

/// Handler: d = F::lane_result(a, b, …) with sources of types S.
template <class F, class D, class... S>
void apply_lanes(Warp& warp, const Instruction& in, Mask active) {
  apply_lanes_at<F, D, S...>(warp, in, active, std::index_sequence_for<S...>());
}

/// One bit a lane from all ones or zero a lane.
[[nodiscard]] inline Mask mask_of(const std::int16_t* flags) {
  const auto* const from = reinterpret_cast<const __m256i*>(flags);
  const __m256i packed = _mm256_packs_epi16(_mm256_load_si256(from), _mm256_load_si256(from + 1));
  return static_cast<Mask>(_mm256_movemask_epi8(_mm256_permute4x64_epi64(packed, 0xd8)));
}
[[nodiscard]] inline Mask mask_of(const std::int32_t* flags) {
  Mask mask = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const __m256 part = _mm256_load_ps(reinterpret_cast<const float*>(flags) + 8 * i);
    mask |= static_cast<Mask>(_mm256_movemask_ps(part)) << (8 * i);
  }
  return mask;
}
[[nodiscard]] inline Mask mask_of(const std::int64_t* flags) {
  Mask mask = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    const __m256d part = _mm256_load_pd(reinterpret_cast<const double*>(flags) + 4 * i);
    mask |= static_cast<Mask>(_mm256_movemask_pd(part)) << (4 * i);
  }
  return mask;
}

/// The lanes where F::lane_result(sources[i]...) holds.
template <class F, class T, class... S>
[[nodiscard]] inline Mask lanes_where(const T* first, const S*... rest) {
  using Flag = std::conditional_t<sizeof(T) == 8, std::int64_t,
                                  std::conditional_t<sizeof(T) == 4, std::int32_t, std::int16_t>>;
  alignas(32) Flag flags[kLanes];
#pragma GCC ivdep
  for (int lane = 0; lane < kLanes; ++lane) {
    flags[lane] = F::lane_result(first[lane], rest[lane]...) ? Flag{-1} : Flag{0};
  }
  return mask_of(flags);
}

}  // namespace warpmind::simulator
