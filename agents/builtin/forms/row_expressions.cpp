#include "agents/builtin/forms/row_machine.h"
#include "base/sequence.h"
#include "base/text.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace warpmind::agents::builtin {
namespace {

using Kind = RowValue::Kind;

constexpr std::array<std::string_view, 3> kAxes{"x", "y", "z"};
constexpr std::size_t kMostWork = 3'000'000;  // expressions, each for all lanes

}  // namespace

std::optional<Combining> extreme_of(const RowValues& values, RowValueId choice) {
  const RowValue& value = values.at(choice);
  if (value.kind != Kind::choice) return std::nullopt;
  const RowValue& condition = values.at(value.parts[0]);
  if (condition.kind != Kind::operation || condition.parts.size() != 2) return std::nullopt;
  const bool is_greater = condition.text == ">" || condition.text == ">=";
  const bool is_less = condition.text == "<" || condition.text == "<=";
  if (!is_greater && !is_less) return std::nullopt;
  const bool is_straight =
      condition.parts[0] == value.parts[1] && condition.parts[1] == value.parts[2];
  const bool is_crossed =
      condition.parts[0] == value.parts[2] && condition.parts[1] == value.parts[1];
  if (is_straight == is_crossed) return std::nullopt;
  return is_greater == is_straight ? Combining::maximum : Combining::minimum;
}

namespace {

bool mentions(const RowValues& values, RowValueId id, RowValueId atom) {
  if (id == atom) return true;
  const RowValue& value = values.at(id);
  if (!value.has_carried) return false;
  return std::any_of(value.parts.begin(), value.parts.end(),
                     [&](RowValueId part) { return mentions(values, part, atom); });
}

/// Of `left op right`, where one side is what has been found so far or takes in more itself.
std::optional<Combining> taken_by(const RowValues& values, Combining how, RowValueId left,
                                  RowValueId right, RowValueId atom) {
  if (values.at(left).has_carried == values.at(right).has_carried) return std::nullopt;
  const RowValueId inner = values.at(left).has_carried ? left : right;
  if (inner == atom || taken_in(values, inner, atom) == how) return how;
  return std::nullopt;
}

}  // namespace

std::optional<Combining> taken_in(const RowValues& values, RowValueId update, RowValueId atom) {
  const RowValue& value = values.at(update);
  if (!mentions(values, update, atom)) return std::nullopt;
  if (value.kind == Kind::operation && value.parts.size() == 2) {
    if (value.text == "-" && !values.at(value.parts[1]).has_carried) {
      return taken_by(values, Combining::sum, value.parts[0], value.parts[1], atom);
    }
    const auto how = combining_of_operator(value.text);
    if (!how) return std::nullopt;
    return taken_by(values, *how, value.parts[0], value.parts[1], atom);
  }
  if (value.kind == Kind::call && value.parts.size() == 2) {
    const auto how = combining_of_call(value.text);
    if (!how) return std::nullopt;
    return taken_by(values, *how, value.parts[0], value.parts[1], atom);
  }
  if (value.kind != Kind::choice) return std::nullopt;
  if (const auto how = extreme_of(values, update)) {
    return taken_by(values, *how, value.parts[1], value.parts[2], atom);
  }
  if (values.at(value.parts[0]).has_carried) return std::nullopt;
  std::optional<Combining> found;
  for (const RowValueId way : {value.parts[1], value.parts[2]}) {
    if (way == atom) continue;
    const auto how = taken_in(values, way, atom);
    if (!how || (found && *found != *how)) return std::nullopt;
    found = how;
  }
  return found;
}

