#pragma once
/// \file
/// SHA-256: content addresses of kernels, cache keys, chain of the watermark.

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace warpmind {

using Digest = std::array<std::uint8_t, 32>;

[[nodiscard]] Digest sha256(std::string_view bytes);
[[nodiscard]] std::string to_hex(const Digest& digest);
/// The first 64 bits, to seed a generator with.
[[nodiscard]] std::uint64_t seed_of(const Digest& digest);

/// First `digits` hex digits of SHA-256; 16 (64 bits) name content in ids.
[[nodiscard]] std::string short_hash(std::string_view bytes, std::size_t digits = 16);

/// Joins parts unambiguously (each preceded by its length) for hashing.
[[nodiscard]] std::string hash_input(std::initializer_list<std::string_view> parts);

}  // namespace warpmind
