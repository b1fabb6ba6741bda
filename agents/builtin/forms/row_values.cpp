#include "agents/builtin/forms/row_values.h"

#include "agents/builtin/loops/kernel_body.h"
#include "agents/builtin/probe/integer_value.h"
#include "base/sequence.h"
#include "base/text.h"

#include <algorithm>
#include <array>

namespace warpmind::agents::builtin {
namespace {

using Kind = RowValue::Kind;

constexpr std::array<std::string_view, 8> kComparisons{
    "<", ">", "<=", ">=", "==", "!=", "&&", "||"};

bool is_real(std::string_view type) { return type == "float" || type == "double"; }

bool is_unsigned(std::string_view type) { return type.find("unsigned") != std::string_view::npos; }

/// Of `left op right`; empty: not known.
std::string result_type(std::string_view op, const std::string& left, const std::string& right) {
  if (contains(kComparisons, op)) return "bool";
  if (left.empty() || right.empty()) return {};
  if (op == "<<" || op == ">>") return is_whole_type(left) ? left : std::string();
  for (const std::string_view real : {"double", "float"}) {
    const bool both =
        (is_real(left) || is_whole_type(left)) && (is_real(right) || is_whole_type(right));
    if (both && (left == real || right == real)) return std::string(real);
  }
  if (!is_whole_type(left) || !is_whole_type(right)) return left == right ? left : std::string();
  const int bytes = std::max({4, size_of_type(left), size_of_type(right)});
  const bool signless = (is_unsigned(left) && size_of_type(left) == bytes) ||
                        (is_unsigned(right) && size_of_type(right) == bytes);
  if (bytes > 4) return signless ? "unsigned long long" : "long long";
  return signless ? "unsigned" : "int";
}

Value as_value(const RowValue& value) {
  return Value::exactly(value.number, value_type(value.type));
}

}  // namespace

std::string plain_type(std::string_view type) {
  std::string text(trim_text(type));
  const ValueType known = value_type(text);
  if (known.kind == ValueType::Kind::integer && known.bytes >= 4) {
    if (known.bytes == 8) return known.is_signed ? "long long" : "unsigned long long";
    return known.is_signed ? "int" : "unsigned";
  }
  for (const std::string_view word : {"const ", "volatile ", "static "}) {
    for (auto at = text.find(word); at == 0; at = text.find(word)) text.erase(at, word.size());
  }
  if (text.ends_with(" const")) text.resize(text.size() - 6);
  return text == "half" ? "__half" : text;
}

bool is_whole_type(std::string_view type) {
  const ValueType known = value_type(type);
  return known.kind == ValueType::Kind::integer || known.kind == ValueType::Kind::boolean;
}

RowValueId RowValues::keep(RowValue value) {
  std::string key = std::to_string(static_cast<int>(value.kind)) + "|" + value.text + "|" +
                    value.type + "|" + std::to_string(value.number);
  for (const RowValueId part : value.parts) {
    key += "," + std::to_string(part);
    value.has_term = value.has_term || at(part).has_term;
    value.has_carried = value.has_carried || at(part).has_carried;
    value.is_spoiled = value.is_spoiled || at(part).is_spoiled;
  }
  value.has_term = value.has_term || value.kind == Kind::term;
  value.has_carried = value.has_carried || value.kind == Kind::carried;
  value.is_spoiled = value.is_spoiled || value.kind == Kind::broken || value.kind == Kind::partial;
  if (value.kind == Kind::partial) {
    for (LaneSet rest = value.lanes; rest.any(); rest >>= 64) {
      key += std::to_string((rest & LaneSet(~0ULL)).to_ullong()) + ";";
    }
  }
  const auto [found, is_new] = known_.emplace(std::move(key), values_.size());
  if (is_new) values_.push_back(std::move(value));
  return found->second;
}

RowValueId RowValues::number(std::int64_t number, std::string_view type) {
  RowValue value;
  value.kind = Kind::number;
  value.number = number;
  value.type = type;
  return keep(std::move(value));
}

RowValueId RowValues::leaf(Kind kind, std::string_view text, std::string_view type,
                           std::int64_t number) {
  RowValue value;
  value.kind = kind;
  value.text = text;
  value.type = type;
  value.number = number;
  return keep(std::move(value));
}

RowValueId RowValues::partial(std::int64_t reduction, const LaneSet& lanes, std::string_view type) {
  RowValue value;
  value.kind = Kind::partial;
  value.number = reduction;
  value.lanes = lanes;
  value.type = type;
  return keep(std::move(value));
}

RowValueId RowValues::broken() { return leaf(Kind::broken, {}, {}); }

std::optional<std::int64_t> RowValues::known(RowValueId id) const {
  if (at(id).kind != Kind::number) return std::nullopt;
  return at(id).number;
}

RowValueId RowValues::without_casts(RowValueId id) const {
  while (at(id).kind == Kind::cast && is_whole_type(at(id).type) &&
         is_whole_type(at(at(id).parts[0]).type)) {
    id = at(id).parts[0];
  }
  return id;
}

/// `(group * 32 + lane) / 32` and the like: how threads of a block number their warps.
std::optional<RowValueId> RowValues::of_lanes(std::string_view op, RowValueId left,
                                              std::int64_t right) {
  RowValueId group = without_casts(left);
  std::optional<std::int64_t> lane = 0;
  if (at(group).kind == Kind::operation && at(group).text == "+" && at(group).parts.size() == 2) {
    lane = known(at(group).parts[1]);
    group = at(group).parts[0];
  }
  const RowValue& product = at(group);
  const bool is_group = product.kind == Kind::operation && product.text == "*" &&
                        product.parts.size() == 2 && at(product.parts[0]).kind == Kind::index &&
                        known(product.parts[1]).has_value();
  if (!is_group || !lane) return std::nullopt;
  const std::int64_t lanes = *known(product.parts[1]);
  if (*lane < 0 || *lane >= lanes) return std::nullopt;
  const std::string type = result_type("+", at(left).type, "int");
  if ((op == "/" && right == lanes) || (op == ">>" && (std::int64_t{1} << right) == lanes)) {
    return cast(type, product.parts[0]);
  }
  if ((op == "%" && lanes % right == 0) ||
      (op == "&" && (right & (right + 1)) == 0 && lanes % (right + 1) == 0)) {
    return number(op == "%" ? *lane % right : *lane & right, type);
  }
  return std::nullopt;
}

std::vector<RowValueId> RowValues::factors(RowValueId id) const {
  const RowValue& value = at(without_casts(id));
  if (value.kind != Kind::operation || value.text != "*" || value.parts.size() != 2) {
    return {without_casts(id)};
  }
  auto all = factors(value.parts[0]);
  const auto others = factors(value.parts[1]);
  all.insert(all.end(), others.begin(), others.end());
  std::sort(all.begin(), all.end());
  return all;
}

/// `a / b * b + a % b` is `a`.
std::optional<RowValueId> RowValues::rejoined(RowValueId left, RowValueId right) {
  const RowValue rest = at(without_casts(right));
  if (rest.kind != Kind::operation || rest.text != "%" || rest.parts.size() != 2) {
    return std::nullopt;
  }
  auto product = factors(left);
  for (const RowValueId one : product) {
    const RowValue& quotient = at(one);
    if (quotient.kind != Kind::operation || quotient.text != "/" || quotient.parts != rest.parts) {
      continue;
    }
    auto expected = factors(rest.parts[1]);
    expected.push_back(one);
    std::sort(expected.begin(), expected.end());
    if (expected == product) return rest.parts[0];
  }
  return std::nullopt;
}

std::optional<RowValueId> RowValues::simpler(std::string_view op, RowValueId left,
                                             RowValueId right) {
  const auto a = known(left);
  const auto b = known(right);
  const std::string type = result_type(op, at(left).type, at(right).type);
  if (a && b) {
    const Value value = combined(op, as_value(at(left)), as_value(at(right)));
    if (value.known) return number(value.number, type);
    return std::nullopt;
  }
  if (op == "&&" || op == "||") {
    const bool decides = op == "||";
    if (a) return (*a != 0) == decides ? number(decides ? 1 : 0, "bool") : cast("bool", right);
    if (b) return (*b != 0) == decides ? number(decides ? 1 : 0, "bool") : cast("bool", left);
    return left == right ? std::optional(cast("bool", left)) : std::nullopt;
  }
  if (!is_whole_type(type)) return std::nullopt;
  if (b) {
    if (auto lanes = of_lanes(op, left, *b)) return lanes;
    const bool keeps = (*b == 0 && (op == "+" || op == "-" || op == "<<" || op == ">>")) ||
                       (*b == 1 && (op == "*" || op == "/"));
    if (keeps) return cast(type, left);
    if (*b == 0 && op == "*") return number(0, type);
  }
  if (a) {
    if ((*a == 0 && op == "+") || (*a == 1 && op == "*")) return cast(type, right);
    if (*a == 0 && op == "*") return number(0, type);
  }
  if (op == "+") {
    if (auto whole = rejoined(left, right)) return cast(type, *whole);
    if (auto whole = rejoined(right, left)) return cast(type, *whole);
  }
  return std::nullopt;
}

RowValueId RowValues::operation(std::string_view op, RowValueId left, RowValueId right) {
  if (auto found = simpler(op, left, right)) return *found;
  RowValue value;
  value.kind = Kind::operation;
  value.text = op;
  value.parts = {left, right};
  value.type = result_type(op, at(left).type, at(right).type);
  return keep(std::move(value));
}

RowValueId RowValues::applied(std::string_view op, RowValueId value) {
  std::string type = op == "!" ? "bool" : at(value).type;
  if (op != "!" && is_whole_type(type)) type = result_type("+", type, "int");
  if (known(value)) {
    const Value result = warpmind::agents::builtin::applied(op, as_value(at(value)));
    if (result.known) return number(result.number, type);
  }
  const RowValue inner = at(value);
  if (op == "!" && inner.kind == Kind::operation && inner.text == "!" && inner.parts.size() == 1 &&
      at(inner.parts[0]).type == "bool") {
    return inner.parts[0];
  }
  RowValue result;
  result.kind = Kind::operation;
  result.text = op;
  result.parts = {value};
  result.type = type;
  return keep(std::move(result));
}

RowValueId RowValues::choice(RowValueId condition, RowValueId yes, RowValueId no) {
  if (yes == no) return yes;
  if (const auto holds = known(condition)) return *holds != 0 ? yes : no;
  RowValue value;
  value.kind = Kind::choice;
  value.parts = {condition, yes, no};
  const std::string& first = at(yes).type;
  const std::string& second = at(no).type;
  value.type = first == second ? first : result_type("+", first, second);
  return keep(std::move(value));
}

RowValueId RowValues::cast(std::string_view type, RowValueId value) {
  const RowValue inner = at(value);
  if (inner.type == type || type.empty() || type == "auto") return value;
  if (inner.kind == Kind::unset || inner.kind == Kind::broken) return value;
  if (inner.kind == Kind::number && is_whole_type(type)) {
    const Value result = converted(as_value(inner), value_type(type));
    if (result.known) return number(result.number, type);
  }
  RowValue result;
  result.kind = Kind::cast;
  result.type = type;
  result.parts = {value};
  return keep(std::move(result));
}

RowValueId RowValues::call(std::string_view name, std::vector<RowValueId> arguments,
                           std::string_view type) {
  RowValue value;
  value.kind = Kind::call;
  value.text = name;
  value.parts = std::move(arguments);
  value.type = type;
  return keep(std::move(value));
}

RowValueId RowValues::place(RowValueId base, RowValueId index, std::string_view type) {
  RowValue value;
  value.kind = Kind::place;
  value.parts = {base, index};
  value.type = type;
  return keep(std::move(value));
}

RowValueId RowValues::pointer_cast(RowValueId place, std::string_view type) {
  RowValue value;
  value.kind = Kind::pointer_cast;
  value.parts = at(place).parts;
  value.type = type;
  return keep(std::move(value));
}

RowValueId RowValues::load(std::string_view root, RowValueId base, RowValueId index,
                           std::string_view type) {
  RowValue value;
  value.kind = Kind::load;
  value.text = root;
  value.parts = {base, index};
  value.type = type;
  return keep(std::move(value));
}

RowValueId RowValues::field(RowValueId value, std::string_view name) {
  constexpr std::string_view kFields = "xyzw";
  const RowValue whole = at(value);
  const auto which = name.size() == 1 ? kFields.find(name.front()) : std::string_view::npos;
  if (whole.kind == Kind::vector && which < whole.parts.size()) return whole.parts[which];
  RowValue result;
  result.kind = Kind::field;
  result.text = name;
  result.parts = {value};
  if (whole.type.starts_with("float")) result.type = "float";
  if (whole.type.starts_with("double")) result.type = "double";
  if (whole.type == "__half2" || whole.type == "half2") result.type = "__half";
  if (whole.type == "__nv_bfloat162") result.type = "__nv_bfloat16";
  return keep(std::move(result));
}

RowValueId RowValues::vector(std::string_view type, std::vector<RowValueId> fields) {
  RowValue value;
  value.kind = Kind::vector;
  value.type = type;
  value.parts = std::move(fields);
  return keep(std::move(value));
}

std::optional<std::int64_t> RowValues::distance(RowValueId from, RowValueId to) const {
  if (from == to) return 0;
  const RowValue& a = at(from);
  const RowValue& b = at(to);
  if (a.kind == Kind::number && b.kind == Kind::number) return b.number - a.number;
  // The first lane's zero is not written.
  if (b.kind == Kind::operation && b.text == "+" && b.parts.size() == 2) {
    if (b.parts[0] == from) return known(b.parts[1]);
    if (b.parts[1] == from) return known(b.parts[0]);
    const bool is_cast = a.kind == Kind::cast && a.type == b.type;
    if (is_cast && b.parts[0] == a.parts[0]) return known(b.parts[1]);
  }
  if (a.kind != b.kind || a.text != b.text || a.parts.size() != b.parts.size()) return std::nullopt;
  if (a.kind == Kind::cast) {
    return a.type == b.type ? distance(a.parts[0], b.parts[0]) : std::nullopt;
  }
  if (a.kind != Kind::operation || a.parts.size() != 2) return std::nullopt;
  const auto left = distance(a.parts[0], b.parts[0]);
  const auto right = distance(a.parts[1], b.parts[1]);
  if (!left || !right) return std::nullopt;
  if (a.text == "+") return *left + *right;
  if (a.text == "-") return *left - *right;
  if (a.text == "*" && *right == 0 && known(a.parts[1])) return *left * *known(a.parts[1]);
  if (a.text == "*" && *left == 0 && known(a.parts[0])) return *right * *known(a.parts[0]);
  return std::nullopt;
}

bool RowValues::depends_on_term(RowValueId id, std::int64_t level) const {
  const RowValue& value = at(id);
  if (!value.has_term) return false;
  if (value.kind == Kind::term) return value.number == level;
  return std::any_of(value.parts.begin(), value.parts.end(),
                     [&](RowValueId part) { return depends_on_term(part, level); });
}

std::optional<std::int64_t> RowValues::step(RowValueId id, std::int64_t level) const {
  if (!depends_on_term(id, level)) return 0;
  const RowValue& value = at(id);
  if (value.kind == Kind::term) return 1;
  if (value.kind == Kind::cast && is_whole_type(value.type)) return step(value.parts[0], level);
  if (value.kind != Kind::operation || value.parts.size() != 2) return std::nullopt;
  const auto left = step(value.parts[0], level);
  const auto right = step(value.parts[1], level);
  if (!left || !right) return std::nullopt;
  if (value.text == "+") return *left + *right;
  if (value.text == "-") return *left - *right;
  if (value.text != "*") return std::nullopt;
  const bool is_left = depends_on_term(value.parts[0], level);
  if (is_left && depends_on_term(value.parts[1], level)) return std::nullopt;
  const auto factor = known(value.parts[is_left ? 1 : 0]);
  if (!factor) return std::nullopt;
  return (is_left ? *left : *right) * *factor;
}

bool RowValues::is_even(RowValueId id, std::int64_t level) const {
  if (!depends_on_term(id, level)) return true;
  const RowValue& value = at(id);
  if (value.kind == Kind::term) return true;
  if (value.kind == Kind::cast && is_whole_type(value.type)) return is_even(value.parts[0], level);
  if (value.kind != Kind::operation || value.parts.size() != 2) return false;
  if (value.text != "+" && value.text != "-" && value.text != "*") return false;
  if (value.text == "*" && value.has_term && at(value.parts[0]).has_term &&
      at(value.parts[1]).has_term) {
    return false;
  }
  return is_even(value.parts[0], level) && is_even(value.parts[1], level);
}

}  // namespace warpmind::agents::builtin
