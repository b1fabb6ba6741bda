#include "knowledge_base/retrieval/dot_product.h"

#include <array>

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace warpmind::knowledge_base {
namespace {

/// Sums side by side, so that an addition does not wait for the one before.
constexpr std::size_t kChains = 4;

template <class T>
using Kernel = float (*)(const float*, const T*, std::size_t);

template <class T>
float any_processor(const float* a, const T* b, std::size_t count) {
  std::array<float, kChains> sums{};
  std::size_t i = 0;
  for (; i + kChains <= count; i += kChains) {
    for (std::size_t chain = 0; chain < kChains; ++chain) {
      sums[chain] += a[i + chain] * static_cast<float>(b[i + chain]);
    }
  }
  float total = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  for (; i < count; ++i) total += a[i] * static_cast<float>(b[i]);
  return total;
}

#ifdef __x86_64__
constexpr std::size_t kLanes = 8;

[[gnu::target("avx2,fma"), gnu::always_inline]] inline __m256 load_eight(const float* from) {
  return _mm256_loadu_ps(from);
}
[[gnu::target("avx2,fma"), gnu::always_inline]] inline __m256 load_eight(const std::uint8_t* from) {
  // The intrinsic takes its pointer by this type, whatever it points to.
  return _mm256_cvtepi32_ps(
      _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from))));
}

[[gnu::target("avx2,fma"), gnu::always_inline]] inline float sum_of_eight(__m256 eight) {
  __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  four = _mm_add_ps(four, _mm_movehl_ps(four, four));
  four = _mm_add_ss(four, _mm_shuffle_ps(four, four, 1));
  return _mm_cvtss_f32(four);
}

template <class T>
[[gnu::target("avx2,fma")]] float with_avx2(const float* a, const T* b, std::size_t count) {
  __m256 first = _mm256_setzero_ps();
  __m256 second = first;
  __m256 third = first;
  __m256 fourth = first;
  std::size_t i = 0;
  for (; i + kChains * kLanes <= count; i += kChains * kLanes) {
    first = _mm256_fmadd_ps(load_eight(a + i), load_eight(b + i), first);
    second = _mm256_fmadd_ps(load_eight(a + i + kLanes), load_eight(b + i + kLanes), second);
    third = _mm256_fmadd_ps(load_eight(a + i + 2 * kLanes), load_eight(b + i + 2 * kLanes), third);
    fourth =
        _mm256_fmadd_ps(load_eight(a + i + 3 * kLanes), load_eight(b + i + 3 * kLanes), fourth);
  }
  float total =
      sum_of_eight(_mm256_add_ps(_mm256_add_ps(first, second), _mm256_add_ps(third, fourth)));
  for (; i < count; ++i) total += a[i] * static_cast<float>(b[i]);
  return total;
}

[[gnu::target("avx2,fma")]] ProductBlock block_with_avx2(const float* rows, const float* columns,
                                                         std::size_t count) {
  __m256 sums[kBlockRows][kBlockColumns];
  for (auto& row : sums) {
    for (auto& sum : row) sum = _mm256_setzero_ps();
  }
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const __m256 left = load_eight(columns + i);
    const __m256 right = load_eight(columns + count + i);
#pragma GCC unroll 4
    for (std::size_t row = 0; row < kBlockRows; ++row) {
      const __m256 values = load_eight(rows + row * count + i);
      sums[row][0] = _mm256_fmadd_ps(values, left, sums[row][0]);
      sums[row][1] = _mm256_fmadd_ps(values, right, sums[row][1]);
    }
  }
  ProductBlock products{};
  for (std::size_t row = 0; row < kBlockRows; ++row) {
    for (std::size_t column = 0; column < kBlockColumns; ++column) {
      float total = sum_of_eight(sums[row][column]);
      for (std::size_t rest = i; rest < count; ++rest) {
        total += rows[row * count + rest] * columns[column * count + rest];
      }
      products[row * kBlockColumns + column] = total;
    }
  }
  return products;
}
#endif

ProductBlock block_with_any(const float* rows, const float* columns, std::size_t count) {
  ProductBlock products{};
  for (std::size_t at = 0; at < products.size(); ++at) {
    products[at] =
        dot_product(rows + at / kBlockColumns * count, columns + at % kBlockColumns * count, count);
  }
  return products;
}

using BlockKernel = ProductBlock (*)(const float*, const float*, std::size_t);

BlockKernel chosen_block() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return block_with_avx2;
#endif
  return block_with_any;
}

template <class T>
Kernel<T> chosen() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return with_avx2<T>;
#endif
  return any_processor<T>;
}

}  // namespace

float dot_product(const float* a, const float* b, std::size_t count) {
  static const auto kernel = chosen<float>();
  return kernel(a, b, count);
}

ProductBlock dot_products(const float* rows, const float* columns, std::size_t count) {
  static const auto kernel = chosen_block();
  return kernel(rows, columns, count);
}

float dot_product(const float* weights, const std::uint8_t* codes, std::size_t count) {
  static const auto kernel = chosen<std::uint8_t>();
  return kernel(weights, codes, count);
}

}  // namespace warpmind::knowledge_base