bool is_neutral(const RowValues& values, RowValueId value, Combining how, RowValueId identity) {
  RowValueId id = value;
  while (values.at(id).kind == Kind::cast) id = values.at(id).parts[0];
  const RowValue& one = values.at(id);
  const bool is_literal = one.kind == Kind::name || one.kind == Kind::number;
  const std::string text = one.kind == Kind::number ? std::to_string(one.number) : one.text;
  const bool is_digits = is_literal && !text.empty() && text.front() >= '0' && text.front() <= '9';
  if (how == Combining::sum || how == Combining::bit_or || how == Combining::bit_xor) {
    return is_digits && text.find_first_of("123456789xXeE") == std::string::npos;
  }
  if (how == Combining::product) {
    return is_digits && text.front() == '1' &&
           text.find_first_of("123456789xXeE", 1) == std::string::npos;
  }
  if (value == identity) return true;
  constexpr std::array<std::string_view, 4> kInfinities{"INFINITY", "CUDART_INF_F", "HUGE_VALF",
                                                        "CUDART_INF"};
  const bool is_minus = one.kind == Kind::operation && one.text == "-" && one.parts.size() == 1;
  const RowValue& bare = is_minus ? values.at(one.parts[0]) : one;
  const bool is_infinite = bare.kind == Kind::name && contains(kInfinities, bare.text);
  return is_infinite && is_minus == (how == Combining::maximum) &&
         (how == Combining::maximum || how == Combining::minimum);
}

std::string root_of(const RowValues& values, RowValueId base) {
  const RowValue& value = values.at(base);
  if (value.kind == Kind::name) return value.text;
  if (value.kind == Kind::pointer_cast) return root_of(values, value.parts[0]);
  return {};
}

RowMachine::Lanes RowMachine::each(const Mask& active,
                                   const std::function<RowValueId(std::size_t)>& make) {
  Lanes made(lanes_, values_.broken());
  for (std::size_t t = 0; t < lanes_; ++t) {
    if (active[t]) made[t] = make(t);
  }
  return made;
}

RowMachine::Lanes RowMachine::evaluate(NodeId expression, const Mask& active) {
  if (failed() || expression == kNoNode || !any(active)) return all(values_.broken());
  work_ += lanes_;
  if (work_ > kMostWork) {
    refuse("its threads meet in too many steps");
    return all(values_.broken());
  }
  const auto kind = tree().node(expression).kind;
  if (kind == "parenthesized_expression") return evaluate(tree().bare(expression), active);
  if (kind == "condition_clause") return evaluate(tree().field(expression, "value"), active);
  if (kind == "identifier") return loaded_name(expression, active);
  if (kind == "number_literal" || kind == "true" || kind == "false") return of_literal(expression);
  if (kind == "field_expression") return of_field(expression, active);
  if (kind == "binary_expression") return of_binary(expression, active);
  if (kind == "conditional_expression") return of_choice(expression, active);
  if (kind == "assignment_expression") return of_assignment(expression, active);
  if (kind == "update_expression") return of_update(expression, active);
  if (kind == "subscript_expression") return loaded(place_of(expression, active), active);
  if (kind == "pointer_expression") return of_pointer(expression, active);
  if (kind == "call_expression") return of_call(expression, active);
  if (kind == "cast_expression") {
    return of_cast(tree().plain_text(tree().field(expression, "type")),
                   tree().field(expression, "value"), active);
  }
  if (kind == "unary_expression") {
    const Lanes values = evaluate(tree().field(expression, "argument"), active);
    const auto op = tree().operator_of(expression);
    return each(active, [&](std::size_t t) { return values_.applied(op, values[t]); });
  }
  if (kind == "sizeof_expression") {
    const auto type = tree().field(expression, "type");
    const int bytes = size_of_type(resolved(tree().plain_text(type)));
    if (bytes > 0) return all(values_.number(bytes, "unsigned long long"));
  }
  refuse("'" + tree().plain_text(expression) + "' is not understood");
  return all(values_.broken());
}

/// A number in shared memory is read where its name stands; an array's name is a pointer.
RowMachine::Lanes RowMachine::loaded_name(NodeId expression, const Mask& active) {
  Lanes values = of_identifier(expression);
  const RowValue& value = values_.at(values[first(active)]);
  if (value.kind != Kind::place) return values;
  const RowValue& base = values_.at(value.parts[0]);
  return base.kind == Kind::array && base.number == 1 ? loaded(values, active) : values;
}

