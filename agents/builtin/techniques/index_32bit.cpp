#include "agents/builtin/pointwise/pure_code.h"
#include "agents/builtin/probe/kernel_prober.h"
#include "agents/builtin/techniques/all_techniques.h"
#include "base/sequence.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace warpmind::agents::builtin {
namespace {

bool is_wide(std::string_view type) {
  static const std::set<std::string_view> wide_types{
      "long long",     "long long int",  "unsigned long long",
      "long",          "unsigned long",  "int64_t",
      "uint64_t",      "size_t",         "std::int64_t",
      "std::uint64_t", "std::size_t",    "ptrdiff_t",
      "ssize_t",       "std::ptrdiff_t", "long int"};
  return wide_types.contains(type);
}

bool is_unsigned(std::string_view type) {
  return type.find("unsigned") != type.npos || type.find("size_t") == 0 ||
         type.find("uint") != type.npos || type == "std::size_t";
}

/// What is narrowed in one kernel.
struct Narrowed {
  const Function* function = nullptr;
  std::vector<NodeId> types;                 ///< in the body
  std::map<std::string, std::int64_t> most;  ///< largest value of each integer parameter
  bool divides = false;
};

class IndexNarrowing {
 public:
  IndexNarrowing(const Scene& scene, const Function& function)
      : scene_(scene), tree_(scene.tree()) {
    found_.function = &function;
  }

  std::optional<Narrowed> narrow(std::string& refusal) {
    refusal_ = reason_not_to_edit(scene_.source(), *found_.function);
    if (refusal_.empty() && read_launches() && read_types() && check_values()) return found_;
    refusal = refusal_;
    return std::nullopt;
  }

 private:
  bool fail_with(const std::string& why) {
    refusal_ = why + " in '" + found_.function->name + "'";
    return false;
  }

  bool read_launches() {
    for (const auto& launch : scene_.launches()) {
      if (scene_.function_of(launch.index) != found_.function) continue;
      launches_.push_back(&launch);
      for (const auto& [name, value] : launch.scalars) {
        if (value < 0) return fail_with("a negative size");
        auto& most = found_.most[name];
        most = std::max(most, value);
      }
    }
    if (scene_.source().device_function("wm_" + found_.function->name + "_narrow") != nullptr) {
      return fail_with("the indices are 32-bit already");
    }
    return !launches_.empty() || fail_with("no launch");
  }

  /// Types of variables and casts that only indices have.
  bool read_types() {
    for (const auto& parameter : found_.function->parameters) {
      if (parameter.is_pointer || !is_wide(parameter.base_type)) continue;
      if (!found_.most.contains(parameter.name)) return fail_with("a size that is not known");
      has_unsigned_ |= is_unsigned(parameter.base_type);
      is_any_ = true;
    }
    for (const NodeId type : tree_.descendants(found_.function->body)) {
      if (tree_.node(type).field != "type" || !is_wide(tree_.plain_text(type))) continue;
      // "(size_t)x" has the type in a descriptor, which is the cast's own field of that name.
      if (tree_.is(type, "type_descriptor")) continue;
      const NodeId holder = tree_.node(type).parent;
      if (tree_.is(holder, "declaration")) {
        if (!is_index(holder)) return fail_with("'" + variable_ + "' is no index");
      } else if (tree_.field(holder, "declarator") != kNoNode || !converts_number(holder)) {
        continue;
      }
      has_unsigned_ |= is_unsigned(tree_.plain_text(type));
      found_.types.push_back(type);
      is_any_ = true;
    }
    if (!is_any_) return fail_with("no 64-bit index");
    for (const NodeId node : tree_.descendants(found_.function->body, "binary_expression")) {
      const auto sign = tree_.operator_of(node);
      if (has_unsigned_ && sign == "-" && value_is_integer(node)) {
        return fail_with("an unsigned difference");
      }
      found_.divides |= sign == "/" || sign == "%";
    }
    return true;
  }

  /// Whether the type that `descriptor` holds is that of a number to be computed with: not of an
  /// address as a number, and not one whose size is asked for.
  [[nodiscard]] bool converts_number(NodeId descriptor) const {
    NodeId user = tree_.node(descriptor).parent;
    if (tree_.is(user, "sizeof_expression") || tree_.is(user, "alignof_expression")) return false;
    NodeId value = tree_.field(user, "value");
    if (tree_.is(user, "template_argument_list")) {
      const NodeId call = tree_.node(tree_.node(user).parent).parent;
      if (tree_.is(call, "call_expression")) value = tree_.field(call, "arguments");
    }
    return value == kNoNode || !is_address(value);
  }

  [[nodiscard]] bool is_pointer(std::string_view name) const {
    const Parameter* parameter = found_.function->parameter(name);
    if (parameter != nullptr) return parameter->is_pointer;
    const auto locals = tree_.descendants(found_.function->body, "pointer_declarator");
    return std::any_of(locals.begin(), locals.end(),
                       [&](NodeId local) { return tree_.text(tree_.declared(local)) == name; });
  }

