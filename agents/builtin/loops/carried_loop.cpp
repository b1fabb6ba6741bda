#include "agents/builtin/loops/carried_loop.h"

#include "agents/builtin/loops/scan_loop.h"
#include "agents/builtin/loops/taken_in.h"
#include "base/sequence.h"

#include <algorithm>
#include <array>

namespace warpmind::agents::builtin {
namespace {

constexpr std::array<std::string_view, 3> kInnerLoops{"for_statement", "while_statement",
                                                      "do_statement"};

bool is_inner_loop(const SyntaxTree& tree, NodeId node) {
  return node != kNoNode && contains(kInnerLoops, tree.node(node).kind);
}

/// The whole expression of an expression_statement.
NodeId only_expression(const SyntaxTree& tree, NodeId statement) {
  const auto parts = tree.children(statement);
  return tree.is(statement, "expression_statement") && parts.size() == 1 ? parts.front() : kNoNode;
}

/// Whether `p[n++] = …;` is all of the statement around the update.
bool counts_in_index(const SyntaxTree& tree, NodeId update) {
  if (!tree.is(update, "update_expression") || tree.operator_of(update) != "++") return false;
  const NodeId subscript = tree.ancestor(update, "subscript_expression");
  const NodeId assignment = tree.node(subscript).parent;
  if (subscript == kNoNode || !tree.is(assignment, "assignment_expression")) return false;
  if (tree.node(subscript).field != "left") return false;
  return only_expression(tree, tree.node(assignment).parent) == assignment;
}

struct Leaf {
  NodeId node = kNoNode;       ///< a statement without statements in it, or a part of a head
  std::vector<NodeId> around;  ///< statements between it and the loop, outermost first
};

class CarriedAnalysis {
 public:
  CarriedAnalysis(const KernelBody& body, CarriedLoop& loop, const BufferNames& buffer,
                  const Injective& injective)
      : body_(body), tree_(body.tree()), loop_(loop), buffer_(buffer), injective_(injective) {}

  std::string obstacle() {
    auto why = find_leaves(loop_.header.body, {});
    if (why.empty()) why = find_values();
    if (why.empty()) why = find_needed();
    if (why.empty()) why = obstacle_of_amounts();
    if (why.empty()) why = obstacle_of_stores();
    if (why.empty()) find_lone_updates();
    return why;
  }

 private:
  std::string find_leaves(NodeId statement, const std::vector<NodeId>& around) {
    if (tree_.is(statement, "compound_statement") || tree_.is(statement, "else_clause")) {
      for (const NodeId child : tree_.children(statement)) {
        auto why = find_leaves(child, around);
        if (!why.empty()) return why;
      }
      return {};
    }
    const bool is_choice = tree_.is(statement, "if_statement");
    if (is_choice || is_inner_loop(tree_, statement)) {
      auto inner = around;
      inner.push_back(statement);
      for (const NodeId head : heads(statement)) leaves_.push_back({head, inner});
      for (const std::string_view part : {"consequence", "alternative", "body"}) {
        const NodeId below = tree_.field(statement, part);
        auto why = below == kNoNode ? std::string() : find_leaves(below, inner);
        if (!why.empty()) return why;
      }
      return {};
    }
    if (tree_.is(statement, "preproc_call")) return {};
    for (const std::string_view kind :
         {"expression_statement", "declaration", "continue_statement", "break_statement"}) {
      if (!tree_.is(statement, kind)) continue;
      leaves_.push_back({statement, around});
      return {};
    }
    return "it holds a statement that is not looked into";
  }

  [[nodiscard]] static bool is_head(const SyntaxTree& tree, NodeId part) {
    const auto field = tree.node(part).field;
    return field == "initializer" || field == "condition" || field == "update";
  }

  /// What decides whether, and how often, the statements below run.
  [[nodiscard]] std::vector<NodeId> heads(NodeId statement) const {
    std::vector<NodeId> found;
    for (const NodeId part : tree_.children(statement)) {
      if (is_head(tree_, part)) found.push_back(part);
    }
    return found;
  }

  std::string find_values() {
    for (const auto& write : body_.writes()) {
      if (!tree_.contains(loop_.header.node, write.node)) continue;
      if (write.local == nullptr) {
        return "'" + std::string(tree_.text(write.identifier)) + "' is written in the loop";
      }
      const Local& local = *write.local;
      if (write.is_address) return "the address of '" + local.name + "' is taken";
      if (&local == loop_.header.variable) {
        if (write.node != loop_.header.update) return "the body changes '" + local.name + "'";
        continue;
      }
      if (body_.declared_in(local, loop_.header.node)) continue;
      auto why = add_update(write);
      if (!why.empty()) return why;
    }
    return {};
  }

