#include "agents/builtin/loops/lane_spread.h"

#include "base/sequence.h"

#include <algorithm>

namespace warpmind::agents::builtin {
namespace {

bool any_contiguous(const KernelBody& body, const LoopFacts& facts) {
  const auto contiguous = [&](const MemoryAccess* access) {
    return is_contiguous(body, *access, facts.header);
  };
  return std::any_of(facts.loads.begin(), facts.loads.end(), contiguous) ||
         std::any_of(facts.stores.begin(), facts.stores.end(), contiguous);
}

/// Finds the loops to share, outermost first, and the clause why not for the first that fails.
class LoopChoice {
 public:
  LoopChoice(const KernelBody& body, const BufferNames& buffer, const Injective& injective,
             const std::vector<LoopFacts>& apart)
      : body_(body), buffer_(buffer), injective_(injective), apart_(apart) {}

  void visit(NodeId node) {
    for (const NodeId child : body_.tree().children(node)) {
      if (body_.tree().is(child, "for_statement")) {
        choose(child);
      } else {
        visit(child);
      }
    }
  }

  std::vector<SharedLoop> chosen;
  std::string refusal;

 private:
  void choose(NodeId loop) {
    for (const auto& known : apart_) {
      if (known.header.node != loop) continue;
      chosen.push_back({known, {}, false, true});
      return;
    }
    const auto header = counted_loop(body_, loop);
    if (!header) {
      refuse(header.error().message);
      visit(loop);
      return;
    }
    LoopFacts facts = loop_facts(body_, *header, buffer_, injective_);
    if (!facts.obstacle.empty()) {
      refuse("the loop over '" + header->variable->name + "': " + facts.obstacle);
      visit(loop);
      return;
    }
    if (!any_contiguous(body_, facts)) {
      const auto before = chosen.size();
      visit(loop);
      if (chosen.size() == before) {
        refuse("no access is contiguous along the loop over '" + header->variable->name + "'");
      }
      return;
    }
    chosen.push_back({std::move(facts), {}, false, false});
  }

  void refuse(std::string why) {
    if (refusal.empty()) refusal = std::move(why);
  }

  const KernelBody& body_;
  const BufferNames& buffer_;
  const Injective& injective_;
  const std::vector<LoopFacts>& apart_;
};

NodeId enclosing_loop(const SyntaxTree& tree, NodeId node, NodeId limit) {
  for (NodeId up = tree.node(node).parent; up != kNoNode && up != limit;
       up = tree.node(up).parent) {
    for (const std::string_view kind : {"for_statement", "while_statement", "do_statement"}) {
      if (tree.is(up, kind)) return up;
    }
  }
  return kNoNode;
}

CombinedReduction combined_after(const KernelBody& body, const Reduction& reduction, NodeId loop) {
  CombinedReduction combined{reduction, loop};
  const auto names = [&](NodeId node) { return body.uses_of(*reduction.variable, node).size(); };
  while (true) {
    const NodeId outer = enclosing_loop(body.tree(), combined.after, body.function().body);
    if (outer == kNoNode || body.declared_in(*reduction.variable, outer)) break;
    if (names(outer) != names(loop)) break;
    combined.after = outer;
  }
  return combined;
}

/// The expression_statement that is nothing but this store, update or atomic call.
NodeId plain_statement(const SyntaxTree& tree, NodeId node) {
  NodeId at = node;
  for (NodeId up = tree.node(at).parent; up != kNoNode; up = tree.node(up).parent) {
    if (tree.is(up, "expression_statement")) return up;
    for (const std::string_view kind :
         {"declaration", "comma_expression", "for_statement", "if_statement", "return_statement",
          "condition_clause", "while_statement", "conditional_expression"}) {
      if (tree.is(up, kind)) return kNoNode;
    }
    if (tree.is(up, "binary_expression") &&
        (tree.operator_of(up) == "&&" || tree.operator_of(up) == "||")) {
      return kNoNode;
    }
  }
  return kNoNode;
}

class RestOfBody {
 public:
  RestOfBody(const KernelBody& body, const BufferNames& buffer, LaneSpread& spread)
      : body_(body), buffer_(buffer), spread_(spread) {}

