#include "agents/builtin/pointwise/pure_code.h"
#include "agents/builtin/techniques/all_techniques.h"

#include <algorithm>
#include <set>

namespace warpmind::agents::builtin {
namespace {

constexpr std::size_t kMostShapes = 3;

/// A function that gets a copy with constants.
struct Specialised {
  const Function* function = nullptr;
  std::vector<const Parameter*> chosen;
  std::vector<std::vector<std::int64_t>> shapes;  ///< values of `chosen`, the largest launch first
};

bool is_integer(const Parameter& parameter) {
  static const std::set<std::string_view> floating{"float",  "double",        "half",
                                                   "__half", "__nv_bfloat16", "nv_bfloat16"};
  return !parameter.is_pointer && parameter.type.find('&') == std::string::npos &&
         type_bytes(parameter.base_type) && !floating.contains(parameter.base_type);
}

/// A literal of the parameter's type.
std::string literal(const Parameter& parameter, std::int64_t value) {
  if (parameter.base_type == "bool") return value != 0 ? "true" : "false";
  const bool is_wide = type_bytes(parameter.base_type) == 8;
  return std::to_string(value) + (is_wide ? "LL" : "");
}

/// Whether it is a factor, a divisor or a modulus somewhere: a stride, not only a bound.
bool is_stride(const SyntaxTree& tree, const Function& function, const Parameter& parameter) {
  const auto uses = tree.uses(function.body, parameter.name);
  return std::any_of(uses.begin(), uses.end(), [&](NodeId use) {
    NodeId up = tree.node(use).parent;
    while (tree.is(up, "parenthesized_expression")) up = tree.node(up).parent;
    const auto sign = tree.operator_of(up);
    return tree.is(up, "binary_expression") && (sign == "*" || sign == "/" || sign == "%");
  });
}

std::string copy_name(const Function& function) { return "wm_" + function.name + "_body"; }

std::optional<Specialised> specialised(const Scene& scene, const Function& function,
                                       bool strides_only, std::string& refusal) {
  const SyntaxTree& tree = scene.tree();
  refusal = reason_not_to_edit(scene.source(), function);
  if (!refusal.empty()) return std::nullopt;
  if (scene.source().device_function(copy_name(function)) != nullptr) {
    refusal = "'" + function.name + "' has its constants already";
    return std::nullopt;
  }
  Specialised result{&function, {}, {}};
  for (const auto& parameter : function.parameters) {
    if (!is_integer(parameter) || writes_variable(tree, function.body, parameter.name)) continue;
    if (tree.uses(function.body, parameter.name).empty()) continue;
    if (strides_only && !is_stride(tree, function, parameter)) continue;
    result.chosen.push_back(&parameter);
  }
  if (result.chosen.empty()) {
    refusal = "'" + function.name + "' has no integer parameter that stays as it is";
    return std::nullopt;
  }
  for (const auto& launch : scene.launches()) {
    if (!launch.timed || scene.function_of(launch.index) != &function) continue;
    std::vector<std::int64_t> shape;
    for (const auto* parameter : result.chosen) {
      const auto value = launch.scalars.find(parameter->name);
      if (value != launch.scalars.end()) shape.push_back(value->second);
    }
    if (shape.size() != result.chosen.size()) continue;
    const auto known = std::find(result.shapes.begin(), result.shapes.end(), shape);
    if (known == result.shapes.end()) result.shapes.push_back(std::move(shape));
  }
  if (!result.shapes.empty() && result.shapes.size() <= kMostShapes) return result;
  refusal = result.shapes.empty() ? "no timed launch of '" + function.name + "' has known sizes"
                                  : "'" + function.name + "' is timed with more than three shapes";
  return std::nullopt;
}

std::vector<Specialised> all_specialised(const Scene& scene, bool strides_only,
                                         std::string& refusal) {
  std::vector<Specialised> all;
  std::set<const Function*> seen;
  for (std::size_t i = 0; i < scene.plan().launches.size(); ++i) {
    const Function* function = scene.function_of(i);
    if (function == nullptr || !seen.insert(function).second) continue;
    std::string why;
    if (auto one = specialised(scene, *function, strides_only, why)) {
      all.push_back(std::move(*one));
    } else if (refusal.empty()) {
      refusal = why;
    }
  }
  return all;
}

std::string call_of(const Specialised& one, const std::vector<std::int64_t>* shape) {
  std::string arguments;
  for (const auto& parameter : one.function->parameters) {
    std::string argument = parameter.name;
    for (std::size_t c = 0; shape != nullptr && c < one.chosen.size(); ++c) {
      if (one.chosen[c] == &parameter) argument = literal(parameter, (*shape)[c]);
    }
    arguments += (arguments.empty() ? "" : ", ") + argument;
  }
  return copy_name(*one.function) + "(" + arguments + ");\n";
}

std::string condition_of(const Specialised& one, const std::vector<std::int64_t>& shape) {
  std::string condition;
  for (std::size_t c = 0; c < one.chosen.size(); ++c) {
    condition += (condition.empty() ? "" : " && ") + one.chosen[c]->name +
                 " == " + literal(*one.chosen[c], shape[c]);
  }
  return condition;
}

/// With `assume` other sizes end the launch with an error: a wrong result would go unseen.
std::string dispatch(const Specialised& one, bool assume) {
  if (assume) {
    const auto& shape = one.shapes.front();
    return "{\n  // Made for these sizes alone.\n  if (!(" + condition_of(one, shape) +
           ")) __trap();\n  " + call_of(one, &shape) + "}";
  }
  std::string text = "{\n  ";
  for (const auto& shape : one.shapes) {
    text += "if (" + condition_of(one, shape) + ") {\n    " + call_of(one, &shape) + "  } else ";
  }
  return text + "{\n    " + call_of(one, nullptr) + "  }\n}";
}

std::vector<TextEdit> specialising_edits(const Scene& scene, const Specialised& one, bool assume) {
  const SyntaxTree& tree = scene.tree();
  const Function& function = *one.function;
  NodeId definition = function.node;
  if (tree.is(tree.node(definition).parent, "linkage_specification")) {
    definition = tree.node(definition).parent;
  }
  const std::size_t at = tree.node(definition).range.begin;
  const std::string copy = "__device__ __forceinline__ void " + copy_name(function) +
                           std::string(tree.text(function.parameter_list)) + " " +
                           std::string(tree.text(function.body)) + "\n\n";
  return {{{at, at}, copy}, {tree.node(function.body).range, dispatch(one, assume)}};
}

/// Everybody gets the same sizes: the general path is dead code.
bool has_one_shape(const Scene& scene, const std::vector<Specialised>& all) {
  return scene.context().task.workloads.size() == 1 &&
         std::all_of(all.begin(), all.end(),
                     [](const auto& one) { return one.shapes.size() == 1; });
}

struct SpecialisationChoice {
  bool strides_only = false;
  bool assume = false;
};

std::optional<SpecialisationChoice> choice_of(std::string_view parameters) {
  const auto which = parameter_text(parameters, "which");
  if (which != "all" && which != "strides_only") return std::nullopt;
  const bool assume = parameter_number(parameters, "assume") == 1;
  if (assume && which != "all") return std::nullopt;
  return SpecialisationChoice{which == "strides_only", assume};
}

std::optional<Kernel> apply_shape_specialization(const Scene& scene, std::string_view parameters) {
  const auto choice = choice_of(parameters);
  if (!choice) return std::nullopt;
  std::string refusal;
  const auto all = all_specialised(scene, choice->strides_only, refusal);
  if (all.empty() || (choice->assume && !has_one_shape(scene, all))) return std::nullopt;
  std::vector<TextEdit> edits;
  for (const auto& one : all) {
    auto own = specialising_edits(scene, one, choice->assume);
    edits.insert(edits.end(), own.begin(), own.end());
  }
  return with_edits(scene, std::move(edits));
}

bool mentions_chosen(const SyntaxTree& tree, NodeId node, const Specialised& one) {
  return std::any_of(one.chosen.begin(), one.chosen.end(), [&](const Parameter* parameter) {
    return !tree.uses(node, parameter->name).empty();
  });
}

/// Integer divisions by a chosen size: in an index or in what initialises an integer.
std::int64_t divisions(const SyntaxTree& tree, const Specialised& one) {
  std::int64_t count = 0;
  for (const NodeId node : tree.descendants(one.function->body, "binary_expression")) {
    const auto sign = tree.operator_of(node);
    if (sign != "/" && sign != "%") continue;
    if (!mentions_chosen(tree, tree.field(node, "right"), one)) continue;
    const NodeId declaration = tree.ancestor(node, "declaration", one.function->body);
    const auto type = tree.plain_text(tree.field(declaration, "type"));
    const bool is_index =
        tree.ancestor(node, "subscript_expression", one.function->body) != kNoNode;
    if (sign == "%" || is_index || (type_bytes(type) && type != "float" && type != "double")) {
      ++count;
    }
  }
  return count;
}

bool has_short_loop(const SyntaxTree& tree, const Specialised& one) {
  constexpr std::int64_t kShort = 16;
  for (const NodeId loop : tree.descendants(one.function->body, "for_statement")) {
    const NodeId condition = tree.field(loop, "condition");
    for (std::size_t c = 0; c < one.chosen.size(); ++c) {
      if (one.shapes.front()[c] > kShort || one.shapes.front()[c] < 2) continue;
      if (!tree.uses(condition, one.chosen[c]->name).empty()) return true;
    }
  }
  return false;
}

/// Measured on an H200: 2.7 for divisions by 64-bit sizes, 1.7 to 2.9 for windows with small
/// constant bounds, nothing for a plain contraction.
double specialisation_gain(const Scene& scene, const std::vector<Specialised>& all) {
  double time = 1;
  for (const auto& one : all) {
    const std::int64_t count = divisions(scene.tree(), one);
    double gain = count >= 3 ? 2.0 : count > 0 ? 1.3 : 1.01;
    if (has_short_loop(scene.tree(), one)) gain = std::max(gain, 2.0);
    for (std::size_t i = 0; i < scene.plan().launches.size(); ++i) {
      if (scene.function_of(i) != one.function) continue;
      const double share = scene.time_share(i);
      time += share / gain - share;
    }
  }
  return 1 / std::max(time, 0.2);
}

Offer offer_shape_specialization(const Scene& scene) {
  if (scene.plan().launches.empty()) return Offer::refuse(kNoLaunch);
  Offer offer;
  const auto all = all_specialised(scene, false, offer.refusal);
  if (all.empty()) {
    if (offer.refusal.empty()) offer.refusal = "no launched kernel is defined exactly once";
    return offer;
  }
  offer.refusal.clear();
  const double gain = specialisation_gain(scene, all);
  const auto add = [&](const char* parameters, double factor) {
    offer.moves.push_back({"shape_specialization", parameters, factor});
  };
  add("which=all", gain);
  if (has_one_shape(scene, all)) add("which=all;assume=1", gain * 1.01);
  std::string unused;
  const auto strides = all_specialised(scene, true, unused);
  const auto chosen = [](const std::vector<Specialised>& list) {
    std::size_t count = 0;
    for (const auto& one : list) count += one.chosen.size();
    return count;
  };
  if (!strides.empty() && chosen(strides) < chosen(all)) {
    add("which=strides_only", specialisation_gain(scene, strides) * 0.99);
  }
  return offer;
}

}  // namespace

Technique shape_specialization_technique() {
  return {"shape_specialization",
          "with its sizes as constants the compiler turns divisions into multiplications and "
          "unrolls short loops",
          "which=all or strides_only, the sizes that are factors or divisors; which=all;assume=1 "
          "leaves the general path out where the task has one workload: other sizes end with an "
          "error",
          offer_shape_specialization, apply_shape_specialization};
}

}  // namespace warpmind::agents::builtin
