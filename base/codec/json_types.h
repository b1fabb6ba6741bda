#pragma once
/// \file
/// nlohmann conversions for enums, ids and optionals. Include from .cpp files only (1.8 s).

#include "base/clock.h"
#include "base/enum_names.h"
#include "base/ids.h"
#include "base/result.h"

#include <optional>
#include <stdexcept>
#include <string>

#include <nlohmann/json.hpp>

namespace nlohmann {

template <class T>
struct adl_serializer<std::optional<T>> {
  static void to_json(json& j, const std::optional<T>& value) {
    if (value) {
      j = *value;
    } else {
      j = nullptr;
    }
  }
  static void from_json(const json& j, std::optional<T>& value) {
    if (j.is_null()) {
      value.reset();
    } else {
      value = j.get<T>();
    }
  }
};

template <warpmind::NamedEnum E>
struct adl_serializer<E> {
  static void to_json(json& j, E value) { j = std::string(warpmind::name_of(value)); }
  static void from_json(const json& j, E& value) {
    const auto& text = j.get_ref<const std::string&>();
    const auto parsed = warpmind::parse_enum<E>(text);
    if (!parsed) {
      throw std::invalid_argument("'" + text + "' is none of " + warpmind::all_names_of<E>());
    }
    value = *parsed;
  }
};

template <class Tag>
struct adl_serializer<warpmind::Id<Tag>> {
  static void to_json(json& j, const warpmind::Id<Tag>& id) { j = id.str(); }
  static void from_json(const json& j, warpmind::Id<Tag>& id) {
    id = warpmind::Id<Tag>(j.get<std::string>());
  }
};

template <>
struct adl_serializer<warpmind::UnixMillis> {
  static void to_json(json& j, const warpmind::UnixMillis& at) { j = at.value; }
  static void from_json(const json& j, warpmind::UnixMillis& at) {
    at.value = j.get<std::int64_t>();
  }
};

}  // namespace nlohmann

namespace warpmind::codec {

/// Converts a parsed value to `T`; the library's exceptions end here.
/// Errors: corrupt_data naming `what` and the member that does not fit.
template <class T>
[[nodiscard]] Result<T> from_json(const nlohmann::json& value, std::string_view what) {
  try {
    return value.get<T>();
  } catch (const std::exception& e) {
    return fail(Errc::corrupt_data, "not a valid " + std::string(what) + ": " + e.what());
  }
}

}  // namespace warpmind::codec
