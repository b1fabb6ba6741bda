#include "agents/builtin/loops/parallel_loop.h"

#include "agents/builtin/loops/taken_in.h"
#include "base/text.h"

#include <algorithm>

namespace warpmind::agents::builtin {
namespace {

bool read_update(const KernelBody& body, NodeId update, CountedLoop& loop) {
  const SyntaxTree& tree = body.tree();
  loop.update = update;
  if (tree.is(update, "update_expression")) {
    return tree.operator_of(update) == "++" &&
           names_variable(body, tree.field(update, "argument"), *loop.variable);
  }
  if (!tree.is(update, "assignment_expression") ||
      !names_variable(body, tree.field(update, "left"), *loop.variable)) {
    return false;
  }
  NodeId step = tree.field(update, "right");
  if (tree.operator_of(update) == "=") {
    const NodeId sum = tree.bare(step);
    if (!tree.is(sum, "binary_expression") || tree.operator_of(sum) != "+") return false;
    step = other_side(body, sum, *loop.variable);
    if (step == kNoNode) return false;
  } else if (tree.operator_of(update) != "+=") {
    return false;
  }
  loop.step = integer_literal(tree, step) == 1 ? kNoNode : step;
  return true;
}

std::string_view flipped(std::string_view comparison) {
  if (comparison == ">") return "<";
  if (comparison == ">=") return "<=";
  return {};
}

std::string carried(const Local& variable) {
  return "'" + variable.name + "' is carried from one iteration to the next";
}

/// Fills facts.reductions; returns the obstacle. `apart` is not looked at.
std::string find_reductions(const KernelBody& body, LoopFacts& facts,
                            const Local* apart = nullptr) {
  const SyntaxTree& tree = body.tree();
  const NodeId loop = facts.header.node;
  std::vector<std::pair<const Local*, std::size_t>> named;
  for (const auto& write : body.writes()) {
    if (!tree.contains(loop, write.node)) continue;
    if (write.local == nullptr) {
      return "'" + std::string(tree.text(write.identifier)) + "' is written in the loop";
    }
    if (write.local == apart) continue;
    if (body.declared_in(*write.local, loop)) {
      if (write.local == facts.header.variable && write.node != facts.header.update) {
        return "the body changes '" + write.local->name + "'";
      }
      continue;
    }
    const auto taken = taken_in(body, write);
    if (!taken || write.local->is_pointer || write.local->is_array || write.local->is_reference) {
      return carried(*write.local);
    }
    if (size_of_type(write.local->type) < 4) {
      return "'" + write.local->name + "' has a type that is not combined";
    }
    if (body.uses_of(*write.local, taken->whole).size() != expected_uses(body, *taken)) {
      return carried(*write.local);
    }
    auto known = std::find_if(named.begin(), named.end(),
                              [&](const auto& entry) { return entry.first == write.local; });
    if (known == named.end()) {
      facts.reductions.push_back({write.local, taken->how});
      named.emplace_back(write.local, 0);
      known = named.end() - 1;
    }
    for (const auto& reduction : facts.reductions) {
      if (reduction.variable == write.local && reduction.how != taken->how) {
        return carried(*write.local);
      }
    }
    known->second += expected_uses(body, *taken);
  }
  for (const auto& [variable, uses] : named) {
    if (body.uses_of(*variable, loop).size() != uses) return carried(*variable);
  }
  return {};
}

std::string control_obstacle(const KernelBody& body, NodeId loop) {
  const SyntaxTree& tree = body.tree();
  for (const NodeId node : tree.descendants(loop, "break_statement")) {
    bool own = true;
    for (NodeId up = tree.node(node).parent; up != loop; up = tree.node(up).parent) {
      for (const std::string_view kind :
           {"for_statement", "while_statement", "do_statement", "switch_statement"}) {
        own = own && !tree.is(up, kind);
      }
    }
    if (own) return "it may break off";
  }
  for (const std::string_view kind :
       {"return_statement", "goto_statement", "co_return_statement", "throw_statement"}) {
    if (!tree.descendants(loop, kind).empty()) return "it may leave the function";
  }
  for (const auto& call : body.calls()) {
    if (!tree.contains(loop, call.node) || call.kind == CallKind::pure) continue;
    if (call.kind == CallKind::unknown) return "it calls " + call.name + ", which is not known";
    return "it calls " + call.name;
  }
  return {};
}

std::string invariance_obstacle(const KernelBody& body, const CountedLoop& loop) {
  const SyntaxTree& tree = body.tree();
  for (const NodeId part : {loop.start, loop.bound, loop.step}) {
    for (const NodeId name : tree.descendants(part, "identifier")) {
      if (body.identifier_written_in(name, loop.node)) {
        return "'" + std::string(tree.text(name)) + "' changes inside of it";
      }
    }
  }
  return {};
}

/// Whether an inner loop of `loop` stands around `node`.
bool in_inner_loop(const SyntaxTree& tree, NodeId node, NodeId loop) {
  for (NodeId up = tree.node(node).parent; up != loop && up != kNoNode; up = tree.node(up).parent) {
    for (const std::string_view kind :
         {"for_statement", "while_statement", "do_statement", "for_range_loop"}) {
      if (tree.is(up, kind)) return true;
    }
  }
  return false;
}

std::string store_obstacle(const KernelBody& body, const LoopFacts& facts,
                           const MemoryAccess& store, const BufferNames& buffer,
                           const Injective& injective) {
  const SyntaxTree& tree = body.tree();
  const NodeId loop = facts.header.node;
  const std::string shown = tree.plain_text(store.node);
  if (store.root.empty()) return "it is not known where '" + shown + "' points";
  if (in_inner_loop(tree, store.node, loop)) return "'" + shown + "' is stored in an inner loop";
  if (store.index == kNoNode) return "'" + shown + "' is stored again and again";
  for (const NodeId name : tree.descendants(store.node, "identifier")) {
    const Local* local = body.local_of(name);
    if (local == nullptr || local == facts.header.variable) continue;
    if (body.written_in(*local, loop)) return "the index of '" + shown + "' is carried";
  }
  const auto step = coefficient(body, store.index, *facts.header.variable, loop);
  const bool moves = step ? *step != 0 : injective(store.index, loop);
  if (!moves) return "'" + shown + "' may be stored by several iterations";
  for (const auto& access : body.accesses()) {
    if (!tree.contains(loop, access.node) || access.node == store.node) continue;
    if (access.root.empty()) {
      return "it is not known where '" + tree.plain_text(access.node) + "' points";
    }
    if (buffer(access.root) != buffer(store.root)) continue;
    if (tree.plain_text(access.node) != shown) {
      return "'" + tree.plain_text(access.node) + "' and '" + shown + "' may meet";
    }
  }
  return {};
}

std::string memory_obstacle(const KernelBody& body, LoopFacts& facts, const BufferNames& buffer,
                            const Injective& injective) {
  const SyntaxTree& tree = body.tree();
  for (const auto& access : body.accesses()) {
    if (!tree.contains(facts.header.node, access.node)) continue;
    if (access.is_private) {
      const bool own =
          std::any_of(body.locals().begin(), body.locals().end(), [&](const Local& local) {
            return local.name == access.root && body.declared_in(local, facts.header.node);
          });
      if (!own && access.is_store) return "the array '" + access.root + "' is carried";
      continue;
    }
    if (access.is_load) facts.loads.push_back(&access);
    if (access.is_store) facts.stores.push_back(&access);
  }
  for (const MemoryAccess* store : facts.stores) {
    auto obstacle = store_obstacle(body, facts, *store, buffer, injective);
    if (!obstacle.empty()) return obstacle;
  }
  return {};
}

LoopFacts facts_without(const KernelBody& body, const CountedLoop& loop, const Local* apart,
                        const BufferNames& buffer, const Injective& injective) {
  LoopFacts facts;
  facts.header = loop;
  facts.obstacle = jump_obstacle(body, loop);
  if (facts.obstacle.empty()) facts.obstacle = find_reductions(body, facts, apart);
  if (facts.obstacle.empty()) facts.obstacle = memory_obstacle(body, facts, buffer, injective);
  return facts;
}

}  // namespace

bool is_idempotent(Combining how) {
  return how != Combining::sum && how != Combining::product && how != Combining::bit_xor;
}

std::optional<Combining> combining_of_operator(std::string_view op) {
  if (op == "+" || op == "+=") return Combining::sum;
  if (op == "*" || op == "*=") return Combining::product;
  if (op == "&" || op == "&=") return Combining::bit_and;
  if (op == "|" || op == "|=") return Combining::bit_or;
  if (op == "^" || op == "^=") return Combining::bit_xor;
  return std::nullopt;
}

std::optional<Combining> combining_of_call(std::string_view name) {
  if (name.starts_with("std::")) name.remove_prefix(5);
  if (name == "fmaxf" || name == "fmax" || name == "max") return Combining::maximum;
  if (name == "fminf" || name == "fmin" || name == "min") return Combining::minimum;
  return std::nullopt;
}

Result<CountedLoop> counted_loop(const KernelBody& body, NodeId node) {
  const auto other = [](std::string why) { return fail(Errc::not_found, std::move(why)); };
  const SyntaxTree& tree = body.tree();
  CountedLoop loop;
  loop.node = node;
  loop.body = tree.field(node, "body");
  const NodeId declaration = tree.field(node, "initializer");
  if (!tree.is(declaration, "declaration")) {
    return other("a loop does not declare what it counts with");
  }
  const auto declared = tree.descendants(declaration, "init_declarator");
  if (declared.size() != 1) return other("a loop declares several variables");
  const NodeId identifier = tree.declared(declared.front());
  for (const auto& local : body.locals()) {
    if (local.identifier == identifier) loop.variable = &local;
  }
  if (loop.variable == nullptr || !is_integer_type(loop.variable->type) ||
      size_of_type(loop.variable->type) < 4 || loop.variable->is_pointer) {
    return other("the loop over '" + std::string(tree.text(identifier)) +
                 "' does not count with an integer of 32 or 64 bits");
  }
  const std::string name = "the loop over '" + loop.variable->name + "'";
  loop.start = loop.variable->value;
  const NodeId condition = tree.bare(tree.field(node, "condition"));
  auto op = tree.is(condition, "binary_expression") ? tree.operator_of(condition) : "";
  loop.bound = tree.field(condition, "right");
  if (!names_variable(body, tree.field(condition, "left"), *loop.variable)) {
    const bool is_right = names_variable(body, loop.bound, *loop.variable);
    loop.bound = tree.field(condition, "left");
    op = is_right ? flipped(op) : "";
  }
  if (op != "<" && op != "<=") return other(name + " ends at no '<' or '<='");
  loop.is_inclusive = op == "<=";
  if (!read_update(body, tree.field(node, "update"), loop)) {
    return other(name + " does not count up by a fixed step");
  }
  return loop;
}

std::string jump_obstacle(const KernelBody& body, const CountedLoop& loop) {
  auto obstacle = control_obstacle(body, loop.node);
  return obstacle.empty() ? invariance_obstacle(body, loop) : obstacle;
}

LoopFacts loop_facts(const KernelBody& body, const CountedLoop& loop, const BufferNames& buffer,
                     const Injective& injective) {
  return facts_without(body, loop, nullptr, buffer, injective);
}

LoopFacts scan_facts(const KernelBody& body, const CountedLoop& loop, const Local& scanned,
                     const BufferNames& buffer, const Injective& injective) {
  return facts_without(body, loop, &scanned, buffer, injective);
}

std::optional<std::int64_t> integer_literal(const SyntaxTree& tree, NodeId expression) {
  const NodeId at = tree.bare(expression);
  if (!tree.is(at, "number_literal")) return std::nullopt;
  auto text = tree.text(at);
  while (!text.empty() && std::string_view("uUlL").find(text.back()) != std::string_view::npos) {
    text.remove_suffix(1);
  }
  if (text.size() > 1 && text.front() == '0') return std::nullopt;  // octal
  return parse_number<std::int64_t>(text);
}

std::optional<std::int64_t> coefficient(const KernelBody& body, NodeId expression,
                                        const Local& variable, NodeId inside) {
  const SyntaxTree& tree = body.tree();
  const NodeId at = tree.bare(expression);
  if (tree.is(at, "identifier")) {
    const Local* local = body.local_of(at);
    if (local == &variable) return 1;
    if (local == nullptr || !body.declared_in(*local, inside)) {
      return body.identifier_written_in(at, inside) ? std::nullopt : std::optional<std::int64_t>(0);
    }
    if (local->value == kNoNode || local->is_array || local->is_pointer ||
        !is_integer_type(local->type) || body.written_in(*local, body.function().body)) {
      return std::nullopt;
    }
    return coefficient(body, local->value, variable, inside);
  }
  if (tree.is(at, "cast_expression")) {
    if (!is_integer_type(tree.plain_text(tree.field(at, "type")))) return std::nullopt;
    return coefficient(body, tree.field(at, "value"), variable, inside);
  }
  if (tree.is(at, "number_literal")) return 0;
  if (tree.is(at, "binary_expression")) {
    const auto left = coefficient(body, tree.field(at, "left"), variable, inside);
    const auto right = coefficient(body, tree.field(at, "right"), variable, inside);
    if (!left || !right) return std::nullopt;
    const auto op = tree.operator_of(at);
    if (op == "+") return *left + *right;
    if (op == "-") return *left - *right;
    if (*left == 0 && *right == 0) return 0;
    if (op != "*") return std::nullopt;
    const bool is_left = *left != 0;
    if (is_left && *right != 0) return std::nullopt;
    const auto factor = integer_literal(tree, tree.field(at, is_left ? "right" : "left"));
    if (!factor) return std::nullopt;
    return (is_left ? *left : *right) * *factor;
  }
  if (tree.is(at, "field_expression")) {  // threadIdx.x and the like
    const auto text = tree.plain_text(at);
    for (const std::string_view builtin : {"threadIdx.", "blockIdx.", "blockDim.", "gridDim."}) {
      if (text.starts_with(builtin)) return 0;
    }
  }
  return std::nullopt;
}

std::size_t begin_with_pragma(const SyntaxTree& tree, NodeId statement) {
  std::size_t begin = tree.node(statement).range.begin;
  NodeId previous = kNoNode;
  for (const NodeId sibling : tree.all_children(tree.node(statement).parent)) {
    if (sibling == statement) break;
    previous = sibling;
  }
  if (tree.is(previous, "preproc_call") &&
      tree.text(previous).find("pragma") != std::string_view::npos) {
    begin = tree.node(previous).range.begin;
  }
  return begin;
}

}  // namespace warpmind::agents::builtin
