#include "agents/builtin/contraction/uniform_expressions.h"
#include "agents/builtin/pointwise/pure_code.h"
#include "agents/builtin/probe/kernel_prober.h"
#include "agents/builtin/techniques/all_techniques.h"
#include "agents/builtin/templates/device_templates.h"

#include <algorithm>
#include <array>
#include <set>

namespace warpmind::agents::builtin {
namespace {

/// Up to this many shapes, shape_specialization makes constants of the divisors: that is faster.
constexpr std::size_t kFewShapes = 3;
constexpr std::size_t kMostDivisors = 4;

/// `a / n`, `a % n`, `a /= n` or `a %= n`.
struct DivisionSite {
  NodeId node = kNoNode;
  std::size_t divisor = 0;  ///< of UniformDivisions::divisors
};

struct UniformDivisions {
  const Function* function = nullptr;
  std::size_t launch = 0;             ///< of the plan: the only one that runs the function
  std::vector<std::string> divisors;  ///< in the language of plans
  std::vector<DivisionSite> sites;
  bool is_wide = false;  ///< one of them has 64 bits
};

class DivisionSearch {
 public:
  DivisionSearch(const Scene& scene, std::size_t launch)
      : scene_(scene), tree_(scene.tree()), launches_(scene.launches_of(launch)) {
    found_.function = scene.function_of(launch);
    found_.launch = launch;
  }

  std::optional<UniformDivisions> find_divisions(std::string& refusal) {
    refusal_ = check_function();
    if (refusal_.empty()) find_sites();
    if (refusal_.empty() && found_.sites.empty()) {
      refusal_ = "no integer division by a size in '" + found_.function->name + "'";
    }
    if (refusal_.empty() && !has_many_shapes()) {
      refusal_ = "'" + found_.function->name +
                 "' is timed with few shapes, which shape_specialization makes constants of";
    }
    refusal = refusal_;
    return refusal_.empty() ? std::optional(found_) : std::nullopt;
  }

 private:
  [[nodiscard]] std::string check_function() const {
    if (found_.function == nullptr) return "no launched kernel is defined exactly once";
    const Function& function = *found_.function;
    if (auto why = reason_not_to_edit(scene_.source(), function); !why.empty()) return why;
    const auto& all = scene_.plan().launches;
    const auto runs = std::count_if(all.begin(), all.end(), [&](const Launch& launch) {
      return launch.kernel == function.name;
    });
    if (runs != 1) return "'" + function.name + "' is launched more than once";
    if (tree_.uses(tree_.root(), function.name).size() != 1) {
      return "'" + function.name + "' is named elsewhere in the file";
    }
    return launches_.empty() ? "no launch of '" + function.name + "'" : std::string();
  }

  [[nodiscard]] bool has_many_shapes() const {
    std::set<std::map<std::string, std::int64_t, std::less<>>> shapes;
    for (const auto& launch : launches_) {
      if (launch.timed) shapes.insert(launch.scalars);
    }
    return shapes.size() > kFewShapes;
  }

  void find_sites() {
    const UniformExpressions expressions(scene_, *found_.function, launches_);
    const NodeId body = found_.function->body;
    for (const NodeId node : tree_.descendants(body)) {
      if (!is_division(node) || tree_.ancestor(node, "lambda_expression", body) != kNoNode)
        continue;
      const auto text = expressions.closed_text(tree_.field(node, "right"));
      if (!text || !names_a_parameter(*text)) continue;
      const auto divisor = expressions.plan_text(*text);
      if (!divisor || !is_integer(node)) continue;
      const auto known = std::find(found_.divisors.begin(), found_.divisors.end(), *divisor);
      const auto index = static_cast<std::size_t>(known - found_.divisors.begin());
      if (known == found_.divisors.end()) {
        if (found_.divisors.size() == kMostDivisors) continue;
        found_.divisors.push_back(*divisor);
      }
      found_.sites.push_back({node, index});
    }
  }

  [[nodiscard]] bool is_division(NodeId node) const {
    const auto sign = tree_.operator_of(node);
    if (tree_.is(node, "binary_expression")) return sign == "/" || sign == "%";
    return tree_.is(node, "assignment_expression") && (sign == "/=" || sign == "%=") &&
           tree_.is(tree_.field(node, "left"), "identifier");
  }

  /// The size is not one that the compiler knows already.
  bool names_a_parameter(const std::string& text) {
    bool names = false;
    for (const auto& parameter : found_.function->parameters) {
      const auto at = text.find(parameter.name);
      if (parameter.is_pointer || at == std::string::npos) continue;
      names = true;
      found_.is_wide |= parameter.base_type.find("long") != std::string::npos ||
                        parameter.base_type.find("64") != std::string::npos;
    }
    return names;
  }

  /// Of floats, and of data, nothing is known.
  [[nodiscard]] bool is_integer(NodeId node) const {
    const KernelProber prober(scene_.source(), *found_.function, launches_.front());
    return largest_value(prober, tree_.field(node, "left")).has_value();
  }

