#pragma once
/// \file
/// nlohmann conversions for enums, ids and optionals, and what is said of values that do not fit.
/// Include from .cpp files only (1.8 s).

#include "base/clock.h"
#include "base/enum_names.h"
#include "base/ids.h"
#include "base/result.h"

#include <optional>
#include <stdexcept>
#include <string>

#include <nlohmann/json.hpp>

namespace warpmind::codec {

/// A value that cannot be converted, as a person reads it: "'plan.launches.grid' must be a list".
/// The library's own exceptions become one on their way up; their text is for nobody.
class JsonMisfit : public std::runtime_error {
 public:
  JsonMisfit(std::string member, std::string problem);
  [[nodiscard]] const std::string& member() const { return member_; }
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  std::string member_;  ///< "plan.launches"; empty = the value itself
  std::string problem_;
};

/// `error` said of the member `name`, of which it was thrown; "" = of the value itself.
[[nodiscard]] JsonMisfit misfit_of(std::string_view name, const std::exception& error);

/// The member `name` of an object, or `otherwise` where it is absent. Throws JsonMisfit.
template <class T>
void take_member(const nlohmann::json& object, const char* name, T& into, const T& otherwise) {
  if (!object.is_object()) {
    throw JsonMisfit({}, std::string("must be an object, not ") + object.type_name());
  }
  const auto found = object.find(name);
  if (found == object.end()) {
    into = otherwise;
    return;
  }
  try {
    into = found->template get<T>();
  } catch (const std::exception& error) {
    throw misfit_of(name, error);
  }
}

}  // namespace warpmind::codec

// Members that do not fit are named: the library says what is wrong, never where.
#undef NLOHMANN_JSON_FROM_WITH_DEFAULT
#define NLOHMANN_JSON_FROM_WITH_DEFAULT(v1)                              \
  warpmind::codec::take_member(nlohmann_json_j, #v1, nlohmann_json_t.v1, \
                               nlohmann_json_default_obj.v1);

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
    return fail(Errc::corrupt_data,
                "not a valid " + std::string(what) + ": " + misfit_of({}, e).what());
  }
}

}  // namespace warpmind::codec
