#pragma once
/// \file
/// Bit arrays with one bit for a byte of memory.

#include <cstdint>
#include <cstring>
#include <optional>

namespace warpmind::simulator {

inline void set_bits(std::uint8_t* bits, std::uint64_t first, std::uint64_t count) {
  while (count > 0 && (first & 7U) != 0) {
    bits[first >> 3U] = static_cast<std::uint8_t>(bits[first >> 3U] | 1U << (first & 7U));
    ++first;
    --count;
  }
  std::memset(bits + (first >> 3U), 0xff, count >> 3U);
  first += count & ~std::uint64_t{7};
  if ((count & 7U) != 0) {
    const unsigned tail = (1U << (count & 7U)) - 1;
    bits[first >> 3U] = static_cast<std::uint8_t>(bits[first >> 3U] | tail);
  }
}

inline void clear_bits(std::uint8_t* bits, std::uint64_t first, std::uint64_t count) {
  const std::uint64_t end = first + count;
  for (; first < end && (first & 7U) != 0; ++first) {
    bits[first >> 3U] = static_cast<std::uint8_t>(bits[first >> 3U] & ~(1U << (first & 7U)));
  }
  std::memset(bits + (first >> 3U), 0, (end - first) >> 3U);
  for (first += (end - first) & ~std::uint64_t{7}; first < end; ++first) {
    bits[first >> 3U] = static_cast<std::uint8_t>(bits[first >> 3U] & ~(1U << (first & 7U)));
  }
}

/// The first bit of the range that is not set.
[[nodiscard]] inline std::optional<std::uint64_t> find_clear_bit(const std::uint8_t* bits,
                                                                 std::uint64_t first,
                                                                 std::uint64_t count) {
  const std::uint64_t end = first + count;
  while (first < end) {
    if ((first & 7U) == 0 && end - first >= 64) {
      std::uint64_t word = 0;
      std::memcpy(&word, bits + (first >> 3U), sizeof word);
      if (~word == 0) {
        first += 64;
        continue;
      }
    }
    if ((bits[first >> 3U] >> (first & 7U) & 1U) == 0) return first;
    ++first;
  }
  return std::nullopt;
}

/// Whether all bits are set; reads up to 8 bytes behind the range.
[[nodiscard]] inline bool all_bits_set_in(const std::uint8_t* bits, std::uint64_t first,
                                          std::uint64_t count) {
  constexpr std::uint64_t kStep = 56;  // a word from any bit of its first byte
  for (const std::uint64_t end = first + count; first < end; first += kStep) {
    const std::uint64_t part = end - first < kStep ? end - first : kStep;
    std::uint64_t word = 0;
    std::memcpy(&word, bits + (first >> 3U), sizeof word);
    const std::uint64_t wanted = (std::uint64_t{1} << part) - 1;
    if ((word >> (first & 7U) & wanted) != wanted) return false;
  }
  return true;
}

/// Whether all bits of a short range (at most 32) are set.
[[nodiscard]] inline bool all_bits_set(const std::uint8_t* bits, std::uint64_t first,
                                       std::uint32_t count) {
  std::uint64_t word = 0;
  std::memcpy(&word, bits + (first >> 3U), sizeof word);
  const std::uint64_t wanted = (std::uint64_t{1} << count) - 1;
  return (word >> (first & 7U) & wanted) == wanted;
}

}  // namespace warpmind::simulator
