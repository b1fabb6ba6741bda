#pragma once
/// \file
/// One description of a value that crosses a border (wire, disk, command line, documents): each
/// member with its name, whether it must be there, and what it means. JSON, checks of parameters
/// and docs/protocol.md are made of it.

namespace warpmind {

namespace describe_detail {
struct Anything {
  void required(const char*, const auto&, const char* = "") {}
  void optional(const char*, const auto&, const char* = "") {}
};
}  // namespace describe_detail

/// A type that describes itself: `T::describe(self, field)` calls, for each member in the order of
/// the documents, `field.required(name, self.member, sentence)` or `field.optional(...)`. Required:
/// in parameters it must be given, in results it is always there. `self` is a `T` or a `const T`;
/// a type that is derived from a described one calls the description of its base.
template <class T>
concept Described = requires(const T& value, describe_detail::Anything& field) {
  T::describe(value, field);
};

}  // namespace warpmind