RowMachine::Lanes RowMachine::of_identifier(NodeId expression) {
  const std::string name(tree().text(expression));
  if (const Variable* variable = find(name)) return variable->values;
  const auto& numbers = state_.frames.back().numbers;
  if (const auto given = numbers.find(name); given != numbers.end()) {
    const Value value = literal_value(given->second);
    if (value.known) return all(values_.number(value.number, "int"));
  }
  if (name == "warpSize") return all(values_.number(32, "int"));
  const Value constant = program_.constant(name);
  if (constant.known && constant.type.kind == ValueType::Kind::integer) {
    const bool is_wide = constant.type.bytes > 4;
    const std::string type = constant.type.is_signed
                                 ? (is_wide ? "long long" : "int")
                                 : (is_wide ? "unsigned long long" : "unsigned");
    return all(values_.number(constant.number, type));
  }
  if (means_parameter(name)) {
    refuse("'" + name + "' is a name of the file and of a parameter");
    return all(values_.broken());
  }
  if (const auto assumed = assumed_number(name)) {
    found_.assumed.insert_or_assign(name, *assumed);
    return all(values_.number(*assumed, "int"));
  }
  return all(values_.leaf(Kind::name, name, type_of_name(name)));
}

/// Whether a name of the file, or what it stands for, is that of a parameter of some kernel.
bool RowMachine::means_parameter(const std::string& name) const {
  if (kernels_.size() < 2) return false;
  std::string text = name;
  for (const NodeId define : tree().descendants(tree().root(), "preproc_def")) {
    if (tree().text(tree().field(define, "name")) != name) continue;
    text += " " + tree().plain_text(tree().field(define, "value"));
  }
  return std::any_of(kernels_.begin(), kernels_.end(), [&](const RowKernel& kernel) {
    return std::any_of(kernel.parameters.begin(), kernel.parameters.end(), [&](const auto& one) {
      return contains_word(text, one.first) || contains_word(text, one.second.name);
    });
  });
}

/// Of a macro whose definitions all say the same, whatever `#if` they stand in.
std::optional<std::int64_t> RowMachine::assumed_number(const std::string& name) const {
  std::optional<std::int64_t> found;
  for (const NodeId define : tree().descendants(tree().root(), "preproc_def")) {
    if (tree().text(tree().field(define, "name")) != name) continue;
    const Value value = literal_value(trim_text(tree().text(tree().field(define, "value"))));
    const bool is_int = value.known && value.type.is_signed && value.type.bytes == 4;
    if (!is_int || (found && *found != value.number)) return std::nullopt;
    found = value.number;
  }
  return found;
}

/// Of a macro or a constant of the file that stands for a floating number.
std::string RowMachine::type_of_name(std::string_view name) const {
  constexpr std::array<std::string_view, 5> kFloats{"INFINITY", "FLT_MAX", "CUDART_INF_F",
                                                    "HUGE_VALF", "FLT_MIN"};
  if (contains(kFloats, name)) return "float";
  for (const NodeId define : tree().descendants(tree().root(), "preproc_def")) {
    if (tree().text(tree().field(define, "name")) != name) continue;
    const std::string text = tree().plain_text(tree().field(define, "value"));
    if (text.find_first_not_of("0123456789.eE+-fF") != std::string::npos) return {};
    return text.ends_with('f') || text.ends_with('F') ? "float" : "";
  }
  for (const NodeId declared : tree().descendants(tree().root(), "init_declarator")) {
    if (tree().text(tree().field(declared, "declarator")) != name) continue;
    const NodeId declaration = tree().node(declared).parent;
    return resolved(tree().plain_text(tree().field(declaration, "type")));
  }
  return {};
}

RowMachine::Lanes RowMachine::of_literal(NodeId expression) {
  const std::string text(tree().text(expression));
  if (text == "true" || text == "false") return all(values_.number(text == "true" ? 1 : 0, "bool"));
  const Value value = literal_value(text);
  if (value.known) {
    const bool is_wide = value.type.bytes > 4;
    const std::string type = value.type.is_signed ? (is_wide ? "long long" : "int")
                                                  : (is_wide ? "unsigned long long" : "unsigned");
    return all(values_.number(value.number, type));
  }
  const bool is_float = text.ends_with('f') || text.ends_with('F');
  return all(values_.leaf(Kind::name, text, is_float ? "float" : "double"));
}

