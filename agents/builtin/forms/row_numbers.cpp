#include "agents/builtin/forms/row_numbers.h"

#include "agents/builtin/probe/integer_value.h"

namespace warpmind::agents::builtin {
namespace {

using Kind = RowValue::Kind;

Value value_of(const RowValues& values, RowValueId id, const RowPoint& point) {
  const RowValue& one = values.at(id);
  const ValueType type = value_type(one.type);
  const auto named = [&](const auto& names) {
    const auto found = names.find(one.text);
    return found == names.end() ? Value::unknown(type) : Value::exactly(found->second, type);
  };
  switch (one.kind) {
    case Kind::number: return Value::exactly(one.number, type);
    case Kind::name: return point.scalars == nullptr ? Value::unknown() : named(*point.scalars);
    case Kind::index: return named(point.indices);
    case Kind::term: {
      const auto level = static_cast<std::size_t>(one.number);
      if (level >= point.terms.size()) return Value::unknown(type);
      return Value::exactly(point.terms[level], type);
    }
    case Kind::cast: return converted(value_of(values, one.parts[0], point), type);
    case Kind::choice: {
      const Value condition = value_of(values, one.parts[0], point);
      if (!condition.known) return Value::unknown(type);
      return value_of(values, one.parts[condition.is_true() ? 1 : 2], point);
    }
    case Kind::operation: break;
    default: return Value::unknown();
  }
  const Value left = value_of(values, one.parts[0], point);
  if (one.parts.size() == 1) return applied(one.text, left);
  if (one.text == "&&" || one.text == "||") {
    const bool decides = one.text == "||";
    if (left.known && (left.number != 0) == decides) return Value::of_int(decides ? 1 : 0);
    return left.known ? value_of(values, one.parts[1], point) : Value::unknown();
  }
  return combined(one.text, left, value_of(values, one.parts[1], point));
}

}  // namespace

std::optional<std::int64_t> number_of(const RowValues& values, RowValueId id,
                                      const RowPoint& point) {
  const Value value = value_of(values, id, point);
  if (!value.known || value.type.is_pointer()) return std::nullopt;
  return value.number;
}

}  // namespace warpmind::agents::builtin