  std::string check() {
    const SyntaxTree& tree = body_.tree();
    for (const auto& local : body_.locals()) {
      if (local.is_shared) return "it keeps '" + local.name + "' in shared memory";
      if (local.is_reference) return "it holds the reference '" + local.name + "'";
    }
    for (const auto& call : body_.calls()) {
      if (call.kind == CallKind::pure || in_shared_loop(call.node) != nullptr) continue;
      if (call.kind == CallKind::atomic) {
        auto why = first_lane(call.node);
        if (!why.empty()) return why;
        continue;
      }
      return "it calls " + call.name;
    }
    for (const auto& access : body_.accesses()) {
      if (!access.is_store || access.is_private) continue;
      auto why = check_store(access);
      if (!why.empty()) return why;
    }
    for (const std::string_view name : {"threadIdx", "blockIdx", "blockDim", "gridDim"}) {
      for (const NodeId use : tree.uses(body_.function().body, name)) {
        if (!tree.is(tree.node(use).parent, "field_expression")) {
          return "it passes " + std::string(name) + " on";
        }
      }
    }
    if (!tree.uses(body_.function().body, "warpSize").empty()) return "it uses warpSize";
    return {};
  }

 private:
  SharedLoop* in_shared_loop(NodeId node) {
    for (auto& loop : spread_.loops) {
      if (body_.tree().contains(loop.facts.header.node, node)) return &loop;
    }
    return nullptr;
  }

  std::string first_lane(NodeId node) {
    const SyntaxTree& tree = body_.tree();
    const NodeId statement = plain_statement(tree, node);
    const std::string shown = tree.plain_text(node);
    if (statement == kNoNode) return "'" + shown + "' is not a statement of its own";
    for (const auto& write : body_.writes()) {
      if (tree.contains(statement, write.node) && !write.is_address) {
        return "a variable is written beside '" + shown + "'";
      }
    }
    const auto& known = spread_.first_lane_only;
    if (!contains(known, statement)) {
      spread_.first_lane_only.push_back(statement);
    }
    return {};
  }

  std::string check_store(const MemoryAccess& store) {
    const SyntaxTree& tree = body_.tree();
    if (store.root.empty()) {
      return "it is not known where '" + tree.plain_text(store.node) + "' points";
    }
    SharedLoop* loop = in_shared_loop(store.node);
    const NodeId around =
        loop != nullptr ? loop->facts.header.node : plain_statement(tree, store.node);
    if (loop == nullptr) {
      auto why = first_lane(store.node);
      if (!why.empty()) return why;
    }
    const bool repeated =
        loop != nullptr && enclosing_loop(tree, around, body_.function().body) != kNoNode;
    if (repeated) loop->needs_barriers = true;
    for (const auto& other : body_.accesses()) {
      if (other.node == store.node || tree.contains(around, other.node)) continue;
      if (other.root.empty()) {
        return "it is not known where '" + tree.plain_text(other.node) + "' points";
      }
      if (other.is_private || buffer_(other.root) != buffer_(store.root)) continue;
      // Stores outside of shared loops, and what they read for `+=`, are the first lane's.
      if (loop == nullptr && other.is_store && in_shared_loop(other.node) == nullptr) continue;
      if (loop == nullptr) {
        return "'" + store.root + "' is stored and met again as '" + tree.plain_text(other.node) +
               "'";
      }
      loop->needs_barriers = true;
    }
    return {};
  }

  const KernelBody& body_;
  const BufferNames& buffer_;
  LaneSpread& spread_;
};

}  // namespace

bool is_contiguous(const KernelBody& body, const MemoryAccess& access, const CountedLoop& loop) {
  if (access.index == kNoNode || access.is_shared || access.is_private) return false;
  if (loop.step != kNoNode) return false;
  return coefficient(body, access.index, *loop.variable, loop.node) == 1;
}

LaneSpread spread_over_lanes(const KernelBody& body, const BufferNames& buffer,
                             const Injective& injective, const std::vector<LoopFacts>& apart) {
  LaneSpread spread;
  LoopChoice choice(body, buffer, injective, apart);
  choice.visit(body.function().body);
  if (choice.chosen.empty()) {
    spread.refusal = choice.refusal.empty() ? "it has no loop" : choice.refusal;
    return spread;
  }
  spread.loops = std::move(choice.chosen);
  for (auto& loop : spread.loops) {
    for (const auto& reduction : loop.facts.reductions) {
      loop.combined.push_back(combined_after(body, reduction, loop.facts.header.node));
    }
  }
  spread.refusal = RestOfBody(body, buffer, spread).check();
  return spread;
}

}  // namespace warpmind::agents::builtin