RowValueId RowMachine::built_in(std::string_view variable, std::size_t axis, std::size_t lane) {
  const auto& block = shape().block;
  const std::string name(kAxes.at(axis));
  const auto number = [&](std::int64_t value) { return values_.number(value, "unsigned"); };
  if (variable == "blockDim") return number(block.at(axis));
  if (variable == "blockIdx" || variable == "gridDim") {
    const bool is_grid = variable == "gridDim";
    if (shape().grid.at(axis) == "1") return number(is_grid ? 1 : 0);
    return values_.leaf(Kind::index, (is_grid ? "grid_" : "block_") + name, "unsigned");
  }
  const auto lane_number = static_cast<std::int64_t>(lane);
  if (shape().lanes == shape().threads()) {
    const std::array<std::int64_t, 3> at{lane_number % block[0], lane_number / block[0] % block[1],
                                         lane_number / block[0] / block[1]};
    return number(at.at(axis));
  }
  if (block.at(axis) == 1) return number(0);
  const RowValueId own = values_.leaf(Kind::index, "thread_" + name, "unsigned");
  if (axis != 0 || shape().lanes == 1) return own;
  if (shape().lanes == block[0]) return number(lane_number);
  const RowValueId group = values_.leaf(Kind::index, "group", "unsigned");
  return values_.operation("+", values_.operation("*", group, number(shape().lanes)),
                           number(lane_number));
}

RowMachine::Lanes RowMachine::of_field(NodeId expression, const Mask& active) {
  const auto argument = tree().text(tree().field(expression, "argument"));
  const auto field = tree().text(tree().field(expression, "field"));
  const auto* const axis = std::find(kAxes.begin(), kAxes.end(), field);
  constexpr std::array<std::string_view, 4> kBuiltIn{"threadIdx", "blockIdx", "blockDim",
                                                     "gridDim"};
  if (contains(kBuiltIn, argument) && axis != kAxes.end() && find(argument) == nullptr) {
    return each(active, [&](std::size_t t) {
      return built_in(argument, static_cast<std::size_t>(axis - kAxes.begin()), t);
    });
  }
  const Lanes values = evaluate(tree().field(expression, "argument"), active);
  return each(active, [&](std::size_t t) { return values_.field(values[t], field); });
}

RowMachine::Lanes RowMachine::of_binary(NodeId expression, const Mask& active) {
  const auto op = tree().operator_of(expression);
  const Lanes left = evaluate(tree().field(expression, "left"), active);
  Mask needed = active;
  if (op == "&&" || op == "||") {
    for (std::size_t t = 0; t < lanes_; ++t) {
      const auto known = active[t] ? values_.known(left[t]) : std::nullopt;
      if (known && (*known != 0) == (op == "||")) needed[t] = false;
    }
  }
  const Lanes right = evaluate(tree().field(expression, "right"), needed);
  return each(active, [&](std::size_t t) {
    if (!needed[t]) return values_.number(op == "||" ? 1 : 0, "bool");
    return combined(op, left[t], right[t]);
  });
}

RowValueId RowMachine::combined(std::string_view op, RowValueId left, RowValueId right) {
  const RowValue& a = values_.at(left);
  const RowValue& b = values_.at(right);
  if (a.kind == Kind::place && (op == "+" || op == "-")) {
    return moved(left, op == "+" ? right : values_.applied("-", right));
  }
  if (b.kind == Kind::place && op == "+") return moved(right, left);
  if (a.kind == Kind::place || b.kind == Kind::place) return values_.broken();
  if (const auto how = combining_of_operator(op)) {
    if (const auto parts = combined_parts(*how, left, right)) return *parts;
  }
  return values_.operation(op, left, right);
}