  std::string add_update(const Write& write) {
    const Local& local = *write.local;
    std::string carried = "'" + local.name + "' is carried from one iteration to the next";
    auto taken = taken_in(body_, write);
    const bool in_index = !taken && counts_in_index(tree_, write.node);
    if (in_index) taken = TakenIn{Combining::sum, kNoNode, write.node};
    if (!taken || local.is_pointer || local.is_array || local.is_reference || local.is_shared) {
      return carried;
    }
    if (body_.uses_of(local, taken->whole).size() != expected_uses(body_, *taken)) return carried;
    if (size_of_type(local.type) < 4) return "'" + local.name + "' has a type that is not combined";
    if (is_integer_type(local.type) && taken->value != kNoNode &&
        !has_no_fractions(body_, taken->value)) {
      return "'" + local.name + "' is an integer, its terms may not be";
    }
    auto known = std::find_if(loop_.values.begin(), loop_.values.end(),
                              [&](const CarriedValue& value) { return value.variable == &local; });
    if (known == loop_.values.end()) {
      loop_.values.push_back({&local, taken->how, {}, true});
      known = loop_.values.end() - 1;
    }
    if (known->how != taken->how) return carried;
    known->updates.push_back(taken->whole);
    known->counts = known->counts && adds_positive(*taken, write);
    if (in_index) {
      const NodeId statement = tree_.ancestor(write.node, "expression_statement");
      loop_.counted.push_back(
          {tree_.node(statement).range, std::string(tree_.text(write.node)) + ";"});
      counted_in_.push_back(statement);
    }
    return {};
  }

  [[nodiscard]] bool adds_positive(const TakenIn& taken, const Write& write) const {
    if (!is_integer_type(write.local->type)) return false;
    const auto op = tree_.operator_of(write.node);
    if (taken.value == kNoNode) return op == "++";
    const auto literal = integer_literal(tree_, taken.value);
    return op == "+=" && literal && *literal > 0;
  }

  [[nodiscard]] bool is_jump(NodeId leaf) const {
    return tree_.is(leaf, "continue_statement") || tree_.is(leaf, "break_statement");
  }

  /// The loop that a jump acts on; kNoNode: the one that is looked at.
  [[nodiscard]] NodeId loop_of(const Leaf& jump) const {
    for (auto at = jump.around.rbegin(); at != jump.around.rend(); ++at) {
      if (is_inner_loop(tree_, *at)) return *at;
    }
    return kNoNode;
  }

  [[nodiscard]] bool is_kept(const Leaf& leaf) const {
    if (is_jump(leaf.node)) {
      const NodeId loop = loop_of(leaf);
      return loop == kNoNode || std::any_of(leaves_.begin(), leaves_.end(), [&](const Leaf& other) {
               return !is_jump(other.node) && tree_.contains(loop, other.node) && is_kept(other);
             });
    }
    const bool writes =
        std::any_of(body_.writes().begin(), body_.writes().end(), [&](const Write& write) {
          return tree_.contains(leaf.node, write.node) && contains(needed_, write.local);
        });
    return writes || std::any_of(needed_.begin(), needed_.end(), [&](const Local* local) {
             return tree_.contains(leaf.node, local->identifier);
           });
  }

  /// What the kept statements read, heads of those around them included.
  [[nodiscard]] std::vector<NodeId> kept_code() const {
    std::vector<NodeId> code;
    for (const Leaf& leaf : leaves_) {
      if (!is_kept(leaf)) continue;
      code.push_back(leaf.node);
      for (const NodeId around : leaf.around) {
        for (const NodeId head : heads(around)) append_unique(code, head);
      }
    }
    return code;
  }

  /// The largest statement around a leaf of which nothing is kept.
  [[nodiscard]] NodeId outermost_beside(const Leaf& leaf) const {
    for (const NodeId around : leaf.around) {
      const bool any = std::any_of(leaves_.begin(), leaves_.end(), [&](const Leaf& other) {
        return tree_.contains(around, other.node) && is_kept(other);
      });
      if (!any) return around;
    }
    return leaf.node;
  }

  std::string find_needed() {
    for (const auto& value : loop_.values) needed_.push_back(value.variable);
    for (std::size_t before = 0; before != needed_.size();) {
      before = needed_.size();
      for (const NodeId part : kept_code()) {
        for (const NodeId name : tree_.descendants(part, "identifier")) {
          const Local* local = body_.local_of(name);
          if (local == nullptr || local == loop_.header.variable) continue;
          if (!body_.declared_in(*local, loop_.header.node)) continue;
          if (local->is_array) return "its terms go through the array '" + local->name + "'";
          append_unique(needed_, local);
        }
      }
    }
    for (const Leaf& leaf : leaves_) {
      if (is_kept(leaf)) continue;
      const NodeId beside = outermost_beside(leaf);
      if (!is_head(tree_, beside)) append_unique(loop_.beside, beside);
    }
    return {};
  }

