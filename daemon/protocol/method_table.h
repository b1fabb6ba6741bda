#pragma once
/// \file
/// Every method and notification of the wire, with its fields: requests are checked against it and
/// docs/protocol.md is rendered from it.

#include "daemon/protocol/document.h"

#include <span>
#include <string>
#include <string_view>

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
  std::string_view doc;
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
  std::span<const FieldSpec> params;
  std::span<const FieldSpec> result;
};

[[nodiscard]] std::span<const MethodSpec> methods();
/// Null when there is no such method.
[[nodiscard]] const MethodSpec* find_method(std::string_view name);
/// "unknown method 'task.sumbit'; did you mean 'task.submit'?"
[[nodiscard]] std::string unknown_method_message(std::string_view name);

/// Errors: invalid_argument naming the unknown, missing or wrongly typed parameter, and for an
/// unknown one the nearest known. Null is accepted where a parameter may be left out.
[[nodiscard]] Result<void> check_params(const MethodSpec& method, const Document& params);

/// Markdown: one section a method. docs/protocol.md holds it between markers; a test compares.
[[nodiscard]] std::string render_methods();

}  // namespace warpmind::daemon::protocol
