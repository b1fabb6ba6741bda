#include "agents/builtin/forms/row_machine.h"
#include "base/sequence.h"

#include <algorithm>
#include <array>

namespace warpmind::agents::builtin {
namespace {

using Kind = RowValue::Kind;

constexpr std::size_t kDeepestCall = 6;

/// Of a call that is known by its name; empty: not known.
std::string type_of_call(std::string_view name, const std::string& argument) {
  constexpr std::array<std::string_view, 8> kToFloat{
      "__half2float",   "__bfloat162float", "__low2float", "__high2float",
      "__int_as_float", "__uint_as_float",  "__fdividef",  "__frcp_rn"};
  if (contains(kToFloat, name)) return "float";
  if (name.starts_with("__float2half2") || name == "__halves2half2") return "__half2";
  if (name.starts_with("__float2half")) return "__half";
  if (name.starts_with("__float2bfloat16") && !name.starts_with("__float2bfloat162")) {
    return "__nv_bfloat16";
  }
  if (name == "__half22float2") return "float2";
  constexpr std::array<std::string_view, 20> kFloats{
      "expf",  "logf",  "sqrtf",  "rsqrtf", "fabsf", "fmaxf", "fminf", "powf", "tanhf",  "__expf",
      "exp2f", "log2f", "log1pf", "expm1f", "erff",  "cosf",  "sinf",  "fmaf", "__logf", "__powf"};
  if (contains(kFloats, name)) return "float";
  constexpr std::array<std::string_view, 12> kSame{"exp", "log",  "sqrt", "rsqrt", "fabs", "max",
                                                   "min", "fmax", "fmin", "abs",   "pow",  "tanh"};
  if (contains(kSame, name)) return argument;
  return {};
}

/// "float" for `make_float4` of four parts; empty: it makes no such vector.
std::string element_of_vector(std::string_view name, std::size_t parts) {
  for (const std::string_view element : {"float", "double", "int"}) {
    if (name == "make_" + std::string(element) + std::to_string(parts) && parts > 1) {
      return std::string(element);
    }
  }
  return {};
}

std::string without_namespace(std::string name) {
  if (name.starts_with("std::")) name.erase(0, 5);
  if (name.starts_with("::")) name.erase(0, 2);
  return name;
}

}  // namespace

RowMachine::Lanes RowMachine::of_call(NodeId expression, const Mask& active) {
  const NodeId callee = tree().field(expression, "function");
  const auto arguments = tree().children(tree().field(expression, "arguments"));
  std::string name = tree().plain_text(callee);
  std::string shown = name;
  if (tree().is(callee, "template_function")) {
    name = tree().plain_text(tree().field(callee, "name"));
    const auto types = tree().children(tree().field(callee, "arguments"));
    if (name.ends_with("_cast") && types.size() == 1 && arguments.size() == 1) {
      return of_cast(tree().plain_text(types.front()), arguments.front(), active);
    }
  }
  if (arguments.size() == 1 &&
      (tree().is(callee, "primitive_type") || size_of_type(resolved(name)) > 0)) {
    return of_cast(name, arguments.front(), active);
  }
  name = without_namespace(std::move(name));
  const CallKind kind = kind_of_call(body().source(), name);
  if (kind == CallKind::barrier) return all(values_.broken());
  if (name.starts_with("__shfl")) return of_shuffle(name, arguments, active);
  if (name.starts_with("__reduce_")) return of_warp_sum(name, arguments, active);
  if (kind == CallKind::atomic) return of_atomic(name, arguments, active);
  if (name == "__ldg" && arguments.size() == 1) {
    return loaded(evaluate(arguments.front(), active), active);
  }
  if (kind == CallKind::pure) return of_pure_call(shown, name, arguments, active);
  const Function* function = program_.callee(name);
  if (function != nullptr) return of_function(*function, callee, arguments, active);
  refuse("it calls " + name);
  return all(values_.broken());
}

/// Of a function without side effects: its name stands for it, unless lanes meet in it.
RowMachine::Lanes RowMachine::of_pure_call(const std::string& shown, const std::string& name,
                                           const std::vector<NodeId>& arguments,
                                           const Mask& active) {
  std::vector<Lanes> given;
  given.reserve(arguments.size());
  for (const NodeId argument : arguments) given.push_back(evaluate(argument, active));
  if (failed()) return all(values_.broken());
  const Function* function = program_.callee(name);
  const auto how = function == nullptr ? combining_of_call(name) : std::nullopt;
  return each(active, [&](std::size_t t) {
    std::vector<RowValueId> parts;
    parts.reserve(given.size());
    for (const Lanes& one : given) parts.push_back(one[t]);
    if (const auto element = element_of_vector(name, parts.size()); !element.empty()) {
      for (RowValueId& part : parts) part = values_.cast(element, part);
      return values_.vector(name.substr(5), std::move(parts));
    }
    if (how && parts.size() == 2) {
      if (const auto found = combined_parts(*how, parts[0], parts[1])) return *found;
    }
    for (const RowValueId part : parts) {
      if (values_.at(part).kind != Kind::place) continue;
      const std::string root = root_of(values_, values_.at(part).parts[0]);
      if (root.empty()) return values_.broken();
      found_.read_by_functions.insert(root);
    }
    std::string type = parts.empty() ? "" : type_of_call(name, values_.at(parts[0]).type);
    if (function != nullptr) type = resolved(function->return_type);
    return values_.call(shown, std::move(parts), type);
  });
}

RowMachine::Lanes RowMachine::of_atomic(const std::string& name,
                                        const std::vector<NodeId>& arguments, const Mask& active) {
  std::string_view op;
  if (name == "atomicAdd") op = "+";
  const bool is_extreme = name == "atomicMax" || name == "atomicMin";
  if ((op.empty() && !is_extreme) || arguments.size() != 2 || walk_.depth > 0) {
    refuse("it calls " + name);
    return all(values_.broken());
  }
  const Lanes places = evaluate(arguments[0], active);
  const Lanes values = evaluate(arguments[1], active);
  for (std::size_t t = 0; t < lanes_; ++t) {
    if (!active[t] || failed()) continue;
    const RowValue place = values_.at(places[t]);
    if (place.kind != Kind::place || values_.at(place.parts[0]).kind != Kind::array) {
      refuse("it calls " + name);
      break;
    }
    Mask alone(lanes_, false);
    alone[t] = true;
    const Lanes now = loaded(places, alone);
    const auto how = name == "atomicMax" ? Combining::maximum : Combining::minimum;
    const auto both = is_extreme ? combined_parts(how, now[t], values[t])
                                 : std::optional(combined(op, now[t], values[t]));
    store(places, all(both.value_or(values_.broken())), alone);
  }
  return all(values_.broken());
}

RowMachine::Lanes RowMachine::of_shuffle(const std::string& name,
                                         const std::vector<NodeId>& arguments, const Mask& active) {
  const std::size_t first_value = name.ends_with("_sync") ? 1 : 0;
  if (arguments.size() < first_value + 2 || shape().lanes == 1) {
    refuse("it calls " + name);
    return all(values_.broken());
  }
  const Lanes values = evaluate(arguments[first_value], active);
  const Lanes by = evaluate(arguments[first_value + 1], active);
  const Lanes widths = arguments.size() > first_value + 2
                           ? evaluate(arguments[first_value + 2], active)
                           : all(values_.number(32, "int"));
  const std::int64_t lanes_of_warp = std::min<std::int64_t>(32, shape().lanes);
  return each(active, [&](std::size_t t) {
    const auto distance = values_.known(by[t]);
    const auto width = values_.known(widths[t]);
    if (!distance || !width || *width < 1) {
      refuse("it is not known which lane a shuffle reads");
      return values_.broken();
    }
    const auto lane = static_cast<std::int64_t>(t) % lanes_of_warp;
    const std::int64_t segment = lane / *width * *width;
    std::int64_t from = segment + *distance % *width;
    if (name.starts_with("__shfl_down")) from = lane + *distance;
    if (name.starts_with("__shfl_up")) from = lane - *distance;
    if (name.starts_with("__shfl_xor")) from = lane ^ *distance;
    if (from < segment || from >= segment + *width) from = lane;
    const auto other = t - static_cast<std::size_t>(lane) + static_cast<std::size_t>(from);
    const bool is_there = from < lanes_of_warp && other < lanes_ && active[other];
    return is_there ? values[other] : values_.broken();
  });
}

RowMachine::Lanes RowMachine::of_warp_sum(const std::string& name,
                                          const std::vector<NodeId>& arguments,
                                          const Mask& active) {
  auto how = Combining::sum;
  if (name.starts_with("__reduce_max")) how = Combining::maximum;
  if (name.starts_with("__reduce_min")) how = Combining::minimum;
  const bool is_known = how != Combining::sum || name.starts_with("__reduce_add");
  if (arguments.size() != 2 || !is_known || shape().lanes % 32 != 0) {
    refuse("it calls " + name);
    return all(values_.broken());
  }
  const Lanes values = evaluate(arguments[1], active);
  Lanes sums = all(values_.broken());
  for (std::size_t warp = 0; warp < lanes_; warp += 32) {
    std::optional<RowValueId> whole;
    for (std::size_t t = warp; t < warp + 32; ++t) {
      if (!active[t]) continue;
      whole = whole ? combined_parts(how, *whole, values[t]).value_or(values_.broken()) : values[t];
    }
    for (std::size_t t = warp; t < warp + 32; ++t) sums[t] = whole.value_or(values_.broken());
  }
  return sums;
}

/// Runs the function's statements.
RowMachine::Lanes RowMachine::of_function(const Function& function, NodeId callee,
                                          const std::vector<NodeId>& arguments,
                                          const Mask& active) {
  const auto stop = [&](const std::string& why) {
    refuse("'" + function.name + "' " + why);
    return all(values_.broken());
  };
  if (function.has_error || state_.frames.size() > kDeepestCall ||
      arguments.size() != function.parameters.size()) {
    return stop("is not understood");
  }
  if (walk_.depth > 0) return stop("is called in a loop over terms");
  Frame frame;
  frame.return_type = resolved(function.return_type);
  if (function.is_template && !bind_template(function, callee, frame)) {
    return stop("is a template of types");
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Parameter& parameter = function.parameters[i];
    if (parameter.type.find('&') != std::string::npos) return stop("takes references");
    const std::string type = resolved(parameter.type);
    Lanes values = evaluate(arguments[i], active);
    for (std::size_t t = 0; t < lanes_; ++t) {
      if (active[t] && !parameter.is_pointer) values[t] = values_.cast(type, values[t]);
    }
    frame.variables.push_back({parameter.name, type, std::move(values)});
  }
  if (failed()) return all(values_.broken());
  frame.returned = all(values_.broken());
  state_.frames.push_back(std::move(frame));
  Mask inside = active;
  execute(function.body, inside);
  if (failed()) return all(values_.broken());
  Lanes returned = std::move(state_.frames.back().returned);
  state_.frames.pop_back();
  return returned;
}

/// Numbers that a template is given: `block_sum<256>(…)`.
bool RowMachine::bind_template(const Function& function, NodeId callee, Frame& frame) {
  const NodeId around = tree().ancestor(function.node, "template_declaration");
  const auto list = tree().children(tree().field(around, "parameters"));
  if (!tree().is(callee, "template_function")) return false;
  const auto given = tree().children(tree().field(callee, "arguments"));
  if (around == kNoNode || given.size() != list.size()) return false;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!tree().is(list[i], "parameter_declaration")) return false;
    const std::string name(tree().text(tree().field(list[i], "declarator")));
    std::string number = tree().plain_text(given[i]);
    const Value constant = program_.constant(number);
    if (constant.known) number = std::to_string(constant.number);
    if (!literal_value(number).known) return false;
    frame.numbers.insert_or_assign(name, number);
  }
  return true;
}

}  // namespace warpmind::agents::builtin