  /// Amounts must not depend on what is carried, nor on what iterations store.
  std::string obstacle_of_amounts() {
    for (const NodeId part : kept_code()) {
      for (const auto& value : loop_.values) {
        for (const NodeId use : body_.uses_of(*value.variable, part)) {
          const bool own = std::any_of(value.updates.begin(), value.updates.end(),
                                       [&](NodeId update) { return tree_.contains(update, use); });
          const bool dropped = is_beside_count(use, part);
          if (!own && !dropped) return "the term depends on '" + value.variable->name + "'";
        }
      }
      for (const auto& access : body_.accesses()) {
        if (!tree_.contains(part, access.node) || is_beside_count(access.node, part)) continue;
        if (access.is_store && !access.is_private) return "a store stands beside an update";
        auto why = access.is_private ? std::string() : obstacle_of_load(access);
        if (!why.empty()) return why;
      }
    }
    return {};
  }

  /// Whether it belongs to `y[n++] = …;`, of which the amounts keep `n++` alone.
  [[nodiscard]] bool is_beside_count(NodeId node, NodeId part) const {
    return contains(counted_in_, part) &&
           std::none_of(loop_.values.begin(), loop_.values.end(), [&](const CarriedValue& value) {
             return std::any_of(value.updates.begin(), value.updates.end(),
                                [&](NodeId update) { return tree_.contains(update, node); });
           });
  }

  /// A term may be read where the same iteration stores afterwards, and nowhere else.
  [[nodiscard]] std::string obstacle_of_load(const MemoryAccess& load) const {
    for (const auto& store : body_.accesses()) {
      if (!store.is_store || !tree_.contains(loop_.header.node, store.node)) continue;
      if (buffer_(store.root) != buffer_(load.root)) continue;
      const bool same = tree_.plain_text(store.node) == tree_.plain_text(load.node);
      const bool repeats = is_repeated(load.node) || is_repeated(store.node);
      if (!same || repeats || store.node < load.node) {
        return "its terms are read from '" + load.root + "', which it stores to";
      }
    }
    return {};
  }

  /// Whether an inner loop stands around it.
  [[nodiscard]] bool is_repeated(NodeId node) const {
    NodeId up = tree_.node(node).parent;
    while (up != loop_.header.node && !is_inner_loop(tree_, up)) up = tree_.node(up).parent;
    return up != loop_.header.node;
  }

  std::string obstacle_of_stores() {
    for (const auto& access : body_.accesses()) {
      if (!tree_.contains(loop_.header.node, access.node)) continue;
      if (access.is_private) {
        const bool own =
            std::any_of(body_.locals().begin(), body_.locals().end(), [&](const Local& local) {
              return local.name == access.root && body_.declared_in(local, loop_.header.node);
            });
        if (!own && access.is_store) return "the array '" + access.root + "' is carried";
        continue;
      }
      if (access.is_shared) return "it works in shared memory";
      if (access.is_load) loop_.loads.push_back(&access);
      if (access.is_store) loop_.stores.push_back(&access);
    }
    for (const MemoryAccess* store : loop_.stores) {
      auto why = obstacle_of_store(*store);
      if (!why.empty()) return why;
    }
    return {};
  }

  std::string obstacle_of_store(const MemoryAccess& store) {
    const std::string shown = "'" + tree_.plain_text(store.node) + "'";
    if (store.root.empty()) return "it is not known where " + shown + " points";
    if (store.index == kNoNode) return shown + " is stored again and again";
    const CarriedValue* value = value_as_index(body_, loop_, store);
    if (value != nullptr) {
      if (!value->counts || !is_counted_behind(store, *value)) {
        return shown + " may be stored by several iterations";
      }
    } else {
      for (const NodeId name : tree_.descendants(store.node, "identifier")) {
        const Local* local = body_.local_of(name);
        if (local == nullptr || local == loop_.header.variable) continue;
        if (body_.written_in(*local, loop_.header.node)) {
          return "the index of " + shown + " changes inside of an iteration";
        }
      }
      const auto along = coefficient(body_, store.index, *loop_.header.variable, loop_.header.node);
      if (!(along ? *along != 0 : injective_(store.index, loop_.header.node))) {
        return shown + " may be stored by several iterations";
      }
    }
    for (const auto& access : body_.accesses()) {
      if (!tree_.contains(loop_.header.node, access.node) || access.node == store.node) continue;
      if (access.root.empty()) {
        return "it is not known where '" + tree_.plain_text(access.node) + "' points";
      }
      if (buffer_(access.root) != buffer_(store.root)) continue;
      const std::string other = "'" + tree_.plain_text(access.node) + "'";
      if (other != shown || (value != nullptr && access.is_load)) {
        return other + " and " + std::string(shown).append(" may meet");
      }
    }
    return {};
  }

