#pragma once
/// \file
/// Turns texts and named features into vectors of unit length. Deterministic: no state, no chance,
/// no model.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::knowledge_base {

/// The vector spaces; the number is part of keys on disk.
enum class Space : std::uint8_t { text = 1, code = 2, profile = 3 };
inline constexpr std::array<Space, 3> kSpaces{Space::text, Space::code, Space::profile};

using Vector = std::vector<float>;

// Versions change with the vectors that these functions make: stored ones of another version are
// made again from the insight.
inline constexpr std::uint8_t kTextVersion = 1;
inline constexpr std::size_t kTextDimension = 256;
/// Signed hashing of words, pairs of words and character 3- to 5-grams, weighted 1 + ln(count).
/// All zero for a text without words.
[[nodiscard]] Vector embed_text(std::string_view text);
/// The same for a caller that has `tokens` = analyse(text) at hand.
[[nodiscard]] Vector embed_text(std::string_view text, const std::vector<std::string>& tokens);

inline constexpr std::uint8_t kCodeVersion = 1;
inline constexpr std::size_t kCodeDimension = 128;
/// Signed hashing of named features (features.h). All zero when there is none.
[[nodiscard]] Vector embed_code(const std::map<std::string, double>& features);

inline constexpr std::uint8_t kProfileVersion = 1;
inline constexpr std::size_t kProfileDimension = 64;
/// Known features at fixed places, less their usual value and over their usual spread; a missing
/// one counts as usual. Unknown ones are hashed into the last places.
[[nodiscard]] Vector embed_profile(const std::map<std::string, double>& features);

}  // namespace warpmind::knowledge_base
