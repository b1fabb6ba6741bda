#include "daemon/protocol/method.h"

namespace warpmind::daemon::protocol {
namespace {

FieldType list_type(const WireType& element) {
  using Kind = WireType::Kind;
  return element.kind == Kind::text || element.kind == Kind::choice ? FieldType::strings
                                                                    : FieldType::objects;
}

FieldType map_type(const WireType& element) {
  if (element.kind == WireType::Kind::integer) return FieldType::counts;
  return element.kind == WireType::Kind::number ? FieldType::numbers : FieldType::texts;
}

FieldType field_type(const WireType& type) {
  switch (type.kind) {
    case WireType::Kind::text:
    case WireType::Kind::choice: return FieldType::string;
    case WireType::Kind::integer: return FieldType::integer;
    case WireType::Kind::number: return FieldType::number;
    case WireType::Kind::boolean: return FieldType::boolean;
    case WireType::Kind::list: return list_type(type.element.front());
    case WireType::Kind::map: return map_type(type.element.front());
    case WireType::Kind::object: break;
  }
  return type.name == "Job" ? FieldType::job : FieldType::object;
}

}  // namespace

std::vector<FieldSpec> field_specs(const WireType& type) {
  std::vector<FieldSpec> fields;
  for (const auto& member : type.members()) {
    fields.push_back({member.name, field_type(member.type), member.required, member.doc});
  }
  return fields;
}

}  // namespace warpmind::daemon::protocol