  /// Whether `value` is made of a pointer that it does not look into.
  [[nodiscard]] bool is_address(NodeId value) const {
    if (tree_.operator_of(tree_.bare(value)) == "&" &&
        tree_.is(tree_.bare(value), "pointer_expression")) {
      return true;
    }
    const auto uses = tree_.descendants(value, "identifier");
    return std::any_of(uses.begin(), uses.end(), [&](NodeId use) {
      return is_pointer(tree_.text(use)) &&
             tree_.ancestor(use, "subscript_expression", value) == kNoNode;
    });
  }

  /// Variables that start with a known number and change in the update of their loop only.
  bool is_index(NodeId declaration) {
    for (const NodeId part : tree_.all_children(declaration)) {
      if (tree_.node(part).field != "declarator") continue;
      variable_ = tree_.text(tree_.declared(part));
      const NodeId value = tree_.field(part, "value");
      if (!tree_.is(part, "init_declarator") || !stays_narrow(value)) return false;
      const NodeId loop = tree_.node(declaration).parent;
      const bool is_counter = tree_.is(loop, "for_statement");
      if (is_counter && writes_variable(tree_, tree_.field(loop, "body"), variable_)) return false;
      if (is_counter && !stays_below(loop)) return false;
      if (!is_counter && writes_variable(tree_, found_.function->body, variable_)) return false;
    }
    return true;
  }

  /// The last value that a counter takes is one step above its bound at most.
  bool stays_below(NodeId loop) {
    const NodeId condition = tree_.bare(tree_.field(loop, "condition"));
    const NodeId update = tree_.bare(tree_.field(loop, "update"));
    const auto sign = tree_.operator_of(condition);
    if (sign != "<" && sign != "<=") return false;
    const NodeId bound = tree_.field(condition, "right");
    const NodeId step =
        tree_.is(update, "assignment_expression") ? tree_.field(update, "right") : kNoNode;
    if (step != kNoNode && tree_.operator_of(update) != "+=") return false;
    return std::all_of(launches_.begin(), launches_.end(), [&](const SceneLaunch* launch) {
      const KernelProber prober(scene_.source(), *found_.function, *launch);
      const auto last = largest_value(prober, bound);
      const auto more =
          step == kNoNode ? std::optional<std::int64_t>(1) : largest_value(prober, step);
      return last && more && *last + *more < kLimit;
    });
  }

  [[nodiscard]] bool value_is_integer(NodeId node) const {
    const KernelProber prober(scene_.source(), *found_.function, *launches_.front());
    return largest_value(prober, node).has_value();
  }

  [[nodiscard]] bool stays_narrow(NodeId node) const {
    return std::all_of(launches_.begin(), launches_.end(), [&](const SceneLaunch* launch) {
      const KernelProber prober(scene_.source(), *found_.function, *launch);
      const auto most = largest_value(prober, node);
      return most && *most<kLimit&& * most> - kLimit;
    });
  }

  /// Whether something below had 64 bits.
  [[nodiscard]] bool is_narrowed(NodeId node) const {
    for (const NodeId use : tree_.descendants(node)) {
      if (contains(found_.types, use)) return true;
      if (!tree_.is(use, "identifier")) continue;
      const Parameter* parameter = found_.function->parameter(tree_.text(use));
      if (parameter != nullptr && !parameter->is_pointer && is_wide(parameter->base_type))
        return true;
      for (const NodeId type : found_.types) {
        const NodeId holder = tree_.node(type).parent;
        if (tree_.is(holder, "declaration") && declares(tree_, holder, tree_.text(use)))
          return true;
      }
    }
    return false;
  }

  /// Every sum and product that was computed in 64 bits fits into 31.
  bool check_values() {
    for (const NodeId node : tree_.descendants(found_.function->body, "binary_expression")) {
      const auto sign = tree_.operator_of(node);
      static const std::set<std::string_view> growing{"+", "-", "*", "<<"};
      if (!growing.contains(sign) || !is_narrowed(node) || stays_narrow(node)) continue;
      // Of floats: what they are computed from is looked at by itself.
      if (!value_is_integer(node) && !is_for_index(node)) continue;
      return fail_with("'" + std::string(tree_.text(node)) + "' may need more than 31 bits");
    }
    return true;
  }

  /// Whether it goes into an index or an integer variable.
  [[nodiscard]] bool is_for_index(NodeId node) const {
    const NodeId body = found_.function->body;
    if (tree_.ancestor(node, "subscript_argument_list", body) != kNoNode) return true;
    const NodeId declaration = tree_.ancestor(node, "declaration", body);
    const auto type = tree_.plain_text(tree_.field(declaration, "type"));
    static const std::set<std::string_view> floating{"float", "double",        "__half",
                                                     "half",  "__nv_bfloat16", "auto"};
    return declaration != kNoNode && !floating.contains(type);
  }

