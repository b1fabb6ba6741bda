#pragma once
/// \file
/// Element types as the tests write and read them, and matrices of small numbers, whose products
/// every type holds exactly.

#include "tests/unit/simulator/tensor_bench.h"

#include <bit>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

namespace warpmind::simulator::test {

/// How one type is written to registers and read from them.
struct Type {
  std::string name;
  std::size_t bytes = 0;
  std::function<std::uint64_t(int)> bits;
  std::function<double(std::uint64_t)> value;
};

template <class T>
std::uint64_t integer_bits(int value) {
  return static_cast<std::make_unsigned_t<T>>(value);
}

inline const Type kF16{"f16", 2, [](int v) { return half_bits(static_cast<float>(v)); },
                       [](std::uint64_t b) { return half_value(static_cast<std::uint16_t>(b)); }};
inline const Type kBf16{"bf16", 2, [](int v) { return bfloat_bits(static_cast<float>(v)); }, {}};
/// With junk in the bits that tf32 does not have.
inline const Type kTf32{
    "tf32",
    4,
    [](int v) { return std::bit_cast<std::uint32_t>(static_cast<float>(v)) | 0x1abcU; },
    {}};
inline const Type kS8{"s8", 1, integer_bits<std::int8_t>, {}};
inline const Type kU8{"u8", 1, integer_bits<std::uint8_t>, {}};
inline const Type kF32{
    "f32", 4, [](int v) { return std::bit_cast<std::uint32_t>(static_cast<float>(v)); },
    [](std::uint64_t b) { return std::bit_cast<float>(static_cast<std::uint32_t>(b)); }};
inline const Type kS32{"s32", 4, integer_bits<std::int32_t>,
                       [](std::uint64_t b) { return static_cast<std::int32_t>(b); }};
inline const Type kF64{"f64", 8, [](int v) { return std::bit_cast<std::uint64_t>(double{1} * v); },
                       [](std::uint64_t b) { return std::bit_cast<double>(b); }};
/// -4 … 4 in the two 8-bit formats: 1 is 0x38 and 0x3c.
inline const Type kE4m3{"e4m3",
                        1,
                        [](int v) {
                          constexpr std::uint64_t kValues[] = {0, 0x38, 0x40, 0x44, 0x48};
                          return kValues[std::abs(v)] | (v < 0 ? 0x80U : 0U);
                        },
                        {}};
inline const Type kE5m2{"e5m2",
                        1,
                        [](int v) {
                          constexpr std::uint64_t kValues[] = {0, 0x3c, 0x40, 0x42, 0x44};
                          return kValues[std::abs(v)] | (v < 0 ? 0x80U : 0U);
                        },
                        {}};

using Matrix = std::vector<int>;

/// -4 … 4, or 0 … 8 for unsigned types: numbers that no symmetry hides.
inline Matrix numbers(std::size_t count, unsigned seed, const Type& type) {
  Matrix matrix(count);
  unsigned state = seed;
  for (int& one : matrix) {
    state = state * 1664525U + 1013904223U;
    one = static_cast<int>((state >> 24U) % 9) - (type.name == "u8" ? 0 : 4);
  }
  return matrix;
}

/// c + a * b, row-major, by a triple loop; `k` columns of a.
inline Matrix multiply(const Matrix& a, const Matrix& b, Matrix c, std::size_t k) {
  const std::size_t rows = a.size() / k;
  const std::size_t columns = b.size() / k;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      for (std::size_t l = 0; l < k; ++l) c[i * columns + j] += a[i * k + l] * b[l * columns + j];
    }
  }
  return c;
}

}  // namespace warpmind::simulator::test
