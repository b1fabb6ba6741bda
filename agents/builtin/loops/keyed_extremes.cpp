#include "agents/builtin/loops/keyed_extremes.h"

#include "agents/builtin/loops/lane_edits.h"
#include "agents/builtin/loops/scene_loops.h"
#include "agents/builtin/loops/strided_loop.h"
#include "agents/builtin/loops/taken_in.h"
#include "agents/builtin/probe/kernel_prober.h"
#include "agents/builtin/templates/device_templates.h"

#include <algorithm>
#include <limits>

namespace warpmind::agents::builtin {
namespace {

struct KeyedExtreme {
  NodeId loop = kNoNode;
  NodeId choice = kNoNode;  ///< the if_statement
  NodeId value = kNoNode;
  const Local* best = nullptr;
  const Local* place = nullptr;
  bool is_greatest = true;
};

const Local* local_named(const KernelBody& body, NodeId expression) {
  const NodeId at = body.tree().bare(expression);
  return body.tree().is(at, "identifier") ? body.local_of(at) : nullptr;
}

/// `name = value;` alone.
NodeId assignment_of(const SyntaxTree& tree, NodeId statement) {
  const auto parts = tree.children(statement);
  if (!tree.is(statement, "expression_statement") || parts.size() != 1) return kNoNode;
  const bool plain =
      tree.is(parts[0], "assignment_expression") && tree.operator_of(parts[0]) == "=";
  return plain ? parts[0] : kNoNode;
}

/// `v > best`, `best < v`: whether the greatest is kept. nullopt: neither.
std::optional<bool> keeps_greatest(const KernelBody& body, NodeId comparison,
                                   const KeyedExtreme& found) {
  const SyntaxTree& tree = body.tree();
  const NodeId at = tree.bare(comparison);
  if (!tree.is(at, "binary_expression")) return std::nullopt;
  const auto op = tree.operator_of(at);
  if (op != "<" && op != ">") return std::nullopt;
  const NodeId left = tree.field(at, "left");
  const NodeId right = tree.field(at, "right");
  const auto is_value = [&](NodeId node) {
    return tree.plain_text(tree.bare(node)) == tree.plain_text(tree.bare(found.value));
  };
  if (is_value(left) && local_named(body, right) == found.best) return op == ">";
  if (is_value(right) && local_named(body, left) == found.best) return op == "<";
  return std::nullopt;
}

/// `v == best && i < at`.
bool is_tie_rule(const KernelBody& body, NodeId condition, const KeyedExtreme& found,
                 const Local& number) {
  const SyntaxTree& tree = body.tree();
  const NodeId both = tree.bare(condition);
  if (!tree.is(both, "binary_expression") || tree.operator_of(both) != "&&") return false;
  const NodeId equal = tree.bare(tree.field(both, "left"));
  const NodeId less = tree.bare(tree.field(both, "right"));
  if (!tree.is(equal, "binary_expression") || !tree.is(less, "binary_expression")) return false;
  if (tree.operator_of(equal) != "==" || tree.operator_of(less) != "<") return false;
  const auto value = tree.plain_text(tree.bare(found.value));
  const NodeId left = tree.field(equal, "left");
  const NodeId right = tree.field(equal, "right");
  const bool same =
      (tree.plain_text(tree.bare(left)) == value && local_named(body, right) == found.best) ||
      (tree.plain_text(tree.bare(right)) == value && local_named(body, left) == found.best);
  return same && local_named(body, tree.field(less, "left")) == &number &&
         local_named(body, tree.field(less, "right")) == found.place;
}

bool read_assignments(const KernelBody& body, NodeId choice, const Local& number,
                      KeyedExtreme& found) {
  const SyntaxTree& tree = body.tree();
  const auto statements = tree.children(tree.field(choice, "consequence"));
  if (tree.field(choice, "alternative") != kNoNode || statements.size() != 2) return false;
  for (const NodeId statement : statements) {
    const NodeId assignment = assignment_of(tree, statement);
    if (assignment == kNoNode) return false;
    const Local* target = local_named(body, tree.field(assignment, "left"));
    const NodeId value = tree.field(assignment, "right");
    if (local_named(body, value) == &number) {
      found.place = target;
    } else {
      found.best = target;
      found.value = value;
    }
  }
  return found.place != nullptr && found.best != nullptr && found.place != found.best;
}

/// Whether the value is compared as a float, as keys do it.
bool is_float(const KernelBody& body, NodeId value) {
  const SyntaxTree& tree = body.tree();
  const NodeId at = tree.bare(value);
  if (const Local* local = local_named(body, at)) return local->type == "float";
  if (tree.is(at, "subscript_expression")) {
    return body.element_type(tree.field(at, "argument")) == "float";
  }
  if (!tree.is(at, "call_expression")) return false;
  const auto name = tree.plain_text(tree.field(at, "function"));
  return name == "__half2float" || name == "__bfloat162float" || name == "fabsf";
}

/// What both hold before the loop, and that nothing else in it looks at them.
bool starts_before(const KernelBody& body, const KeyedExtreme& found, const CountedLoop& loop) {
  const SyntaxTree& tree = body.tree();
  if (found.best->type != "float" || !is_integer_type(found.place->type)) return false;
  if (!is_float(body, found.value)) return false;
  if (size_of_type(found.place->type) < 4 || found.place->value == kNoNode) return false;
  NodeId start = tree.bare(found.place->value);
  const bool minus = tree.is(start, "unary_expression") && tree.operator_of(start) == "-";
  if (minus) start = tree.bare(tree.field(start, "argument"));
  const auto number = integer_literal(tree, start);
  const auto first = integer_literal(tree, loop.start);
  const std::int64_t place = number ? (minus ? -*number : *number) : -2;
  if (!first || place < -1 || place > *first || found.best->value == kNoNode) return false;
  for (const Local* local : {found.best, found.place}) {
    if (local->is_array || local->is_pointer || local->is_reference || local->is_shared) {
      return false;
    }
    if (body.declared_in(*local, loop.node)) return false;
    if (body.uses_of(*local, loop.node).size() != body.uses_of(*local, found.choice).size()) {
      return false;
    }
    for (const auto& write : body.writes()) {
      if (write.local != local) continue;
      if (write.is_address || (write.node < loop.node)) return false;
    }
  }
  return body.uses_of(*found.best, found.value).empty() &&
         body.uses_of(*found.place, found.value).empty();
}

bool is_short_enough(const Scene& scene, const Function& function, NodeId loop) {
  for (const SceneLaunch* launch : scene.launches_of(function)) {
    const KernelProber prober(scene.source(), function, *launch);
    const auto trips = prober.trips(loop, prober.position(0));
    if (!trips || *trips > std::numeric_limits<std::int32_t>::max() - 2) return false;
  }
  return true;
}

std::optional<KeyedExtreme> keyed_extreme(const Scene& scene, const KernelBody& body,
                                          NodeId choice) {
  const SyntaxTree& tree = body.tree();
  KeyedExtreme found;
  found.choice = choice;
  found.loop = tree.ancestor(choice, "for_statement", body.function().body);
  if (found.loop == kNoNode) return std::nullopt;
  const auto loop = counted_loop(body, found.loop);
  if (!loop || loop->step != kNoNode) return std::nullopt;
  if (!tree.is(tree.node(found.loop).parent, "compound_statement")) return std::nullopt;
  if (!read_assignments(body, choice, *loop->variable, found)) return std::nullopt;
  NodeId condition = tree.bare(tree.field(choice, "condition"));
  if (tree.is(condition, "binary_expression") && tree.operator_of(condition) == "||") {
    if (!is_tie_rule(body, tree.field(condition, "right"), found, *loop->variable)) {
      return std::nullopt;
    }
    condition = tree.field(condition, "left");
  }
  const auto greatest = keeps_greatest(body, condition, found);
  if (!greatest || !starts_before(body, found, *loop)) return std::nullopt;
  found.is_greatest = *greatest;
  if (!is_short_enough(scene, body.function(), found.loop)) return std::nullopt;
  return found;
}

void add_edits(const KernelBody& body, const KeyedExtreme& found, std::size_t number,
               std::vector<TextEdit>& edits) {
  const SyntaxTree& tree = body.tree();
  const std::string key = "wm_key_" + std::to_string(number);
  const std::string kind = found.is_greatest ? "greater" : "smaller";
  const CountedLoop loop = *counted_loop(body, found.loop);
  const std::size_t begin = begin_with_pragma(tree, found.loop);
  const std::size_t end = tree.node(found.loop).range.end;
  const std::string indent = indentation(tree, begin);
  edits.push_back({{begin, begin},
                   joined({"long long ", key, " = wm_first_", kind, "_key(", found.best->name, ", ",
                           found.place->name, ");\n", indent})});
  edits.push_back({tree.node(found.choice).range,
                   joined({key, " = max(", key, ", wm_", kind, "_key(", tree.text(found.value),
                           ", ", loop.variable->name, "));"})});
  edits.push_back({{end, end},
                   joined({"\n", indent, found.best->name, " = wm_", kind, "_value(", key, ");\n",
                           indent, found.place->name, " = static_cast<", found.place->type,
                           ">(wm_key_number(", key, "));"})});
}

/// Calls `use` with the scene of the kernel with keys, if there is one.
template <class Use>
void in_keyed_scene(const Scene& scene, Use use) {
  const auto kernel = with_keyed_extremes(scene);
  if (!kernel) return;
  const ProposalContext context = with_kernel(scene.context(), *kernel);
  const auto keyed = Scene::read(context);
  if (keyed) use(*keyed);
}

}  // namespace

std::optional<Kernel> with_keyed_extremes(const Scene& scene) {
  const SyntaxTree& tree = scene.tree();
  std::vector<TextEdit> edits;
  std::size_t number = 0;
  for (const auto& function : scene.source().functions) {
    if (function.kind != FunctionKind::kernel || launches_running(scene, function).empty())
      continue;
    if (!reason_not_to_edit(scene.source(), function).empty()) continue;
    if (tree.text(function.body).find("wm_key_") != std::string_view::npos) continue;
    const KernelBody body(scene.source(), function);
    for (const NodeId choice : tree.descendants(function.body, "if_statement")) {
      if (const auto found = keyed_extreme(scene, body, choice)) {
        add_edits(body, *found, ++number, edits);
      }
    }
  }
  if (edits.empty()) return std::nullopt;
  if (auto paste = paste_template(tree, "keyed_extremes")) edits.push_back(std::move(*paste));
  return with_edits(scene, std::move(edits));
}

Offer offer_also_keyed(const Scene& scene, Offer (*offer)(const Scene& scene)) {
  Offer given = offer(scene);
  if (!given.moves.empty()) return given;
  in_keyed_scene(scene, [&](const Scene& keyed) { given = offer(keyed); });
  return given;
}

std::optional<Kernel> apply_also_keyed(
    const Scene& scene, std::string_view parameters,
    std::optional<Kernel> (*apply)(const Scene& scene, std::string_view parameters)) {
  auto kernel = apply(scene, parameters);
  if (kernel) return kernel;
  in_keyed_scene(scene, [&](const Scene& keyed) { kernel = apply(keyed, parameters); });
  return kernel;
}

}  // namespace warpmind::agents::builtin
