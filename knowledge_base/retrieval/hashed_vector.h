#pragma once
/// \file
/// Signed feature hashing: names become places of a vector of fixed length. Private to embedders.

#include "knowledge_base/retrieval/embedder.h"
#include "knowledge_base/retrieval/stable_hash.h"

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace warpmind::knowledge_base {

/// Adds `weight` at the place and with the sign that `hash` says, within [first, first + count).
/// Two names that share a place cancel as often as they add up.
inline void add_hashed(Vector& vector, std::uint64_t hash, float weight, std::size_t first,
                       std::size_t count) {
  const std::size_t place = first + static_cast<std::size_t>((hash >> 1U) % count);
  vector[place] += (hash & 1U) != 0 ? weight : -weight;
}

/// To unit length; a zero vector stays.
inline void normalise(Vector& vector) {
  double squares = 0;
  for (const float x : vector) squares += static_cast<double>(x) * static_cast<double>(x);
  if (squares == 0) return;
  const auto scale = static_cast<float>(1.0 / std::sqrt(squares));
  for (float& x : vector) x *= scale;
}

}  // namespace warpmind::knowledge_base