/// What lanes have found, taken together; nullopt: neither is such a part.
std::optional<RowValueId> RowMachine::combined_parts(Combining how, RowValueId left,
                                                     RowValueId right) {
  const auto is_part = [&](RowValueId id) {
    return values_.at(id).kind == Kind::partial || values_.at(id).kind == Kind::total;
  };
  if (!is_part(left)) {
    std::swap(left, right);
    if (!is_part(left)) {
      // Lanes that have nothing combine among themselves, too.
      const bool both = left == right && is_neutral(values_, left, how, left);
      return both ? std::optional(left) : std::nullopt;
    }
  }
  const RowValue a = values_.at(left);
  const RowTotal* total = total_called(a.number);
  if (total == nullptr || total->how != how) return std::nullopt;
  if (is_neutral(values_, right, how, total->identity)) return left;
  const RowValue b = values_.at(right);
  if (!is_part(right) || b.number != a.number) return std::nullopt;
  if (a.kind == Kind::total || b.kind == Kind::total) {
    if (!is_idempotent(how)) return std::nullopt;
    return a.kind == Kind::total ? left : right;
  }
  if (!is_idempotent(how) && (a.lanes & b.lanes).any()) return values_.broken();
  const LaneSet lanes = a.lanes | b.lanes;
  if (lanes.count() == lanes_) {
    return values_.leaf(Kind::total, total->name, total->type, total->id);
  }
  return values_.partial(a.number, lanes, a.type);
}

RowMachine::Lanes RowMachine::of_choice(NodeId expression, const Mask& active) {
  const Lanes conditions = evaluate(tree().field(expression, "condition"), active);
  Mask yes = active;
  Mask no = active;
  for (std::size_t t = 0; t < lanes_; ++t) {
    const auto known = active[t] ? values_.known(conditions[t]) : std::nullopt;
    if (known) (*known != 0 ? no : yes)[t] = false;
  }
  const Lanes taken = evaluate(tree().field(expression, "consequence"), yes);
  const Lanes other = evaluate(tree().field(expression, "alternative"), no);
  return each(active, [&](std::size_t t) {
    if (!no[t]) return taken[t];
    if (!yes[t]) return other[t];
    const RowValueId made = values_.choice(conditions[t], taken[t], other[t]);
    if (const auto how = extreme_of(values_, made)) {
      if (const auto parts = combined_parts(*how, taken[t], other[t])) return *parts;
    }
    return made;
  });
}

RowMachine::Lanes RowMachine::of_assignment(NodeId expression, const Mask& active) {
  const NodeId target = tree().bare(tree().field(expression, "left"));
  const auto op = tree().operator_of(expression);
  Lanes values = evaluate(tree().field(expression, "right"), active);
  if (op != "=") {
    const Lanes before = evaluate(target, active);
    const auto sign = op.substr(0, op.size() - 1);
    values = each(active, [&](std::size_t t) { return combined(sign, before[t], values[t]); });
  }
  assign(target, values, active);
  return values;
}

RowMachine::Lanes RowMachine::of_update(NodeId expression, const Mask& active) {
  const NodeId target = tree().bare(tree().field(expression, "argument"));
  const auto op = tree().operator_of(expression);
  const Lanes before = evaluate(target, active);
  const RowValueId one = values_.number(1, "int");
  const Lanes after =
      each(active, [&](std::size_t t) { return combined(op == "++" ? "+" : "-", before[t], one); });
  assign(target, after, active);
  return tree().text(expression).starts_with(op) ? after : before;
}

void RowMachine::assign(NodeId target, const Lanes& values, const Mask& active) {
  if (failed()) return;
  if (tree().is(target, "identifier")) {
    Variable* variable = find(tree().text(target));
    if (variable == nullptr) return refuse("it writes '" + tree().plain_text(target) + "'");
    const RowValue& now = values_.at(variable->values[first(active)]);
    if (now.kind == Kind::place && values_.at(now.parts[0]).kind == Kind::array &&
        values_.at(now.parts[0]).number == 1) {
      return store(variable->values, values, active);
    }
    for (std::size_t t = 0; t < lanes_; ++t) {
      if (!active[t]) continue;
      const bool is_pointer = variable->type.ends_with("*");
      variable->values[t] = is_pointer ? values[t] : values_.cast(variable->type, values[t]);
    }
    return;
  }
  if (tree().is(target, "field_expression")) {
    const NodeId argument = tree().bare(tree().field(target, "argument"));
    Variable* variable = tree().is(argument, "identifier") ? find(tree().text(argument)) : nullptr;
    const auto field = std::string_view("xyzw").find(tree().text(tree().field(target, "field")));
    if (variable == nullptr || field == std::string_view::npos) {
      return refuse("it writes '" + tree().plain_text(target) + "'");
    }
    return assign_field(*variable, field, values, active);
  }
  store(place_of(target, active), values, active);
}

