#include "agents/builtin/loops/scan_loop.h"

#include "agents/builtin/loops/taken_in.h"
#include "base/sequence.h"

#include <algorithm>

namespace warpmind::agents::builtin {
namespace {

bool stores_below(const KernelBody& body, NodeId node) {
  return std::any_of(body.accesses().begin(), body.accesses().end(), [&](const auto& access) {
    return access.is_store && !access.is_private && body.tree().contains(node, access.node);
  });
}

bool is_negative(const SyntaxTree& tree, NodeId write) {
  const auto op = tree.operator_of(write);
  if (op == "-=" || op == "--") return true;
  const NodeId right = tree.bare(tree.field(write, "right"));
  return op == "=" && tree.is(right, "binary_expression") && tree.operator_of(right) == "-";
}

/// The statement around the update may hold nothing else that matters.
std::string obstacle_beside(const KernelBody& body, const ScanUpdate& update) {
  const SyntaxTree& tree = body.tree();
  const std::string name = "'" + update.variable->name + "'";
  if (!tree.is(update.statement, "expression_statement") &&
      (!tree.is(update.statement, "if_statement") ||
       tree.field(update.statement, "alternative") != kNoNode)) {
    return name + " is updated inside of another statement";
  }
  if (body.uses_of(*update.variable, update.statement).size() !=
      body.uses_of(*update.variable, update.whole).size()) {
    return name + " is read beside its update";
  }
  if (stores_below(body, update.statement)) return "a store stands beside the update of " + name;
  for (const auto& write : body.writes()) {
    if (!tree.contains(update.statement, write.node) || write.node == update.write) continue;
    if (write.local == nullptr || !body.declared_in(*write.local, update.statement)) {
      return "another variable is written beside " + name;
    }
  }
  return {};
}

/// Fills `before`: what the term needs must be computed without the variable and without stores.
std::string find_before(const KernelBody& body, const CountedLoop& loop, ScanUpdate& update) {
  const SyntaxTree& tree = body.tree();
  std::vector<const Local*> left_out;
  for (const NodeId statement : body_statements(tree, loop.body)) {
    if (statement == update.statement) break;
    const bool reads = !body.uses_of(*update.variable, statement).empty();
    if (reads || stores_below(body, statement)) {
      for (const auto& local : body.locals()) {
        const bool changed =
            body.declared_in(local, statement) || body.written_in(local, statement);
        if (changed || tree.contains(statement, local.identifier)) left_out.push_back(&local);
      }
      if (!tree.descendants(statement, "continue_statement").empty()) {
        return "it goes on to the next term depending on '" + update.variable->name + "'";
      }
      continue;
    }
    update.before.push_back(statement);
  }
  std::vector<NodeId> kept = update.before;
  kept.push_back(update.statement);
  for (const NodeId statement : kept) {
    for (const Local* local : left_out) {
      if (local != update.variable && !body.uses_of(*local, statement).empty()) {
        return "the term depends on '" + update.variable->name + "'";
      }
    }
  }
  return {};
}

/// The only update of `variable` in the loop's body.
std::string find_update(const KernelBody& body, const CountedLoop& loop, const Local& variable,
                        ScanUpdate& update) {
  const SyntaxTree& tree = body.tree();
  const std::string name = "'" + variable.name + "'";
  update.variable = &variable;
  for (const auto& write : body.writes()) {
    if (write.local != &variable || !tree.contains(loop.node, write.node)) continue;
    if (update.write != kNoNode) return name + " is updated in several places";
    const auto taken = taken_in(body, write);
    if (!taken || variable.is_pointer || variable.is_array || variable.is_reference) {
      return name + " is carried from one iteration to the next";
    }
    if (body.uses_of(variable, taken->whole).size() != expected_uses(body, *taken) ||
        (taken->value == kNoNode && !tree.is(taken->whole, "update_expression"))) {
      return name + " is carried from one iteration to the next";
    }
    update.write = write.node;
    update.how = taken->how;
    update.value = taken->value;
    update.whole = taken->whole;
    update.is_negative = is_negative(tree, write.node);
  }
  if (update.write == kNoNode) return name + " is not updated";
  if (size_of_type(variable.type) < 4) return name + " has a type that is not combined";
  if (is_integer_type(variable.type) && update.value != kNoNode &&
      !has_no_fractions(body, update.value)) {
    return name + " is an integer, its terms may not be";
  }
  if (tree.is(update.value, "call_expression") && update.how == Combining::sum &&
      !body.uses_of(variable, update.value).empty()) {
    return name + " is the third operand of a fused product";
  }
  for (const NodeId statement : body_statements(tree, loop.body)) {
    if (tree.contains(statement, update.write)) update.statement = statement;
  }
  if (update.statement == kNoNode) return name + " is updated in the loop's head";
  auto obstacle = obstacle_beside(body, update);
  return obstacle.empty() ? find_before(body, loop, update) : obstacle;
}

/// Variables from outside that the loop writes.
std::vector<const Local*> carried_by(const KernelBody& body, NodeId loop) {
  std::vector<const Local*> found;
  for (const auto& write : body.writes()) {
    if (!body.tree().contains(loop, write.node) || write.local == nullptr) continue;
    if (body.declared_in(*write.local, loop)) continue;
    if (!contains(found, write.local)) {
      found.push_back(write.local);
    }
  }
  return found;
}

bool is_unchanged_in(const KernelBody& body, NodeId expression, NodeId loop) {
  for (const NodeId name : body.tree().descendants(expression, "identifier")) {
    const Local* local = body.local_of(name);
    if (local != nullptr && body.declared_in(*local, loop)) return false;
    if (body.identifier_written_in(name, loop)) return false;
  }
  return true;
}

/// The inner loop's bound: `c`, or `c + 1` behind `<`. nullopt: something else.
std::optional<bool> takes_own_term(const KernelBody& body, const CountedLoop& inner,
                                   const Local& outer) {
  const SyntaxTree& tree = body.tree();
  if (names_variable(body, inner.bound, outer)) return inner.is_inclusive;
  const NodeId sum = tree.bare(inner.bound);
  if (inner.is_inclusive || !tree.is(sum, "binary_expression") || tree.operator_of(sum) != "+") {
    return std::nullopt;
  }
  const NodeId one = other_side(body, sum, outer);
  if (one == kNoNode || integer_literal(tree, one) != 1) return std::nullopt;
  return true;
}

/// What the inner loop computes must be the same for every output, but for where it ends.
std::string obstacle_inside(const KernelBody& body, const PrefixLoops& loops) {
  const SyntaxTree& tree = body.tree();
  const NodeId outer = loops.outer.header.node;
  for (const NodeId name : tree.descendants(loops.inner.body, "identifier")) {
    const Local* local = body.local_of(name);
    if (local == nullptr || local == loops.update.variable) continue;
    if (body.declared_in(*local, loops.inner.node)) continue;
    if (body.declared_in(*local, outer) || body.written_in(*local, outer)) {
      return "its terms depend on '" + local->name + "'";
    }
  }
  return {};
}

std::string obstacle_to_prefixes(const KernelBody& body, PrefixLoops& loops,
                                 const BufferNames& buffer, const Injective& injective) {
  const SyntaxTree& tree = body.tree();
  const NodeId outer = loops.outer.header.node;
  const auto around = loop_facts(body, loops.outer.header, buffer, injective);
  if (!around.obstacle.empty()) return around.obstacle;
  if (!around.reductions.empty()) return "the loop around it sums, too";
  const auto facts = loop_facts(body, loops.inner, buffer, injective);
  if (!facts.obstacle.empty()) return facts.obstacle;
  if (facts.reductions.size() != 1 || !facts.stores.empty()) return "it keeps several sums";
  const Local& sum = *facts.reductions.front().variable;
  auto why = find_update(body, loops.inner, sum, loops.update);
  if (why.empty()) why = obstacle_inside(body, loops);
  if (!why.empty()) return why;
  loops.declaration = tree.ancestor(sum.identifier, "declaration", outer);
  if (tree.node(loops.declaration).parent != loops.outer.header.body || sum.value == kNoNode ||
      loops.declaration > loops.inner.node || !is_unchanged_in(body, sum.value, outer)) {
    return "'" + sum.name + "' does not start anew for every output";
  }
  if (tree.descendants(loops.declaration, "init_declarator").size() != 1) {
    return "'" + sum.name + "' is declared together with others";
  }
  for (const auto& write : body.writes()) {
    if (write.local == &sum && write.node < loops.inner.node) {
      return "'" + sum.name + "' is written before the loop";
    }
  }
  const auto& start = loops.inner.start;
  if (tree.plain_text(tree.bare(start)) != loops.outer.start ||
      !is_unchanged_in(body, start, outer) || loops.inner.step != kNoNode) {
    return "its prefixes do not start where the outputs do";
  }
  return {};
}

}  // namespace

std::optional<CountedLoop> counting_down(const KernelBody& body, NodeId node) {
  const SyntaxTree& tree = body.tree();
  CountedLoop loop;
  loop.node = node;
  loop.body = tree.field(node, "body");
  loop.update = tree.field(node, "update");
  const auto declared = tree.descendants(tree.field(node, "initializer"), "init_declarator");
  if (declared.size() != 1) return std::nullopt;
  for (const auto& local : body.locals()) {
    if (local.identifier == tree.declared(declared.front())) loop.variable = &local;
  }
  const NodeId condition = tree.bare(tree.field(node, "condition"));
  if (loop.variable == nullptr || !tree.is(condition, "binary_expression")) return std::nullopt;
  const auto& type = loop.variable->type;
  const bool is_signed = type == "int" || type == "long long" || type == "int64_t" ||
                         type == "int32_t" || type == "long";
  const auto op = tree.operator_of(condition);
  if (!is_signed || loop.variable->is_pointer || (op != ">" && op != ">=")) return std::nullopt;
  if (!names_variable(body, tree.field(condition, "left"), *loop.variable)) return std::nullopt;
  if (!tree.is(loop.update, "update_expression") || tree.operator_of(loop.update) != "--" ||
      !names_variable(body, tree.field(loop.update, "argument"), *loop.variable)) {
    return std::nullopt;
  }
  loop.start = loop.variable->value;
  loop.bound = tree.field(condition, "right");
  loop.is_inclusive = op == ">=";
  return loop;
}

bool has_no_fractions(const KernelBody& body, NodeId expression) {
  const SyntaxTree& tree = body.tree();
  for (const auto& access : body.accesses()) {
    if (!tree.contains(expression, access.node)) continue;
    if (!is_integer_type(body.element_type(access.pointer))) return false;
  }
  for (const NodeId literal : tree.descendants(expression, "number_literal")) {
    if (!integer_literal(tree, literal)) return false;
  }
  for (const NodeId name : tree.descendants(expression, "identifier")) {
    const NodeId up = tree.node(name).parent;
    const bool is_pointer =
        tree.is(up, "subscript_expression") && tree.node(name).field == "argument";
    const Local* local = body.local_of(name);
    const Parameter* parameter = body.function().parameter(tree.text(name));
    if (is_pointer || tree.is(up, "field_expression")) continue;
    if (local != nullptr ? !is_integer_type(local->type)
                         : parameter == nullptr || !is_integer_type(parameter->base_type)) {
      return false;
    }
  }
  return tree.descendants(expression, "call_expression").empty();
}

std::vector<NodeId> body_statements(const SyntaxTree& tree, NodeId body) {
  if (!tree.is(body, "compound_statement")) return {body};
  return tree.children(body);
}

std::optional<ScanLoop> scan_loop(const KernelBody& body, NodeId node, const BufferNames& buffer,
                                  const Injective& injective) {
  const auto up = counted_loop(body, node);
  const auto header = up ? std::optional(*up) : counting_down(body, node);
  if (!header) return std::nullopt;
  const auto carried = carried_by(body, node);
  if (carried.empty()) return std::nullopt;
  ScanLoop scan;
  scan.counts_down = !up.has_value();
  if (carried.size() > 1) {
    scan.header = *header;
    scan.obstacle = "it carries both '" + carried[0]->name + "' and '" + carried[1]->name + "'";
    return scan;
  }
  LoopFacts facts = scan_facts(body, *header, *carried.front(), buffer, injective);
  LoopMemory& memory = scan;
  memory = std::move(facts);
  if (scan.obstacle.empty() && scan.stores.empty()) return std::nullopt;  // a plain reduction
  if (scan.obstacle.empty() && header->step != kNoNode) scan.obstacle = "it takes several steps";
  if (scan.obstacle.empty()) {
    scan.obstacle = find_update(body, *header, *carried.front(), scan.update);
  }
  return scan;
}

std::optional<PrefixLoops> prefix_loops(const Scene& scene, const KernelBody& body, NodeId node,
                                        const BufferNames& buffer, const Injective& injective) {
  const SyntaxTree& tree = body.tree();
  const auto header = counted_loop(body, node);
  if (!header || !tree.is(header->body, "compound_statement")) return std::nullopt;
  PrefixLoops loops;
  for (const NodeId child : tree.children(header->body)) {
    if (!tree.is(child, "for_statement")) continue;
    const auto inner = counted_loop(body, child);
    const auto own = inner ? takes_own_term(body, *inner, *header->variable) : std::nullopt;
    if (!own) continue;
    loops.inner = *inner;
    loops.is_inclusive = *own;
  }
  if (loops.inner.node == kNoNode) return std::nullopt;
  const auto outer = strided_loop(scene, body, *header);
  if (!outer || outer->is_serial()) return std::nullopt;
  loops.outer = *outer;
  loops.obstacle = obstacle_to_prefixes(body, loops, buffer, injective);
  return loops;
}

}  // namespace warpmind::agents::builtin