  const Scene& scene_;
  const SyntaxTree& tree_;
  std::vector<SceneLaunch> launches_;
  UniformDivisions found_;
  std::string refusal_;
};

std::vector<UniformDivisions> all_divisions(const Scene& scene, std::string& refusal) {
  std::vector<UniformDivisions> all;
  refusal = scene.plan().launches.empty() ? kNoLaunch : "";
  for (std::size_t i = 0; i < scene.plan().launches.size(); ++i) {
    std::string why;
    if (auto one = DivisionSearch(scene, i).find_divisions(why)) {
      all.push_back(std::move(*one));
    } else if (refusal.empty()) {
      refusal = why;
    }
  }
  return all;
}

NodeId operator_node(const SyntaxTree& tree, NodeId node) {
  const auto sign = tree.operator_of(node);
  for (const NodeId child : tree.all_children(node)) {
    if (tree.text(child) == sign) return child;
  }
  return kNoNode;
}

/// Calls in place of the operators; operands stay where they are.
void edit_site(const SyntaxTree& tree, NodeId node, const std::string& reciprocal,
               std::vector<TextEdit>& edits) {
  const auto sign = tree.operator_of(node);
  const std::string call = sign.front() == '/' ? "wm_quotient(" : "wm_remainder(";
  const Range whole = tree.node(node).range;
  const Range symbol = tree.node(operator_node(tree, node)).range;
  if (sign.back() == '=') {
    const std::string name(tree.text(tree.field(node, "left")));
    edits.push_back({symbol, "= " + call + name + ","});
  } else {
    const std::size_t left = tree.node(tree.field(node, "left")).range.end;
    const auto between = std::string_view(tree.source()).substr(left, symbol.begin - left);
    const bool is_blank = between.find_first_not_of(" \t") == std::string_view::npos;
    edits.push_back({{whole.begin, whole.begin}, call});
    edits.push_back({{is_blank ? left : symbol.begin, symbol.end}, ","});
  }
  edits.push_back({{whole.end, whole.end}, ", " + reciprocal + ")"});
}

/// The divisor, and the two numbers that replace dividing by it: 2^s >= d, and
/// 2^32 (2^s - d) / d + 1. Larger divisors never match what the kernel compares with.
std::array<std::string, 3> reciprocal_arguments(const std::string& divisor) {
  const std::string d = "min(max(" + divisor + ", 1), 2147483647)";
  return {"u32:" + d, "u32:4294967296 * (next_pow2(" + d + ") - " + d + ") / " + d + " + 1",
          "u32:next_pow2(" + d + ")"};
}

void edit_divisions(const Scene& scene, const UniformDivisions& one, Kernel& edited,
                    std::vector<TextEdit>& edits) {
  const SyntaxTree& tree = scene.tree();
  const Function& function = *one.function;
  std::string parameters;
  std::string reciprocals;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < one.divisors.size(); ++i) {
    const std::string number = std::to_string(i);
    names.push_back(unused_name(tree, "wm_by_" + function.name + "_" + number));
    std::array<std::string, 3> parts{"wm_divisor_", "wm_factor_", "wm_power_"};
    for (auto& part : parts) {
      part.append(number);
      part = unused_name(tree, part);
      parameters += ", unsigned int " + part;
    }
    reciprocals += "\n  const wm_reciprocal " + names.back() + "{" + parts[0] + ", " + parts[1] +
                   ", " + parts[2] + "};";
    for (auto& argument : reciprocal_arguments(one.divisors[i])) {
      edited.plan.launches[one.launch].arguments.push_back(std::move(argument));
    }
  }
  const std::size_t list_end = tree.node(function.parameter_list).range.end - 1;
  const std::size_t body = tree.node(function.body).range.begin + 1;
  edits.push_back({{list_end, list_end}, parameters});
  edits.push_back({{body, body}, reciprocals});
  for (const auto& site : one.sites) edit_site(tree, site.node, names[site.divisor], edits);
}

bool plan_can_be_evaluated(const Scene& scene, const Kernel& kernel, std::size_t launch) {
  const auto& workloads = scene.context().task.workloads;
  const auto& arguments = kernel.plan.launches[launch].arguments;
  return std::all_of(workloads.begin(), workloads.end(), [&](const Workload& workload) {
    return std::all_of(arguments.begin(), arguments.end(), [&](const std::string& argument) {
      return !is_scalar_argument(argument) ||
             evaluate_scalar_bytes(argument, kernel.plan, workload.sizes).has_value();
    });
  });
}

std::optional<Kernel> apply_fast_divmod(const Scene& scene, std::string_view parameters) {
  if (parameters != "width=32") return std::nullopt;
  std::string refusal;
  Kernel edited = scene.kernel();
  std::vector<TextEdit> edits;
  for (const auto& one : all_divisions(scene, refusal)) {
    edit_divisions(scene, one, edited, edits);
    if (!plan_can_be_evaluated(scene, edited, one.launch)) return std::nullopt;
  }
  if (edits.empty()) return std::nullopt;
  if (auto paste = paste_template(scene.tree(), "fast_divmod")) edits.push_back(std::move(*paste));
  edited.source = apply_edits(scene.tree().source(), std::move(edits));
  return edited;
}

Offer offer_fast_divmod(const Scene& scene) {
  std::string refusal;
  const auto all = all_divisions(scene, refusal);
  if (all.empty()) return Offer::refuse(refusal);
  double gain = 1;
  for (const auto& one : all) {
    const double of_kernel = one.is_wide ? 1.6 : one.sites.size() >= 3 ? 1.3 : 1.08;
    gain = std::max(gain, scene.plan_gain(one.launch, of_kernel));
  }
  return {{{"fast_divmod", "width=32", gain}}, {}};
}

}  // namespace

Technique fast_divmod_technique() {
  return {"fast_divmod",
          "divisions by sizes that differ from launch to launch become a multiplication and a "
          "shift with numbers that the host computes once",
          "width=32", offer_fast_divmod, apply_fast_divmod};
}

}  // namespace warpmind::agents::builtin
