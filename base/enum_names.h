#pragma once
/// \file
/// Names of enumerators, one table an enum, used for JSON, logs, command lines and documents.

#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace warpmind {

/// Specialised once per enum: `static constexpr std::array<std::pair<E, std::string_view>, N>
/// table`.
template <class E>
struct EnumNames;

template <class E>
concept NamedEnum = requires {
  EnumNames<E>::table;
};

/// Returns "?" for a value outside the table (never happens for values that we made).
template <NamedEnum E>
[[nodiscard]] constexpr std::string_view name_of(E value) {
  for (const auto& [candidate, name] : EnumNames<E>::table) {
    if (candidate == value) return name;
  }
  return "?";
}

template <NamedEnum E>
[[nodiscard]] constexpr std::optional<E> parse_enum(std::string_view text) {
  for (const auto& [candidate, name] : EnumNames<E>::table) {
    if (name == text) return candidate;
  }
  return std::nullopt;
}

/// "a, b, c": for messages that list what is allowed.
template <NamedEnum E>
[[nodiscard]] std::string all_names_of();

}  // namespace warpmind

#include <string>

template <warpmind::NamedEnum E>
std::string warpmind::all_names_of() {
  std::string joined;
  for (const auto& [value, name] : EnumNames<E>::table) {
    if (!joined.empty()) joined += ", ";
    joined += name;
  }
  return joined;
}

/// Inside namespace warpmind: WARPMIND_ENUM_NAMES(Color, {Color::red, "red"}, {Color::blue,
/// "blue"})
#define WARPMIND_ENUM_NAMES(E, ...)                                                             \
  template <>                                                                                   \
  struct EnumNames<E> {                                                                         \
    static constexpr auto table = std::to_array<std::pair<E, std::string_view>>({__VA_ARGS__}); \
  }
