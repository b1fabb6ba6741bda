#pragma once
/// \file
/// A parsed TOML file as plain values, each with its place in the file. toml++ stays behind it.

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace warpmind::config {

/// 1-based; 0 = unknown.
struct TomlPlace {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  bool operator==(const TomlPlace&) const = default;
};

struct TomlEntry;

/// A value of the file. Dates and times are not values of ours: parse_toml refuses them.
struct TomlValue {
  using Array = std::vector<TomlValue>;
  using Table = std::vector<TomlEntry>;  ///< in the order of the file

  TomlPlace place;
  std::variant<bool, std::int64_t, double, std::string, Array, Table> value;

  template <class T>
  [[nodiscard]] const T* get() const {
    return std::get_if<T>(&value);
  }
  /// The entry of a table; null when `this` is no table or lacks the key.
  [[nodiscard]] const TomlValue* find(std::string_view key) const;
  /// "a string", "a table", …: for messages.
  [[nodiscard]] std::string_view kind() const;
};

struct TomlEntry {
  std::string key;
  TomlPlace place;  ///< of the key
  TomlValue value;
};

/// Parses `text`; the result is a table. `file` only appears in messages.
/// Errors: invalid_argument as `file:line:column: …`.
[[nodiscard]] Result<TomlValue> parse_toml(std::string_view text, std::string_view file);

/// `file:line:column: message`, without what is unknown of the place.
[[nodiscard]] std::string at_place(std::string_view file, TomlPlace place,
                                   std::string_view message);

}  // namespace warpmind::config
