#pragma once
/// \file
/// A 64-bit hash that is the same on every machine and in every build: stored values depend on it.

#include <cstdint>
#include <string_view>

namespace warpmind::knowledge_base {

/// Spreads the bits of `x` (the finaliser of SplitMix64). A bijection.
[[nodiscard]] constexpr std::uint64_t mix_bits(std::uint64_t x) {
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31U);
}

/// FNV-1a of the bytes, then mixed. `salt` separates uses.
[[nodiscard]] constexpr std::uint64_t stable_hash(std::string_view bytes, std::uint64_t salt = 0) {
  std::uint64_t hash = 0xcbf29ce484222325ULL ^ salt;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return mix_bits(hash);
}

/// As stable_hash, but 0 for the empty text, and for it alone.
[[nodiscard]] constexpr std::uint64_t name_hash(std::string_view name) {
  if (name.empty()) return 0;
  const std::uint64_t hash = stable_hash(name);
  return hash == 0 ? 1 : hash;
}

/// One of 64 bits, by name: the union over several names never lacks a name that is in it.
[[nodiscard]] constexpr std::uint64_t name_bit(std::string_view name) {
  return 1ULL << (stable_hash(name) % 64U);
}

}  // namespace warpmind::knowledge_base
