#pragma once
/// \file
/// sums += left * right, for small row-major matrices.
///
/// Sums are built in the order of k with one rounding for each multiply-add, in f32 for every type
/// up to tf32. The machine adds several products at once, with a few bits more and truncation, in
/// an order that is not documented: results agree but for the last bits, and exactly where all
/// partial sums are exact.

#include "profilers/simulator/ops/tensor_fragment.h"

#include <cstdint>
#include <immintrin.h>

namespace warpmind::simulator::tensor {

/// Vectors of sums by the type of number.
template <class Number>
struct Vector;

template <>
struct Vector<float> {
  using Type = __m256;
  static constexpr std::size_t kWidth = 8;
  static Type load(const float* from) { return _mm256_loadu_ps(from); }
  static void store(float* to, Type value) { _mm256_storeu_ps(to, value); }
  static Type fill(float value) { return _mm256_set1_ps(value); }
  static Type fused(Type a, Type b, Type c) { return _mm256_fmadd_ps(a, b, c); }
};

template <>
struct Vector<double> {
  using Type = __m256d;
  static constexpr std::size_t kWidth = 4;
  static Type load(const double* from) { return _mm256_loadu_pd(from); }
  static void store(double* to, Type value) { _mm256_storeu_pd(to, value); }
  static Type fill(double value) { return _mm256_set1_pd(value); }
  static Type fused(Type a, Type b, Type c) { return _mm256_fmadd_pd(a, b, c); }
};

/// Wraps around.
template <>
struct Vector<std::int32_t> {
  using Type = __m256i;
  static constexpr std::size_t kWidth = 8;
  static Type load(const std::int32_t* from) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  }
  static void store(std::int32_t* to, Type value) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), value);
  }
  static Type fill(std::int32_t value) { return _mm256_set1_epi32(value); }
  static Type fused(Type a, Type b, Type c) {
    return _mm256_add_epi32(_mm256_mullo_epi32(a, b), c);
  }
};

/// left is rows x depth, right depth x columns. Rows and columns are multiples of 8.
template <class Number>
inline void multiply_add(const Number* left, const Number* right, Number* sums,
                         const ProductShape& shape) {
  using V = Vector<Number>;
  constexpr std::size_t kRows = 8;  // as many sums on the way as hide the latency of one
  for (std::size_t row = 0; row < shape.rows; row += kRows) {
    for (std::size_t column = 0; column < shape.columns; column += V::kWidth) {
      Number* const to = sums + row * shape.columns + column;
      const Number* const from = left + row * shape.depth;
      typename V::Type sum[kRows];
      for (std::size_t i = 0; i < kRows; ++i) sum[i] = V::load(to + i * shape.columns);
      for (std::size_t k = 0; k < shape.depth; ++k) {
        const auto across = V::load(right + k * shape.columns + column);
#pragma GCC unroll 8
        for (std::size_t i = 0; i < kRows; ++i) {
          sum[i] = V::fused(V::fill(from[i * shape.depth + k]), across, sum[i]);
        }
      }
      for (std::size_t i = 0; i < kRows; ++i) V::store(to + i * shape.columns, sum[i]);
    }
  }
}

}  // namespace warpmind::simulator::tensor
