#include "tests/bench/validation/buffer_data.h"

#include "base/half.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

namespace warpmind::validation {
namespace {

constexpr std::uint64_t kWeightPeriod = 61;

/// The mixing step of SplitMix64 (Steele, Lea, Flood 2014) on a counter.
std::uint64_t random_at(std::size_t position, std::uint64_t index) {
  std::uint64_t mixed = ((position + 1) << 40U) + (index + 1) * 0x9E3779B97F4A7C15U;
  mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9U;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EBU;
  return mixed ^ (mixed >> 31U);
}

template <class T>
std::vector<T> elements_of(const Buffer& buffer, std::size_t position) {
  std::vector<T> values(static_cast<std::size_t>(buffer.elements));
  if (buffer.fill == Fill::zero) return values;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if constexpr (std::is_same_v<T, float>) {
      const auto steps = static_cast<std::int32_t>(random_at(position, i) >> 40U);
      values[i] = static_cast<float>(steps - (1 << 23)) * 0x1p-23F;
    } else {
      // Multiply-shift: no bias worth speaking of below 2^32, and no division.
      const std::uint64_t high = random_at(position, i) >> 32U;
      values[i] = static_cast<T>(high * static_cast<std::uint64_t>(buffer.limit) >> 32U);
    }
  }
  return values;
}

std::vector<std::uint16_t> halves_of(const Buffer& buffer, std::size_t position) {
  std::vector<std::uint16_t> values(static_cast<std::size_t>(buffer.elements));
  if (buffer.fill == Fill::zero) return values;
  std::vector<std::uint16_t> steps(2048);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    steps[i] = f16_from_double((static_cast<double>(i) - 1024) * 0x1p-10);
  }
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = steps[random_at(position, i) >> 53U];
  return values;
}

/// A full-period linear congruential step (Hull and Dobell 1962): one cycle through all indices.
std::vector<std::uint32_t> cycle_of(const Buffer& buffer) {
  const auto count = static_cast<std::uint64_t>(buffer.elements);
  std::vector<std::uint32_t> next(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    next[i] = static_cast<std::uint32_t>((i * 1664525U + 1013904223U) & (count - 1));
  }
  return next;
}

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());  // every host is little-endian
  return bytes;
}

template <class T, class Convert>
Checksum sum_of(std::string_view bytes, const Convert& convert) {
  Checksum out;
  for (std::size_t i = 0; i < bytes.size() / sizeof(T); ++i) {
    T raw{};
    std::memcpy(&raw, bytes.data() + i * sizeof(T), sizeof(T));
    const double value = convert(raw);
    out.sum += value;
    out.weighted += value * static_cast<double>(1 + i % kWeightPeriod);
    out.magnitude += std::abs(value);
  }
  return out;
}

}  // namespace

std::string initial_bytes(const Buffer& buffer, std::size_t position) {
  if (buffer.fill == Fill::cycle) return bytes_of(cycle_of(buffer));
  switch (buffer.dtype) {
    case Dtype::f16: return bytes_of(halves_of(buffer, position));
    case Dtype::u32: return bytes_of(elements_of<std::uint32_t>(buffer, position));
    default: return bytes_of(elements_of<float>(buffer, position));
  }
}

Checksum checksum_of(std::string_view bytes, Dtype dtype) {
  if (dtype == Dtype::f16) {
    std::vector<double> values(65536);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = f16_to_double(static_cast<std::uint16_t>(i));
    }
    return sum_of<std::uint16_t>(bytes, [&](std::uint16_t raw) { return values[raw]; });
  }
  if (dtype == Dtype::u32) {
    return sum_of<std::uint32_t>(bytes, [](std::uint32_t raw) { return double{1} * raw; });
  }
  return sum_of<float>(bytes, [](float raw) { return double{raw}; });
}

}  // namespace warpmind::validation
