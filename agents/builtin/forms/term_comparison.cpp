#include "agents/builtin/forms/term_comparison.h"

#include "agents/builtin/loops/kernel_body.h"

#include <algorithm>
#include <functional>
#include <string_view>

namespace warpmind::agents::builtin {
namespace {

using Kind = RowValue::Kind;

/// Casts between whole numbers that keep 32 bits or more.
RowValueId bare(const RowValues& values, RowValueId id) {
  while (values.at(id).kind == Kind::cast && is_whole_type(values.at(id).type) &&
         size_of_type(values.at(id).type) >= 4 &&
         is_whole_type(values.at(values.at(id).parts[0]).type)) {
    id = values.at(id).parts[0];
  }
  return id;
}

/// "float" and 4 for "float4".
std::optional<std::pair<std::string, std::size_t>> fields_of(std::string_view type) {
  if (type == "__half2" || type == "half2") return std::pair{std::string("__half"), 2UL};
  if (type == "__nv_bfloat162") return std::pair{std::string("__nv_bfloat16"), 2UL};
  for (const std::string_view element : {"float", "double", "int"}) {
    if (type.size() != element.size() + 1 || !type.starts_with(element)) continue;
    if (type.back() >= '2' && type.back() <= '4') {
      return std::pair{std::string(element), static_cast<std::size_t>(type.back() - '0')};
    }
  }
  return std::nullopt;
}

/// The value with `part_of` for each of its parts.
RowValueId rebuilt(RowValues& values, RowValueId id,
                   const std::function<RowValueId(RowValueId)>& part_of) {
  const RowValue value = values.at(id);
  std::vector<RowValueId> parts;
  for (const RowValueId part : value.parts) parts.push_back(part_of(part));
  if (parts == value.parts) return id;
  switch (value.kind) {
    case Kind::operation:
      return parts.size() == 1 ? values.applied(value.text, parts[0])
                               : values.operation(value.text, parts[0], parts[1]);
    case Kind::choice: return values.choice(parts[0], parts[1], parts[2]);
    case Kind::cast: return values.cast(value.type, parts[0]);
    case Kind::call: return values.call(value.text, std::move(parts), value.type);
    case Kind::place: return values.place(parts[0], parts[1], value.type);
    case Kind::pointer_cast:
      return values.pointer_cast(values.place(parts[0], parts[1], value.type), value.type);
    case Kind::load: return values.load(value.text, parts[0], parts[1], value.type);
    case Kind::field: return values.field(parts[0], value.text);
    case Kind::vector: return values.vector(value.type, std::move(parts));
    default: return values.broken();
  }
}

std::optional<RowValueId> component_of_load(RowValues& values, const RowValue& load,
                                            std::size_t which) {
  const auto fields = fields_of(load.type);
  const RowValue base = values.at(load.parts[0]);
  const bool is_cast =
      base.kind == Kind::pointer_cast && values.at(base.parts[0]).kind == Kind::name;
  if (!fields || !is_cast || which >= fields->second) return std::nullopt;
  const auto count = static_cast<std::int64_t>(fields->second);
  const RowValueId from =
      values.operation("*", values.cast("long long", load.parts[1]), values.number(count, "int"));
  const RowValueId behind =
      values.operation("+", from, values.number(static_cast<std::int64_t>(which), "long long"));
  const RowValueId index = values.operation("+", values.cast("long long", base.parts[1]), behind);
  return values.load(load.text, base.parts[0], index, fields->first);
}

}  // namespace

void LinearForm::add(const LinearForm& other, std::int64_t times) {
  constant += other.constant * times;
  for (const auto& [atom, factor] : other.factors) {
    auto& sum = factors[atom];
    sum += factor * times;
    if (sum == 0) factors.erase(atom);
  }
}

LinearForm linear_form(const RowValues& values, RowValueId id, int depth) {
  const RowValueId at = bare(values, id);
  const RowValue& value = values.at(at);
  LinearForm form;
  if (value.kind == Kind::number) {
    form.constant = value.number;
    return form;
  }
  const bool is_whole = value.kind == Kind::operation && is_whole_type(value.type);
  if (depth > 0 && is_whole && value.parts.size() == 2) {
    const LinearForm left = linear_form(values, value.parts[0], depth - 1);
    const LinearForm right = linear_form(values, value.parts[1], depth - 1);
    if (value.text == "+" || value.text == "-") {
      form = left;
      form.add(right, value.text == "+" ? 1 : -1);
      return form;
    }
    const bool is_shift =
        value.text == "<<" && right.factors.empty() && right.constant >= 0 && right.constant < 31;
    if (is_shift) {
      form.add(left, std::int64_t{1} << right.constant);
      return form;
    }
    if (value.text == "*" && (left.factors.empty() || right.factors.empty())) {
      form.add(right.factors.empty() ? left : right,
               right.factors.empty() ? right.constant : left.constant);
      return form;
    }
  }
  form.factors[at] = 1;
  return form;
}

bool is_whole_part(const RowValues& values, RowValueId part, RowValueId whole, std::int64_t step) {
  const LinearForm form = linear_form(values, part);
  const LinearForm all = linear_form(values, whole);
  const auto is_number = [&](RowValueId id, std::int64_t number) {
    const LinearForm one = linear_form(values, id);
    return one.factors.empty() && one.constant == number;
  };
  // Of `whole op number`.
  const auto is_made = [&](RowValueId id, std::string_view op, std::int64_t number) {
    const RowValue& value = values.at(id);
    return value.kind == Kind::operation && value.parts.size() == 2 && value.text == op &&
           linear_form(values, value.parts[0]) == all && is_number(value.parts[1], number);
  };
  if (form.constant != 0) return false;
  LinearForm rest = all;
  rest.add(form, -1);
  if (rest.constant == 0 && rest.factors.size() == 1 && rest.factors.begin()->second == 1) {
    const RowValueId atom = rest.factors.begin()->first;
    if (is_made(atom, "%", step) || is_made(atom, "&", step - 1)) return true;
  }
  if (form.factors.size() != 1) return false;
  const auto& [atom, factor] = *form.factors.begin();
  constexpr std::int64_t kUnsigned = std::int64_t{1} << 32;
  if (factor == 1) return is_made(atom, "&", -step) || is_made(atom, "&", kUnsigned - step);
  if (factor != step) return false;
  std::int64_t bits = 0;
  while ((std::int64_t{1} << bits) < step) ++bits;
  const bool is_power = (std::int64_t{1} << bits) == step;
  return is_made(atom, "/", step) || (is_power && is_made(atom, ">>", bits));
}

std::optional<RowValueId> component(RowValues& values, RowValueId vector, std::size_t which) {
  const RowValue value = values.at(vector);
  if (value.kind == Kind::vector && which < value.parts.size()) return value.parts[which];
  if (value.kind == Kind::load) return component_of_load(values, value, which);
  if (value.kind == Kind::cast && value.type == values.at(value.parts[0]).type) {
    return component(values, value.parts[0], which);
  }
  if (value.kind == Kind::choice) {
    const auto yes = component(values, value.parts[1], which);
    const auto no = component(values, value.parts[2], which);
    if (!yes || !no) return std::nullopt;
    return values.choice(value.parts[0], *yes, *no);
  }
  if (value.kind != Kind::call || which >= 2) return std::nullopt;
  const bool has_both = value.parts.size() == 2;
  if (has_both && (value.text == "__halves2half2" || value.text == "make_half2")) {
    return value.parts[which];
  }
  if (has_both && value.text == "__floats2half2_rn") {
    return values.call("__float2half_rn", {value.parts[which]}, "__half");
  }
  if (value.text == "__half22float2" && value.parts.size() == 1) {
    const auto half = component(values, value.parts[0], which);
    if (half) return values.call("__half2float", {*half}, "float");
  }
  return std::nullopt;
}

RowValueId without_vectors(RowValues& values, RowValueId id) {
  std::map<RowValueId, RowValueId> known;
  const std::function<RowValueId(RowValueId)> made = [&](RowValueId one) {
    if (const auto found = known.find(one); found != known.end()) return found->second;
    const RowValueId inner = rebuilt(values, one, made);
    const RowValue value = values.at(inner);
    std::optional<RowValueId> result;
    if (value.kind == Kind::field && value.text.size() == 1) {
      const auto which = std::string_view("xyzw").find(value.text.front());
      if (which != std::string_view::npos) result = component(values, value.parts[0], which);
    }
    const bool is_low = value.text == "__low2float";
    if (value.kind == Kind::call && (is_low || value.text == "__high2float")) {
      const auto half = component(values, value.parts[0], is_low ? 0 : 1);
      if (half) result = values.call("__half2float", {*half}, "float");
    }
    if (value.kind == Kind::call && value.text == "__float2half") {
      result = values.call("__float2half_rn", value.parts, value.type);
    }
    return known.emplace(one, result.value_or(inner)).first->second;
  };
  return made(id);
}

std::optional<RowValueId> replaced(RowValues& values, RowValueId id,
                                   const std::map<RowValueId, RowValueId>& by, RowValueId without) {
  std::map<RowValueId, RowValueId> known = by;
  bool is_met = false;
  const std::function<RowValueId(RowValueId)> made = [&](RowValueId one) {
    if (const auto found = known.find(one); found != known.end()) return found->second;
    is_met = is_met || one == without;
    const RowValueId result = rebuilt(values, one, made);
    known.emplace(one, result);
    return result;
  };
  const RowValueId result = made(id);
  if (is_met) return std::nullopt;
  return result;
}

bool TermComparison::same(RowValueId first, RowValueId second) {
  const std::pair key{first, second};
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  const bool result = compare(first, second);
  known_.emplace(key, result);
  return result;
}

bool TermComparison::compare(RowValueId first, RowValueId second) {
  const RowValue& a = values_.at(first);
  const RowValue& b = values_.at(second);
  if (first == second && !a.has_term) return true;
  if (a.is_spoiled || b.is_spoiled) return false;
  if (is_whole_type(a.type) && is_whole_type(b.type) && same_numbers(first, second)) return true;
  if (a.kind != b.kind || a.text != b.text || a.type != b.type || a.number != b.number ||
      a.parts.size() != b.parts.size() || a.parts.empty()) {
    return false;
  }
  for (std::size_t i = 0; i < a.parts.size(); ++i) {
    if (!same(a.parts[i], b.parts[i])) return false;
  }
  return true;
}

/// As sums. What depends on the term in another way is no sum.
bool TermComparison::same_numbers(RowValueId first, RowValueId second) {
  LinearForm left = linear_form(values_, first);
  LinearForm right = linear_form(values_, second);
  for (const LinearForm* form : {&left, &right}) {
    for (const auto& [atom, factor] : form->factors) {
      if (values_.at(atom).has_term && values_.at(atom).kind != Kind::term) return false;
    }
  }
  if (const auto term = right.factors.find(term_); term != right.factors.end()) {
    const std::int64_t times = term->second;
    right.factors.erase(term);
    right.add(place_, times);
  }
  return left == right;
}

}  // namespace warpmind::agents::builtin