  /// Whether each run of the store is followed by an update of its index in the same iteration.
  [[nodiscard]] bool is_counted_behind(const MemoryAccess& store, const CarriedValue& value) const {
    const auto updates = [&](NodeId statement) {
      const NodeId expression = only_expression(tree_, statement);
      return expression != kNoNode && contains(value.updates, expression);
    };
    const NodeId own = tree_.ancestor(store.node, "expression_statement");
    if (own != kNoNode && std::any_of(value.updates.begin(), value.updates.end(),
                                      [&](NodeId update) { return tree_.contains(own, update); })) {
      return true;
    }
    for (NodeId at = own; at != loop_.header.node && at != kNoNode; at = tree_.node(at).parent) {
      const NodeId list = tree_.node(at).parent;
      if (!tree_.is(list, "compound_statement")) continue;
      for (const NodeId sibling : tree_.children(list)) {
        if (sibling <= at) continue;
        if (updates(sibling)) return true;
        if (!tree_.descendants(sibling, "continue_statement").empty() ||
            !tree_.descendants(sibling, "break_statement").empty()) {
          return false;
        }
      }
      if (list == loop_.header.body) break;
    }
    return false;
  }

  void find_lone_updates() {
    for (const NodeId statement : body_statements(tree_, loop_.header.body)) {
      if (tree_.is(statement, "declaration")) continue;
      bool updates = false;
      bool alone = true;
      for (const auto& value : loop_.values) {
        const auto here =
            std::count_if(value.updates.begin(), value.updates.end(),
                          [&](NodeId update) { return tree_.contains(statement, update); });
        updates = updates || here > 0;
        alone = alone && (here == 0 || here == static_cast<std::ptrdiff_t>(value.updates.size()));
      }
      for (const auto& write : body_.writes()) {
        if (!tree_.contains(statement, write.node)) continue;
        const bool carried =
            write.local != nullptr && !body_.declared_in(*write.local, loop_.header.node);
        alone = alone &&
                (carried || (write.local != nullptr && body_.declared_in(*write.local, statement)));
      }
      for (const MemoryAccess* store : loop_.stores) {
        alone = alone && !tree_.contains(statement, store->node);
      }
      for (const Leaf& leaf : leaves_) {
        alone = alone && !(is_jump(leaf.node) && tree_.contains(statement, leaf.node));
      }
      if (updates && alone) loop_.updates_alone.push_back(statement);
    }
  }

  const KernelBody& body_;
  const SyntaxTree& tree_;
  CarriedLoop& loop_;
  const BufferNames& buffer_;
  const Injective& injective_;
  std::vector<Leaf> leaves_;
  std::vector<const Local*> needed_;  ///< to compute the amounts
  std::vector<NodeId> counted_in_;    ///< statements of CarriedLoop::counted
};

bool writes_outside(const KernelBody& body, NodeId loop) {
  return std::any_of(body.writes().begin(), body.writes().end(), [&](const Write& write) {
    return body.tree().contains(loop, write.node) && write.local != nullptr &&
           !body.declared_in(*write.local, loop);
  });
}

bool stores_in(const KernelBody& body, NodeId loop) {
  return std::any_of(
      body.accesses().begin(), body.accesses().end(), [&](const MemoryAccess& access) {
        return access.is_store && !access.is_private && body.tree().contains(loop, access.node);
      });
}

}  // namespace

const CarriedValue* value_as_index(const KernelBody& body, const CarriedLoop& loop,
                                   const MemoryAccess& store) {
  const SyntaxTree& tree = body.tree();
  NodeId at = tree.bare(store.index);
  if (tree.is(at, "update_expression")) at = tree.bare(tree.field(at, "argument"));
  if (!tree.is(at, "identifier")) return nullptr;
  for (const auto& value : loop.values) {
    if (body.local_of(at) == value.variable) return &value;
  }
  return nullptr;
}

std::optional<CarriedLoop> carried_loop(const KernelBody& body, NodeId node,
                                        const BufferNames& buffer, const Injective& injective) {
  const auto up = counted_loop(body, node);
  const auto header = up ? std::optional(*up) : counting_down(body, node);
  if (!header || !writes_outside(body, node) || !stores_in(body, node)) return std::nullopt;
  CarriedLoop loop;
  loop.header = *header;
  loop.counts_down = !up.has_value();
  if (header->step != kNoNode) {
    const auto step = integer_literal(body.tree(), header->step);
    if (!step || *step < 1) {
      loop.obstacle = "it does not step by a number";
      return loop;
    }
    loop.step = *step;
  }
  loop.obstacle = jump_obstacle(body, *header);
  if (loop.obstacle.empty()) {
    loop.obstacle = CarriedAnalysis(body, loop, buffer, injective).obstacle();
  }
  return loop;
}

}  // namespace warpmind::agents::builtin
