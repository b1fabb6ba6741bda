#include "agents/builtin/loops/carried_places.h"

#include "agents/builtin/loops/loop_heads.h"
#include "agents/builtin/loops/scan_loop.h"
#include "agents/builtin/loops/strided_loop.h"

#include <algorithm>
#include <map>

namespace warpmind::agents::builtin {
namespace {

/// An index as a sum: how often each text is in it, numbers under the empty text.
using Terms = std::map<std::string, std::int64_t>;

void add_terms(const SyntaxTree& tree, NodeId expression, std::int64_t sign, Terms& terms) {
  const NodeId at = tree.bare(expression);
  if (tree.is(at, "binary_expression")) {
    const auto op = tree.operator_of(at);
    if (op == "+" || op == "-") {
      add_terms(tree, tree.field(at, "left"), sign, terms);
      add_terms(tree, tree.field(at, "right"), op == "+" ? sign : -sign, terms);
      return;
    }
  }
  const auto literal = integer_literal(tree, at);
  terms[literal ? "" : tree.plain_text(at)] += literal ? sign * *literal : sign;
}

Terms difference(const SyntaxTree& tree, NodeId left, NodeId right) {
  Terms terms;
  add_terms(tree, left, 1, terms);
  add_terms(tree, right, -1, terms);
  std::erase_if(terms, [](const auto& term) { return term.second == 0; });
  return terms;
}

class CarriedPlace {
 public:
  CarriedPlace(const KernelBody& body, const BufferNames& buffer, NodeId loop)
      : body_(body), tree_(body.tree()), buffer_(buffer), loop_(loop) {}

  std::vector<TextEdit> edits() {
    const auto up = counted_loop(body_, loop_);
    const auto header = up ? std::optional(*up) : counting_down(body_, loop_);
    if (!header || header->step != kNoNode || !jump_obstacle(body_, *header).empty()) return {};
    header_ = *header;
    back_ = up ? -1 : 1;
    if (!tree_.is(tree_.node(loop_).parent, "compound_statement")) return {};
    for (const auto& access : body_.accesses()) {
      if (access.is_store && tree_.contains(header_.body, access.node) && choose(access)) {
        return written();
      }
    }
    return {};
  }

 private:
  /// Whether the store takes in the place of the iteration before, and is met in no other way.
  bool choose(const MemoryAccess& store) {
    if (store.root.empty() || store.is_private || store.is_shared || store.index == kNoNode ||
        !tree_.is(store.node, "subscript_expression") ||
        size_of_type(body_.element_type(store.pointer)) < 4) {
      return false;
    }
    assignment_ = tree_.node(store.node).parent;
    const NodeId statement = tree_.node(assignment_).parent;
    if (!tree_.is(assignment_, "assignment_expression") ||
        !tree_.is(statement, "expression_statement") ||
        (statement != header_.body && tree_.node(statement).parent != header_.body)) {
      return false;
    }
    const auto op = tree_.operator_of(assignment_);
    if (op != "=" && op != "+=") return false;
    earlier_ = nullptr;
    for (const auto& access : body_.accesses()) {
      if (!tree_.contains(loop_, access.node) || access.node == store.node) continue;
      if (access.root.empty()) return false;
      if (buffer_(access.root) != buffer_(store.root)) continue;
      if (is_same_place(access, store) && access.node > store.node && !access.is_store) continue;
      if (earlier_ != nullptr || !is_place_before(access, store)) return false;
      earlier_ = &access;
    }
    store_ = &store;
    return earlier_ != nullptr && calls_are_pure() && indices_are_fixed();
  }

  [[nodiscard]] bool calls_are_pure() const {
    return std::all_of(body_.calls().begin(), body_.calls().end(), [&](const Call& call) {
      return !tree_.contains(loop_, call.node) || call.kind == CallKind::pure;
    });
  }

  /// Whether nothing in the loop changes what the index is computed from, but its variable.
  [[nodiscard]] bool indices_are_fixed() const {
    for (const NodeId name : tree_.descendants(earlier_->node, "identifier")) {
      if (body_.local_of(name) == header_.variable) continue;
      if (body_.identifier_written_in(name, loop_)) return false;
    }
    return true;
  }

  /// `y[i]` read again within the assignment or behind it.
  [[nodiscard]] bool is_same_place(const MemoryAccess& access, const MemoryAccess& store) const {
    return tree_.plain_text(access.node) == tree_.plain_text(store.node);
  }

  [[nodiscard]] bool is_place_before(const MemoryAccess& access, const MemoryAccess& store) const {
    return tree_.contains(tree_.field(assignment_, "right"), access.node) && !access.is_store &&
           access.index != kNoNode && tree_.is(access.node, "subscript_expression") &&
           tree_.plain_text(access.pointer) == tree_.plain_text(store.pointer) &&
           difference(tree_, access.index, store.index) == Terms{{"", back_}};
  }

