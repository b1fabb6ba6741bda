#include "agents/builtin/forms/block_counts.h"

#include "agents/builtin/loops/parallel_loop.h"
#include "agents/builtin/probe/kernel_prober.h"
#include "agents/builtin/probe/probe_points.h"

#include <algorithm>
#include <optional>

namespace warpmind::agents::builtin {
namespace {

bool is_below(const SyntaxTree& tree, const std::vector<NodeId>& statements, NodeId node) {
  return std::any_of(statements.begin(), statements.end(),
                     [&](NodeId statement) { return tree.contains(statement, node); });
}

/// Values of an index over the threads of one block and their iterations of the loop around it, in
/// that order; an index in a loop must step evenly. nullopt: it is not known.
std::optional<std::vector<std::int64_t>> values_in_block(const KernelProber& prober, NodeId index,
                                                         std::int64_t block) {
  const auto loops = loops_around(prober.source(), prober.function(), index);
  if (loops.size() > 1) return std::nullopt;
  std::vector<std::int64_t> values;
  for (std::int64_t thread = 0; thread < prober.launch().shape.block[0]; ++thread) {
    const ThreadPosition at{{block, 0, 0}, {thread, 0, 0}};
    if (loops.empty()) {
      const Probe found = prober.probe(index, at);
      if (found.state == ProbeState::unknown) return std::nullopt;
      if (found.state == ProbeState::found) values.push_back(found.value);
      continue;
    }
    const auto trips = prober.trips(loops.front(), at);
    if (!trips) {
      if (prober.reaches(loops.front(), at) == false) continue;
      return std::nullopt;
    }
    if (*trips == 0) continue;
    const auto value = [&](std::int64_t trip) {
      return prober.value(index, at, {{loops.front(), trip}});
    };
    const auto first = value(0);
    const auto second = *trips > 1 ? value(1) : first;
    const auto last = value(*trips - 1);
    if (!first || !second || !last) return std::nullopt;
    const std::int64_t step = *second - *first;
    if (*last != *first + step * (*trips - 1)) return std::nullopt;
    for (std::int64_t trip = 0; trip < *trips; ++trip) values.push_back(*first + step * trip);
  }
  return values;
}

/// Elements of the array, from its declaration or, where that gives none, from the launch.
std::optional<std::int64_t> extent_of(const KernelProber& prober, const KernelBody& body,
                                      const Local& shared) {
  const SyntaxTree& tree = body.tree();
  const NodeId declarator = tree.node(shared.identifier).parent;
  if (!tree.is(declarator, "array_declarator") ||
      tree.is(tree.node(declarator).parent, "array_declarator")) {
    return std::nullopt;
  }
  const NodeId size = tree.field(declarator, "size");
  if (size != kNoNode) return prober.value(size, prober.position(0));
  const int bytes = size_of_type(shared.type);
  const auto all = static_cast<std::int64_t>(prober.launch().shape.shared_bytes);
  return bytes == 0 || all % bytes != 0 ? std::nullopt : std::optional(all / bytes);
}

/// One list for each launch.
using ValuesOfLaunches = std::vector<std::vector<std::int64_t>>;

/// values_in_block(), the same in the first and the last block of every launch.
std::optional<ValuesOfLaunches> values_in_blocks(const Scene& scene, const KernelBody& body,
                                                 NodeId index) {
  ValuesOfLaunches all;
  for (const SceneLaunch* launch : scene.launches_of(body.function())) {
    const KernelProber prober(scene.source(), body.function(), *launch);
    auto first = values_in_block(prober, index, 0);
    const auto last = values_in_block(prober, index, std::int64_t{launch->shape.grid[0]} - 1);
    if (!first || !last || *first != *last) return std::nullopt;
    all.push_back(std::move(*first));
  }
  return all;
}

/// Whether they are all numbers below the extent of `shared`, each once.
bool covers(const Scene& scene, const KernelBody& body, const Local& shared,
            const ValuesOfLaunches& values) {
  const auto launches = scene.launches_of(body.function());
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const auto extent =
        extent_of(KernelProber(scene.source(), body.function(), *launches[i]), body, shared);
    auto sorted = values.at(i);
    std::sort(sorted.begin(), sorted.end());
    if (extent != static_cast<std::int64_t>(sorted.size())) return false;
    for (std::size_t k = 0; k < sorted.size(); ++k) {
      if (sorted[k] != static_cast<std::int64_t>(k)) return false;
    }
  }
  return !launches.empty();
}

/// Of `v` that is set once, its value.
NodeId resolved(const KernelBody& body, NodeId expression) {
  const NodeId at = body.tree().bare(expression);
  const Local* local = body.tree().is(at, "identifier") ? body.local_of(at) : nullptr;
  if (local == nullptr || local->value == kNoNode || local->is_array ||
      body.written_in(*local, body.function().body)) {
    return at;
  }
  return body.tree().bare(local->value);
}

bool is_zero(const SyntaxTree& tree, NodeId expression) {
  const auto text = tree.text(tree.bare(expression));
  return integer_literal(tree, expression) == 0 || text == "0.0f" || text == "0.f" || text == "0.0";
}

/// `v`, `v > 0`, `v != 0` where v is the count `element`: leaving out a zero changes nothing.
bool leaves_out_zero(const KernelBody& body, NodeId condition, NodeId element) {
  const SyntaxTree& tree = body.tree();
  const auto is_element = [&](NodeId node) {
    return tree.plain_text(resolved(body, node)) == tree.plain_text(element);
  };
  const NodeId at = tree.bare(condition);
  if (is_element(at)) return true;
  const auto op = tree.operator_of(at);
  return tree.is(at, "binary_expression") && (op == ">" || op == "!=") &&
         is_element(tree.field(at, "left")) && is_zero(tree, tree.field(at, "right"));
}

/// Whether each `if` around `node` is decided by numbers that the prober knows, or leaves out zero.
bool is_decided(const KernelBody& body, const Local& shared, NodeId node, NodeId element) {
  const SyntaxTree& tree = body.tree();
  for (NodeId up = tree.node(node).parent; up != body.function().body; up = tree.node(up).parent) {
    if (!tree.is(up, "if_statement")) continue;
    if (tree.field(up, "alternative") != kNoNode) return false;
    const NodeId condition = tree.field(up, "condition");
    bool reads_memory = false;
    for (const NodeId name : tree.descendants(condition, "identifier")) {
      const Local* local = body.local_of(name);
      const NodeId value = resolved(body, name);
      reads_memory |= local == &shared || tree.is(value, "subscript_expression");
    }
    if (reads_memory && !leaves_out_zero(body, condition, element)) return false;
  }
  return true;
}

/// Anything that the statements do besides `allowed`, as a clause, or empty.
std::string other_effects(const KernelBody& body, const std::vector<NodeId>& statements,
                          NodeId allowed) {
  const SyntaxTree& tree = body.tree();
  for (const MemoryAccess& access : body.accesses()) {
    if (access.is_store && is_below(tree, statements, access.node) &&
        !tree.contains(allowed, access.node)) {
      return "'" + tree.plain_text(access.node) + "' is stored, too";
    }
  }
  for (const Call& call : body.calls()) {
    if (call.kind != CallKind::pure && call.node != allowed &&
        is_below(tree, statements, call.node)) {
      return "it calls " + call.name;
    }
  }
  for (const NodeId statement : statements) {
    for (const auto kind : {"return_statement", "break_statement", "continue_statement"}) {
      if (!tree.descendants(statement, kind).empty()) return "it may leave a stage";
    }
  }
  return {};
}

/// The index of the one store of zeros in `statements`; kNoNode: they do something else.
NodeId cleared_index(const KernelBody& body, const Local& shared,
                     const std::vector<NodeId>& statements) {
  const SyntaxTree& tree = body.tree();
  const MemoryAccess* store = nullptr;
  for (const MemoryAccess& access : body.accesses()) {
    if (!access.is_store || !is_below(tree, statements, access.node)) continue;
    if (store != nullptr || access.root != shared.name) return kNoNode;
    store = &access;
  }
  if (store == nullptr) return kNoNode;
  const NodeId whole = tree.node(store->node).parent;
  const bool clears = tree.is(whole, "assignment_expression") && tree.operator_of(whole) == "=" &&
                      is_zero(tree, tree.field(whole, "right")) &&
                      is_decided(body, shared, store->node, store->node) &&
                      other_effects(body, statements, whole).empty();
  return clears ? store->index : kNoNode;
}

/// `counters[to] += shared[from]` by atomicAdd.
struct MergedAdd {
  std::string counters;
  NodeId to = kNoNode;
  NodeId from = kNoNode;
};

/// The only one in `statements`, which do nothing else.
Result<MergedAdd> merged_add(const KernelBody& body, const Local& shared,
                             const std::vector<NodeId>& statements) {
  const SyntaxTree& tree = body.tree();
  const auto refuse = [&](const std::string& why) {
    return fail(Errc::not_found, "the counts in '" + shared.name + "' " + why);
  };
  const Call* add = nullptr;
  for (const Call& call : body.calls()) {
    if (call.name != "atomicAdd" || !is_below(tree, statements, call.node)) continue;
    if (add != nullptr) return refuse("are added to several places");
    add = &call;
  }
  if (add == nullptr) return refuse("are not added to memory at the end");
  const auto arguments = tree.children(tree.field(add->node, "arguments"));
  if (arguments.size() != 2) return refuse("are added in a way that is not understood");
  const NodeId place = tree.bare(arguments[0]);
  const NodeId target =
      tree.operator_of(place) == "&" ? tree.bare(tree.field(place, "argument")) : kNoNode;
  const NodeId element = resolved(body, arguments[1]);
  MergedAdd found;
  found.counters = tree.text(tree.bare(tree.field(target, "argument")));
  const auto to = tree.children(tree.field(target, "indices"));
  const auto from = tree.children(tree.field(element, "indices"));
  const Parameter* parameter = body.function().parameter(found.counters);
  if (parameter == nullptr || !parameter->is_pointer || to.size() != 1 || from.size() != 1 ||
      tree.text(tree.bare(tree.field(element, "argument"))) != shared.name ||
      !is_decided(body, shared, add->node, element)) {
    return refuse("are added in a way that is not understood");
  }
  if (auto why = other_effects(body, statements, add->node); !why.empty()) return refuse(why);
  found.to = to.front();
  found.from = from.front();
  return found;
}

}  // namespace

Result<std::string> merged_counters(const Scene& scene, const KernelBody& body, const Local& shared,
                                    const std::vector<NodeId>& clearing,
                                    const std::vector<NodeId>& merging) {
  const NodeId cleared = cleared_index(body, shared, clearing);
  const auto zeros = cleared == kNoNode ? std::nullopt : values_in_blocks(scene, body, cleared);
  if (!zeros || !covers(scene, body, shared, *zeros)) {
    return fail(Errc::not_found, "not all of '" + shared.name + "' is set to zero before");
  }
  WARPMIND_TRY(auto add, merged_add(body, shared, merging));
  const auto from = values_in_blocks(scene, body, add.from);
  if (!from || !covers(scene, body, shared, *from) ||
      values_in_blocks(scene, body, add.to) != from) {
    return fail(Errc::not_found, "the counts in '" + shared.name +
                                     "' are not each added once, to the counter of their number");
  }
  return std::move(add.counters);
}

}  // namespace warpmind::agents::builtin