/// Of a vector of CUDA: `v.x = …`.
void RowMachine::assign_field(Variable& variable, std::size_t field, const Lanes& values,
                              const Mask& active) {
  constexpr std::array<std::string_view, 4> kFields{"x", "y", "z", "w"};
  const char last = variable.type.empty() ? ' ' : variable.type.back();
  const bool is_vector = (variable.type.starts_with("float") || variable.type.starts_with("int") ||
                          variable.type.starts_with("double")) &&
                         last >= '2' && last <= '4';
  const auto count = static_cast<std::size_t>(is_vector ? last - '0' : 0);
  if (field >= count) return refuse("it writes a field of a '" + variable.type + "'");
  const std::string element = variable.type.substr(0, variable.type.size() - 1);
  for (std::size_t t = 0; t < lanes_; ++t) {
    if (!active[t]) continue;
    const RowValue now = values_.at(variable.values[t]);
    std::vector<RowValueId> fields;
    for (std::size_t i = 0; i < count; ++i) {
      if (now.kind == Kind::vector) {
        fields.push_back(now.parts[i]);
      } else if (now.kind == Kind::unset) {
        fields.push_back(values_.leaf(Kind::unset, {}, element));
      } else {
        fields.push_back(values_.field(variable.values[t], kFields.at(i)));
      }
    }
    fields[field] = values_.cast(element, values[t]);
    variable.values[t] = values_.vector(variable.type, std::move(fields));
  }
}

RowMachine::Lanes RowMachine::of_cast(const std::string& type, NodeId value, const Mask& active) {
  const std::string named = resolved(type);
  const Lanes values = evaluate(value, active);
  return each(active, [&](std::size_t t) {
    if (!named.ends_with("*")) return values_.cast(named, values[t]);
    if (values_.at(values[t]).kind != Kind::place) return values_.broken();
    const RowValueId zero = values_.number(0, "int");
    return values_.place(values_.pointer_cast(values[t], type), zero, named);
  });
}

// --- memory ---

RowValueId RowMachine::moved(RowValueId place, RowValueId by) {
  const RowValue value = values_.at(place);
  const RowValueId index = value.parts[1];
  if (values_.known(index) == 0) return values_.place(value.parts[0], by, value.type);
  const bool is_array = values_.at(value.parts[0]).kind == Kind::array;
  const auto wide = [&](RowValueId id) { return is_array ? id : values_.cast("long long", id); };
  return values_.place(value.parts[0], values_.operation("+", wide(index), wide(by)), value.type);
}

RowMachine::Lanes RowMachine::place_of(NodeId access, const Mask& active) {
  const NodeId at = tree().bare(access);
  if (tree().is(at, "subscript_expression")) {
    const Lanes pointers = evaluate(tree().field(at, "argument"), active);
    const auto indices = tree().children(tree().field(at, "indices"));
    if (indices.size() == 1) {
      const Lanes by = evaluate(indices.front(), active);
      return each(active, [&](std::size_t t) {
        return values_.at(pointers[t]).kind == Kind::place ? moved(pointers[t], by[t])
                                                           : values_.broken();
      });
    }
  }
  if (tree().is(at, "pointer_expression") && tree().operator_of(at) == "*") {
    return evaluate(tree().field(at, "argument"), active);
  }
  if (tree().is(at, "identifier")) return of_identifier(at);
  refuse("it is not known where '" + tree().plain_text(at) + "' points");
  return all(values_.broken());
}

RowMachine::Lanes RowMachine::of_pointer(NodeId expression, const Mask& active) {
  const NodeId argument = tree().field(expression, "argument");
  if (tree().operator_of(expression) == "*") return loaded(evaluate(argument, active), active);
  return place_of(argument, active);
}

