#pragma once
/// \file
/// Types of the values that travel as JSON, as data: what other languages and tools need to know of
/// them. Made of descriptions (base/describe.h).

#include "base/clock.h"
#include "base/describe.h"
#include "base/enum_names.h"
#include "base/ids.h"

#include <array>
#include <concepts>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace warpmind {

struct WireMember;

struct WireType {
  enum class Kind { text, integer, number, boolean, choice, list, map, object };
  Kind kind = Kind::text;
  std::string_view name = {};  ///< of a choice or an object, as in C++
  bool may_be_null = false;
  std::vector<std::string_view> choices = {};      ///< of a choice: the texts that it may be
  std::vector<WireType> element = {};              ///< one, of a list or map
  std::vector<WireMember> (*members)() = nullptr;  ///< of an object; a call, for types that
                                                   ///< contain themselves
};

struct WireMember {
  std::string_view name;
  bool required = false;  ///< in parameters: must be given; in results: always there
  std::string doc;
  WireType type;
};

/// Members of a value whose JSON is not made of a description. Defined for those of base/model by
/// base/codec/model_json.cpp; another type does not link.
template <class T>
[[nodiscard]] std::vector<WireMember> model_members();

template <class T>
[[nodiscard]] WireType wire_type();

namespace wire_type_detail {

template <class T>
struct ElementOf {};
template <class T>
struct ElementOf<std::vector<T>> {
  using Type = T;
  static constexpr auto kKind = WireType::Kind::list;
};
template <class T, std::size_t N>
struct ElementOf<std::array<T, N>> {
  using Type = T;
  static constexpr auto kKind = WireType::Kind::list;
};
template <class T, class Less>
struct ElementOf<std::map<std::string, T, Less>> {
  using Type = T;
  static constexpr auto kKind = WireType::Kind::map;
};

template <class T>
inline constexpr bool kIsId = false;
template <class Tag>
inline constexpr bool kIsId<Id<Tag>> = true;

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

/// "Job" of warpmind::Job. Both compilers spell it "T = warpmind::Job", then "]" or ";".
template <class T>
constexpr std::string_view unqualified_name() {
  std::string_view text = __PRETTY_FUNCTION__;
  text.remove_prefix(text.find("T = ") + 4);
  text = text.substr(0, text.find_first_of(";]"));
  return text.substr(text.rfind(':') + 1);  // npos + 1 is 0
}

}  // namespace wire_type_detail

/// Collects the members of a described value, in the order of its description.
struct WireMembers {
  std::vector<WireMember> all;

  template <class Member>
  void required(const char* name, const Member& /*value*/, const char* doc = "") {
    all.push_back({name, true, doc, wire_type<Member>()});
  }
  template <class Member>
  void optional(const char* name, const Member& /*value*/, const char* doc = "") {
    all.push_back({name, false, doc, wire_type<Member>()});
  }
  template <class Member>
  void required(const char* name, const Member& /*value*/, const Option& option) {
    all.push_back({name, true, document_sentence(option), wire_type<Member>()});
  }
  template <class Member>
  void optional(const char* name, const Member& /*value*/, const Option& option) {
    all.push_back({name, false, document_sentence(option), wire_type<Member>()});
  }
};

template <Described T>
[[nodiscard]] std::vector<WireMember> described_members() {
  const T value{};
  WireMembers members;
  T::describe(value, members);
  return std::move(members.all);
}

template <class T>
WireType wire_type() {
  using Kind = WireType::Kind;
  using namespace wire_type_detail;
  if constexpr (kIsOptional<T>) {
    WireType type = wire_type<typename T::value_type>();
    type.may_be_null = true;
    return type;
  } else if constexpr (requires { typename ElementOf<T>::Type; }) {
    return {ElementOf<T>::kKind, {}, false, {}, {wire_type<typename ElementOf<T>::Type>()}};
  } else if constexpr (NamedEnum<T>) {
    WireType type{Kind::choice, unqualified_name<T>()};
    for (const auto& [value, name] : EnumNames<T>::table) type.choices.push_back(name);
    return type;
  } else if constexpr (std::same_as<T, bool>) {
    return {Kind::boolean};
  } else if constexpr (std::integral<T> || std::same_as<T, UnixMillis>) {
    return {Kind::integer};
  } else if constexpr (std::floating_point<T>) {
    return {Kind::number};
  } else if constexpr (std::same_as<T, std::string> || kIsId<T>) {
    return {Kind::text};
  } else if constexpr (Described<T>) {
    return {Kind::object, unqualified_name<T>(), false, {}, {}, described_members<T>};
  } else {
    return {Kind::object, unqualified_name<T>(), false, {}, {}, model_members<T>};
  }
}

}  // namespace warpmind