  static constexpr std::int64_t kLimit = std::numeric_limits<std::int32_t>::max();

  const Scene& scene_;
  const SyntaxTree& tree_;
  Narrowed found_;
  std::vector<const SceneLaunch*> launches_;
  std::string variable_;
  bool has_unsigned_ = false;
  bool is_any_ = false;
  std::string refusal_;
};

std::vector<Narrowed> narrowed_kernels(const Scene& scene, std::string& refusal) {
  std::vector<Narrowed> all;
  std::set<const Function*> seen;
  for (std::size_t i = 0; i < scene.plan().launches.size(); ++i) {
    const Function* function = scene.function_of(i);
    if (function == nullptr || !seen.insert(function).second) continue;
    std::string why;
    if (auto one = IndexNarrowing(scene, *function).narrow(why)) {
      all.push_back(std::move(*one));
    } else if (refusal.empty()) {
      refusal = why;
    }
  }
  if (all.empty() && refusal.empty()) refusal = "no launched kernel is defined exactly once";
  return all;
}

/// Two copies of the body; the narrow one runs for all sizes up to those that were looked at.
std::vector<TextEdit> narrowing_edits(const Scene& scene, const Narrowed& one) {
  const SyntaxTree& tree = scene.tree();
  const Function& function = *one.function;
  const std::string body(tree.text(function.body));
  const std::string list(tree.text(function.parameter_list));
  std::vector<TextEdit> edits;
  for (const NodeId type : one.types) edits.push_back({tree.node(type).range, "int"});
  std::string condition;
  std::string wide;
  std::string narrow;
  for (const auto& parameter : function.parameters) {
    const bool is_size = !parameter.is_pointer && is_wide(parameter.base_type);
    if (is_size) edits.push_back({tree.node(tree.field(parameter.node, "type")).range, "int"});
    wide += (wide.empty() ? "" : ", ") + parameter.name;
    narrow += (narrow.empty() ? "" : ", ") +
              (is_size ? "static_cast<int>(" + parameter.name + ")" : parameter.name);
    const auto most = one.most.find(parameter.name);
    if (parameter.is_pointer || most == one.most.end() || parameter.base_type == "bool") continue;
    const bool is_signed = !is_unsigned(parameter.base_type);
    condition += (condition.empty() ? "" : " && ") +
                 (is_signed ? parameter.name + " >= 0 && " : std::string()) + parameter.name +
                 " <= " + std::to_string(most->second) + (is_size ? "LL" : "");
  }
  const std::string copy = "wm_" + function.name + "_narrow";
  const std::string whole = "wm_" + function.name + "_wide";
  NodeId definition = function.node;
  if (tree.is(tree.node(definition).parent, "linkage_specification")) {
    definition = tree.node(definition).parent;
  }
  const std::size_t at = tree.node(definition).range.begin;
  const std::string text =
      "__device__ __forceinline__ void " + whole + list + " " + body +
      "\n\n__device__ __forceinline__ void " + copy +
      edited_part(tree.source(), tree.node(function.parameter_list).range, edits) + " " +
      edited_part(tree.source(), tree.node(function.body).range, edits) + "\n\n";
  return {{{at, at}, text},
          {tree.node(function.body).range,
           "{\n  if (" + (condition.empty() ? "true" : condition) + ") {\n    " + copy + "(" +
               narrow + ");\n  } else {\n    " + whole + "(" + wide + ");\n  }\n}"}};
}

std::optional<Kernel> apply_index_32bit(const Scene& scene, std::string_view parameters) {
  if (parameters != "type=int") return std::nullopt;
  std::string refusal;
  std::vector<TextEdit> edits;
  for (const auto& one : narrowed_kernels(scene, refusal)) {
    const auto own = narrowing_edits(scene, one);
    edits.insert(edits.end(), own.begin(), own.end());
  }
  if (edits.empty()) return std::nullopt;
  return with_edits(scene, std::move(edits));
}

Offer offer_index_32bit(const Scene& scene) {
  if (scene.plan().launches.empty()) return Offer::refuse(kNoLaunch);
  std::string refusal;
  const auto all = narrowed_kernels(scene, refusal);
  if (all.empty()) return Offer::refuse(refusal);
  const bool divides =
      std::any_of(all.begin(), all.end(), [](const auto& one) { return one.divides; });
  return {{{"index_32bit", "type=int", divides ? 1.4 : 1.05}}, {}};
}

}  // namespace

Technique index_32bit_technique() {
  return {"index_32bit",
          "64-bit products and divisions take several instructions each; indices that fit into 31 "
          "bits do not need them",
          "type=int", offer_index_32bit, apply_index_32bit};
}

}  // namespace warpmind::agents::builtin
