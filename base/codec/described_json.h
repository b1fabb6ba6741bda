#pragma once
/// \file
/// JSON of values that describe themselves (base/describe.h): an object with a member for each of
/// theirs. Include from .cpp files only (1.8 s).

#include "base/codec/json_types.h"
#include "base/describe.h"

namespace warpmind::codec {

/// Writes the members of a described value.
struct MemberWriter {
  nlohmann::json& object;

  void required(const char* name, const auto& value, const char* /*doc*/ = "") {
    object[name] = value;
  }
  void optional(const char* name, const auto& value, const char* /*doc*/ = "") {
    object[name] = value;
  }
};

/// Reads them; one that is absent stays as it is. Throws JsonMisfit.
struct MemberReader {
  const nlohmann::json& object;

  void required(const char* name, auto& value, const char* /*doc*/ = "") {
    take_member(object, name, value, value);
  }
  void optional(const char* name, auto& value, const char* /*doc*/ = "") {
    take_member(object, name, value, value);
  }
};

}  // namespace warpmind::codec

namespace nlohmann {

template <warpmind::Described T>
struct adl_serializer<T> {
  static void to_json(json& j, const T& value) {
    j = json::object();
    warpmind::codec::MemberWriter writer{j};
    T::describe(value, writer);
  }
  static void from_json(const json& j, T& value) {
    warpmind::codec::MemberReader reader{j};
    T::describe(value, reader);
  }
};

}  // namespace nlohmann
