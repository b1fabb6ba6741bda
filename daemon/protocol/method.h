#pragma once
/// \file
/// A method of the wire, said once: its name, what it takes, what it answers, what it is for.
/// Handlers, clients, the check of requests and docs/protocol.md use the same row.

#include "base/clock.h"
#include "base/describe.h"
#include "base/ids.h"

#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace warpmind {
struct Job;
}  // namespace warpmind

namespace warpmind::daemon::protocol {

enum class FieldType {
  string,
  integer,
  number,
  boolean,
  strings,
  counts,   ///< object of integers
  numbers,  ///< object of numbers
  texts,    ///< object of strings
  object,   ///< a value of base/model, or what the meaning says
  objects,
  job,
  id,
};

struct FieldSpec {
  std::string_view name;
  FieldType type = FieldType::string;
  bool required = false;  ///< in params: must be given; in results: always there
  std::string doc;
};

enum class MethodKind {
  request,              ///< client asks, daemon answers
  client_notification,  ///< client tells, no answer
  server_notification,  ///< daemon tells
};

struct MethodSpec {
  std::string_view name;
  MethodKind kind = MethodKind::request;
  std::string_view doc;
  std::vector<FieldSpec> params;
  std::vector<FieldSpec> result;
};

/// `doc` is a sentence for docs/protocol.md.
template <Described Params, Described Result>
struct Method {
  std::string_view name;
  std::string_view doc;
  MethodKind kind = MethodKind::request;
};

/// How a member of type `T` travels.
template <class T>
struct FieldTypeOf {
  static constexpr FieldType kValue = FieldType::object;
};
template <class T>
requires std::is_enum_v<T>  // by name
struct FieldTypeOf<T> {
  static constexpr FieldType kValue = FieldType::string;
};
template <>
struct FieldTypeOf<std::string> {
  static constexpr FieldType kValue = FieldType::string;
};
template <class Tag>
struct FieldTypeOf<Id<Tag>> {
  static constexpr FieldType kValue = FieldType::string;
};
template <std::integral T>
struct FieldTypeOf<T> {
  static constexpr FieldType kValue = FieldType::integer;
};
template <>
struct FieldTypeOf<UnixMillis> {
  static constexpr FieldType kValue = FieldType::integer;
};
template <>
struct FieldTypeOf<bool> {
  static constexpr FieldType kValue = FieldType::boolean;
};
template <std::floating_point T>
struct FieldTypeOf<T> {
  static constexpr FieldType kValue = FieldType::number;
};
template <class T>
struct FieldTypeOf<std::optional<T>> : FieldTypeOf<T> {};
template <class T>
struct FieldTypeOf<std::vector<T>> {
  static constexpr FieldType kValue =
      FieldTypeOf<T>::kValue == FieldType::string ? FieldType::strings : FieldType::objects;
};
template <class T>
struct FieldTypeOf<std::map<std::string, T>> {
  static constexpr FieldType kValue = std::is_integral_v<T>         ? FieldType::counts
                                      : std::is_floating_point_v<T> ? FieldType::numbers
                                                                    : FieldType::texts;
};
template <>
struct FieldTypeOf<Job> {
  static constexpr FieldType kValue = FieldType::job;
};

/// Collects the members of a described type, in the order of its description.
struct FieldCollector {
  std::vector<FieldSpec> fields;

  template <class Member>
  void required(const char* name, const Member& /*value*/, const char* doc = "") {
    fields.push_back({name, FieldTypeOf<Member>::kValue, true, doc});
  }
  template <class Member>
  void optional(const char* name, const Member& /*value*/, const char* doc = "") {
    fields.push_back({name, FieldTypeOf<Member>::kValue, false, doc});
  }
  template <class Member>
  void required(const char* name, const Member& /*value*/, const Option& option) {
    fields.push_back({name, FieldTypeOf<Member>::kValue, true, document_sentence(option)});
  }
  template <class Member>
  void optional(const char* name, const Member& /*value*/, const Option& option) {
    fields.push_back({name, FieldTypeOf<Member>::kValue, false, document_sentence(option)});
  }
};

template <Described T>
[[nodiscard]] std::vector<FieldSpec> field_specs() {
  const T value{};
  FieldCollector collector;
  T::describe(value, collector);
  return std::move(collector.fields);
}

template <Described Params, Described Result>
[[nodiscard]] MethodSpec method_spec(const Method<Params, Result>& method) {
  return {method.name, method.kind, method.doc, field_specs<Params>(), field_specs<Result>()};
}

}  // namespace warpmind::daemon::protocol
