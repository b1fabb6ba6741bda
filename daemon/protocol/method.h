#pragma once
/// \file
/// A method of the wire, said once: its name, what it takes, what it answers, what it is for.
/// Handlers, clients, the check of requests and docs/protocol.md use the same row.

#include "base/describe.h"
#include "base/wire_type.h"

#include <string_view>
#include <vector>

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
  WireType params_type = {};
  WireType result_type = {};
};

/// `doc` is a sentence for docs/protocol.md.
template <Described Params, Described Result>
struct Method {
  std::string_view name;
  std::string_view doc;
  MethodKind kind = MethodKind::request;
};

/// As requests are checked and the document names them.
[[nodiscard]] std::vector<FieldSpec> field_specs(const WireType& type);

template <Described Params, Described Result>
[[nodiscard]] MethodSpec method_spec(const Method<Params, Result>& method) {
  const WireType params = wire_type<Params>();
  const WireType result = wire_type<Result>();
  return {method.name,         method.kind, method.doc, field_specs(params),
          field_specs(result), params,      result};
}

}  // namespace warpmind::daemon::protocol