  /// The place that the first iteration takes in, as a sum.
  [[nodiscard]] Terms first_place() const {
    Terms terms;
    add_terms(tree_, earlier_->index, 1, terms);
    terms[header_.variable->name] -= 1;
    add_terms(tree_, header_.start, 1, terms);
    std::erase_if(terms, [](const auto& term) { return term.second == 0; });
    return terms;
  }

  /// `y[0] = …;` right in front of the loop; kNoNode: the value is read from memory.
  [[nodiscard]] NodeId first_assignment() const {
    NodeId previous = kNoNode;
    for (const NodeId sibling : tree_.children(tree_.node(loop_).parent)) {
      if (sibling == loop_) break;
      previous = sibling;
    }
    for (const auto& access : body_.accesses()) {
      if (!access.is_store || access.is_load || access.index == kNoNode ||
          !tree_.contains(previous, access.node) || !tree_.is(previous, "expression_statement")) {
        continue;
      }
      const NodeId assignment = tree_.node(access.node).parent;
      Terms place;
      add_terms(tree_, access.index, 1, place);
      std::erase_if(place, [](const auto& term) { return term.second == 0; });
      if (tree_.node(assignment).parent == previous && tree_.operator_of(assignment) == "=" &&
          tree_.plain_text(access.pointer) == tree_.plain_text(store_->pointer) &&
          place == first_place()) {
        return assignment;
      }
    }
    return kNoNode;
  }

  [[nodiscard]] std::vector<TextEdit> written() const {
    const std::string name = free_name(tree_, "wm_handed_on");
    const std::string type = body_.element_type(store_->pointer);
    const std::string gap = "\n" + indentation(tree_, tree_.node(loop_).range.begin);
    const auto text = [&](NodeId node) { return std::string(tree_.text(node)); };
    std::vector<TextEdit> edits;
    if (const NodeId first = first_assignment(); first != kNoNode) {
      const NodeId value = tree_.field(first, "right");
      edits.push_back({tree_.node(first).range, type + " " + name + " = " + text(value) + ";" +
                                                    gap + text(tree_.field(first, "left")) + " = " +
                                                    name});
    } else {
      const std::size_t place = begin_with_pragma(tree_, loop_);
      std::vector<TextEdit> at_start;
      for (const NodeId use : body_.uses_of(*header_.variable, earlier_->node)) {
        at_start.push_back({tree_.node(use).range, "(" + text(header_.start) + ")"});
      }
      const bool down = back_ > 0;
      const std::string compared = down ? ">" : "<";
      edits.push_back({{place, place},
                       type + " " + name + " = (" + text(header_.start) + ") " + compared +
                           (header_.is_inclusive ? "= (" : " (") + text(header_.bound) + ") ? " +
                           edited_part(tree_.source(), tree_.node(earlier_->node).range, at_start) +
                           " : static_cast<" + type + ">(0);" + gap});
    }
    const NodeId right = tree_.field(assignment_, "right");
    const std::vector<TextEdit> handed{{tree_.node(earlier_->node).range, name}};
    std::string value = edited_part(tree_.source(), tree_.node(right).range, handed);
    const std::string place = text(store_->node);
    if (tree_.operator_of(assignment_) == "+=") value = place + " + (" + value + ")";
    if (value.front() == '(' && value.back() == ')' && value == "(" + name + ")") value = name;
    std::string replaced = name + " = " + value + "; " + place + " = " + name;
    const NodeId statement = tree_.node(assignment_).parent;
    if (statement == header_.body) {
      edits.push_back({tree_.node(statement).range, "{ " + replaced + "; }"});
    } else {
      edits.push_back({tree_.node(assignment_).range, std::move(replaced)});
    }
    return edits;
  }

  const KernelBody& body_;
  const SyntaxTree& tree_;
  const BufferNames& buffer_;
  NodeId loop_;
  CountedLoop header_;
  std::int64_t back_ = -1;  ///< from a place to the one of the iteration before
  NodeId assignment_ = kNoNode;
  const MemoryAccess* store_ = nullptr;
  const MemoryAccess* earlier_ = nullptr;
};

}  // namespace

std::vector<TextEdit> carried_place_in_variable(const KernelBody& body, const BufferNames& buffer) {
  for (const NodeId loop : body.tree().descendants(body.function().body, "for_statement")) {
    auto edits = CarriedPlace(body, buffer, loop).edits();
    if (!edits.empty()) return edits;
  }
  return {};
}

}  // namespace warpmind::agents::builtin