/// Where in the array, counted from the element that was met first; nullopt: not known.
std::optional<RowValueId> RowMachine::element_of(const std::string& array, RowValueId index) {
  if (values_.at(index).has_term) {
    // The same number is another term in another loop.
    const std::string name = name_of(walk_.levels);
    if (staged_.emplace(array, name).first->second != name) return std::nullopt;
  }
  const RowValueId base = values_.known(index) ? values_.number(0, "int") : index;
  const auto known = state_.bases.emplace(array, base).first;
  const auto distance = values_.distance(known->second, index);
  if (!distance) return std::nullopt;
  return values_.number(*distance, "long long");
}

RowMachine::Lanes RowMachine::loaded(const Lanes& places, const Mask& active) {
  return each(active, [&](std::size_t t) {
    const RowValue place = values_.at(places[t]);
    if (place.kind != Kind::place) return values_.broken();
    const RowValue& base = values_.at(place.parts[0]);
    std::string type = place.type.substr(0, place.type.size() - (place.type.empty() ? 0 : 1));
    type = resolved(type);
    if (base.kind == Kind::array) {
      const auto element = element_of(base.text, place.parts[1]);
      if (!element) refuse("it is not known which element of an array is read");
      const auto found = element ? state_.memory.find({base.text, *element}) : state_.memory.end();
      if (found == state_.memory.end()) return values_.broken();
      return found->second[base.number == 0 ? t : 0];
    }
    const std::string root = root_of(values_, place.parts[0]);
    if (root.empty()) return values_.broken();
    const auto found = state_.memory.find(key_of(place.parts[0], place.parts[1]));
    if (found != state_.memory.end()) {
      if (!is_under_guards()) refuse("its launches leave out different rows");
      return under_path(found->second[0]);
    }
    return values_.load(root, place.parts[0], place.parts[1], type);
  });
}

/// What launches in front of this one have stored is there only where they had work.
bool RowMachine::is_under_guards() const {
  return std::all_of(guards_before_.begin(), guards_before_.end(), [&](const auto& guards) {
    return guards.size() <= path_.size() && std::equal(guards.begin(), guards.end(), path_.begin());
  });
}

/// The branch of a choice whose condition holds here.
RowValueId RowMachine::under_path(RowValueId id) {
  while (values_.at(id).kind == Kind::choice) {
    const RowValue value = values_.at(id);
    if (contains(path_, value.parts[0])) {
      id = value.parts[1];
    } else if (contains(path_, values_.applied("!", value.parts[0]))) {
      id = value.parts[2];
    } else {
      break;
    }
  }
  return id;
}

/// Elements of one type in one buffer; those of a pointer to another type stand apart.
std::string RowMachine::memory_of(RowValueId base) const {
  const std::string buffer = "&" + buffer_(root_of(values_, base)) + "@";
  const bool is_cast = values_.at(base).kind == Kind::pointer_cast;
  return is_cast ? buffer + "#" + std::to_string(base) : buffer;
}

/// What the number of a term means.
std::string RowMachine::name_of(const std::vector<TermLevel>& levels) {
  std::string name = "/";
  for (const TermLevel& level : levels) {
    name += std::to_string(level.start) + "+" + std::to_string(level.step);
    name += (level.is_inclusive ? "=" : "<") + std::to_string(level.bound) + ";";
  }
  return name;
}

/// Kernels give the number of a block different types; all of them hold it.
std::pair<std::string, RowValueId> RowMachine::key_of(RowValueId base, RowValueId index) const {
  if (values_.at(index).has_term) return {memory_of(base) + name_of(walk_.levels), index};
  RowValueId id = index;
  while (values_.at(id).kind == Kind::cast && size_of_type(values_.at(id).type) >= 4 &&
         is_whole_type(values_.at(id).type)) {
    id = values_.at(id).parts[0];
  }
  return {memory_of(base), values_.at(id).kind == Kind::index ? id : index};
}

/// Places that loops over other terms have written may be overwritten; those of the loop that this
/// one continues are not.
void RowMachine::forget_other_walks(RowValueId base, const std::string& own) {
  const std::string buffer = "&" + buffer_(root_of(values_, base)) + "@";
  const bool continues = stretch_ && steps_continued(*stretch_);
  const std::string continued = continues ? name_of({stretch_->level}) : "";
  std::erase_if(state_.memory, [&](const auto& kept) {
    const std::string& name = kept.first.first;
    const auto walk = name.find('/');
    if (!name.starts_with(buffer) || walk == std::string::npos || name == own) return false;
    return name.substr(walk) != continued;
  });
}

void RowMachine::store(const Lanes& places, const Lanes& values, const Mask& active) {
  if (failed()) return;
  const std::size_t lead = first(active);
  for (std::size_t t = 0; t < lanes_; ++t) {
    if (!active[t]) continue;
    const RowValue place = values_.at(places[t]);
    if (place.kind != Kind::place) return refuse("it is not known where it stores");
    const RowValue base = values_.at(place.parts[0]);
    if (base.kind != Kind::array) {
      if (places[t] != places[lead] || values[t] != values[lead]) {
        return refuse("threads of a row store different values outside of loops over terms");
      }
      if (t == lead) store_outside(place, values[t]);
      continue;
    }
    const auto element = element_of(base.text, place.parts[1]);
    if (!element) return refuse("it is not known which element of an array is written");
    const bool is_own = walk_.own_arrays.contains(base.text) || values_.at(place.parts[1]).has_term;
    if (walk_.depth > 0 && !is_own) return refuse("a loop over terms keeps results in an array");
    if (walk_.depth > 0 && values_.at(values[t]).has_carried) {
      return refuse("it keeps what a loop has found so far");
    }
    if (values_.at(place.parts[1]).has_term && !keeps_terms_apart(place.parts[1], *element)) {
      return refuse("several terms are kept in one element of an array");
    }
    const std::size_t count = base.number == 0 ? lanes_ : 1;
    auto& memory = state_.memory;
    Lanes& kept =
        memory.try_emplace({base.text, *element}, Lanes(count, values_.broken())).first->second;
    const RowValueId value = values_.cast(base.type, values[t]);
    if (base.number == 0) {
      kept[t] = value;
    } else {
      kept[0] = value;
    }
  }
}

/// Whether no other term has that element.
bool RowMachine::keeps_terms_apart(RowValueId index, RowValueId element) const {
  if (walk_.levels.size() != 1) return false;
  const auto step = values_.step(index, 0);
  return step && *step != 0 && std::abs(*values_.known(element)) < std::abs(*step);
}

void RowMachine::store_outside(const RowValue& place, RowValueId value) {
  RowStore one;
  one.root = root_of(values_, place.parts[0]);
  one.base = place.parts[0];
  one.index = place.parts[1];
  one.type = resolved(place.type.substr(0, place.type.size() - 1));
  one.value = values_.cast(one.type, value);
  if (one.root.empty()) return refuse("it is not known where it stores");
  for (const RowValueId id : {one.index, one.value}) {
    if (values_.at(id).is_spoiled || values_.at(id).kind == Kind::unset) {
      return refuse("it stores what only some threads of a row have found");
    }
    if (values_.at(id).has_carried) return refuse("it stores what a loop has found so far");
  }
  const std::size_t from = walk_.depth > 0 ? path_.size() - conditions_in_walk() : 0;
  one.conditions.assign(path_.begin() + static_cast<std::ptrdiff_t>(from), path_.end());
  for (const RowValueId condition : one.conditions) {
    if (values_.at(condition).has_carried || values_.at(condition).is_spoiled) {
      return refuse("whether it stores depends on what only some threads have found");
    }
  }
  auto& list = walk_.depth > 0 ? found_.stores : found_.finals;
  if (walk_.depth > 0 && !values_.at(one.index).has_term) {
    return refuse("terms are stored at one place");
  }
  if (walk_.depth > 0) ++walk_.stores;
  one.walk = walks_;
  if (walk_.depth > 0) one.terms = name_of(walk_.levels);
  if (one.conditions.empty()) {
    std::erase_if(list, [&](const RowStore& other) {
      return other.base == one.base && other.index == one.index && other.terms == one.terms;
    });
  }
  const auto key = key_of(one.base, one.index);
  if (walk_.depth > 0 && !state_.memory.contains(key)) forget_other_walks(one.base, key.first);
  state_.memory[key] = Lanes(1, one.value);
  list.push_back(std::move(one));
}

std::size_t RowMachine::conditions_in_walk() const { return path_.size() - walk_.path; }

}  // namespace warpmind::agents::builtin
