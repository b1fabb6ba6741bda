#include "agents/builtin/loops/memory_sums.h"

#include "agents/builtin/loops/loop_heads.h"
#include "agents/builtin/loops/strided_loop.h"

#include <algorithm>

namespace warpmind::agents::builtin {
namespace {

/// The assignment or update that is all of an expression_statement.
NodeId only_expression(const SyntaxTree& tree, NodeId statement) {
  const auto parts = tree.children(statement);
  return tree.is(statement, "expression_statement") && parts.size() == 1 ? parts.front() : kNoNode;
}

/// A loop takes something into it: `p[i] += …`, `p[i] = p[i] + …`.
bool is_sum(const SyntaxTree& tree, const MemoryAccess& access, NodeId body) {
  if (!access.is_store || access.is_private || access.is_shared || access.root.empty())
    return false;
  if (!tree.is(access.node, "subscript_expression") &&
      !tree.is(access.node, "pointer_expression")) {
    return false;
  }
  if (tree.ancestor(access.node, "for_statement", body) == kNoNode) return false;
  if (access.is_load) return true;
  const NodeId assignment = tree.node(access.node).parent;
  if (!tree.is(assignment, "assignment_expression")) return false;
  const std::string place = tree.plain_text(access.node);
  for (const NodeId node :
       tree.descendants(tree.field(assignment, "right"), tree.node(access.node).kind)) {
    if (tree.plain_text(node) == place) return true;
  }
  return false;
}

class MemorySum {
 public:
  MemorySum(const KernelBody& body, const BufferNames& buffer, const MemoryAccess& access)
      : body_(body),
        tree_(body.tree()),
        buffer_(buffer),
        access_(access),
        place_(tree_.plain_text(access.node)),
        type_(body.element_type(access.pointer)) {}

  std::vector<TextEdit> edits() {
    if (size_of_type(type_) == 0 || is_volatile() || reads_memory()) return {};
    for (NodeId loop = outermost(); loop != kNoNode; loop = inner(loop)) {
      if (!choose(loop)) continue;
      return written();
    }
    return {};
  }

 private:
  [[nodiscard]] bool is_volatile() const {
    return tree_.text(body_.function().parameter_list).find("volatile") != std::string_view::npos ||
           tree_.text(body_.function().body).find("volatile") != std::string_view::npos;
  }

  /// `p[index[i]]`: what is read may change.
  [[nodiscard]] bool reads_memory() const {
    return std::any_of(body_.accesses().begin(), body_.accesses().end(),
                       [&](const auto& other) {
                         return other.node != access_.node &&
                                tree_.contains(access_.node, other.node);
                       }) ||
           !tree_.descendants(access_.node, "call_expression").empty();
  }

  [[nodiscard]] bool is_fixed_in(NodeId node) const {
    const auto names = tree_.descendants(access_.node, "identifier");
    return std::none_of(names.begin(), names.end(),
                        [&](NodeId name) { return body_.identifier_written_in(name, node); });
  }

  /// The outermost loop in which the place stays the same one.
  [[nodiscard]] NodeId outermost() const {
    NodeId found = kNoNode;
    for (NodeId up = tree_.node(access_.node).parent; up != body_.function().body;
         up = tree_.node(up).parent) {
      if (tree_.is(up, "for_statement") && is_fixed_in(up)) found = up;
    }
    return found;
  }

  /// The next loop towards the place.
  [[nodiscard]] NodeId inner(NodeId loop) const {
    NodeId found = kNoNode;
    for (NodeId up = tree_.node(access_.node).parent; up != loop; up = tree_.node(up).parent) {
      if (tree_.is(up, "for_statement")) found = up;
    }
    return found;
  }

  [[nodiscard]] std::vector<NodeId> places_in(NodeId node) const {
    std::vector<NodeId> found;
    for (const auto& access : body_.accesses()) {
      if (tree_.contains(node, access.node) &&
          tree_.is(access.node, tree_.node(access_.node).kind) &&
          tree_.plain_text(access.node) == place_) {
        found.push_back(access.node);
      }
    }
    return found;
  }

  /// Whether control may leave `statement` other than at its end.
  [[nodiscard]] bool leaves(NodeId statement) const {
    for (const std::string_view kind :
         {"return_statement", "goto_statement", "lambda_expression"}) {
      if (!tree_.descendants(statement, kind).empty()) return true;
    }
    for (const std::string_view kind : {"break_statement", "continue_statement"}) {
      for (const NodeId jump : tree_.descendants(statement, kind)) {
        bool inside = false;
        for (NodeId up = tree_.node(jump).parent; tree_.contains(statement, up);
             up = tree_.node(up).parent) {
          for (const std::string_view target :
               {"for_statement", "while_statement", "do_statement", "for_range_loop"}) {
            inside = inside || tree_.is(up, target);
          }
        }
        if (!inside) return true;
      }
    }
    return false;
  }

  /// Whether `statement` meets the buffer in this one place only and threads do not meet in it.
  [[nodiscard]] bool is_quiet(NodeId statement) const {
    if (leaves(statement) || !is_fixed_in(statement)) return false;
    for (const auto& call : body_.calls()) {
      if (tree_.contains(statement, call.node) && call.kind != CallKind::pure) return false;
    }
    return std::all_of(body_.accesses().begin(), body_.accesses().end(), [&](const auto& access) {
      if (!tree_.contains(statement, access.node) || access.is_private || access.is_shared) {
        return true;
      }
      if (access.root.empty()) return false;
      if (buffer_(access.root) != buffer_(access_.root)) return true;
      return tree_.plain_text(access.node) == place_;
    });
  }

  /// A statement that meets the place for certain.
  [[nodiscard]] bool always_meets(NodeId statement) const {
    const NodeId expression = only_expression(tree_, statement);
    const bool assigns = tree_.is(expression, "assignment_expression");
    if (!assigns && !tree_.is(expression, "update_expression")) return false;
    return tree_.plain_text(tree_.bare(tree_.field(expression, assigns ? "left" : "argument"))) ==
           place_;
  }

  /// Whether each iteration of `loop` meets the place, and it is a loop of known form.
  [[nodiscard]] bool always_met_by(NodeId loop) const {
    const auto statements = tree_.is(tree_.field(loop, "body"), "compound_statement")
                                ? tree_.children(tree_.field(loop, "body"))
                                : std::vector<NodeId>{tree_.field(loop, "body")};
    return !leaves(tree_.field(loop, "body")) &&
           std::any_of(statements.begin(), statements.end(),
                       [&](NodeId statement) { return always_meets(statement); });
  }

  /// The statements around `loop` from the first to the last that meets the place.
  bool choose(NodeId loop) {
    const NodeId around = tree_.node(loop).parent;
    if (!tree_.is(around, "compound_statement") || !is_quiet(loop)) return false;
    const auto statements = tree_.children(around);
    const auto at = std::find(statements.begin(), statements.end(), loop);
    first_ = last_ = loop;
    for (auto before = at; before != statements.begin();) {
      --before;
      if (!is_quiet(*before)) break;
      if (always_meets(*before)) first_ = *before;
    }
    for (auto after = at + 1; after != statements.end() && is_quiet(*after); ++after) {
      if (!places_in(*after).empty()) last_ = *after;
    }
    if (first_ != loop) return true;
    // The loop may run no iteration, and then must not touch a place that may not exist.
    const auto header = counted_loop(body_, loop);
    if (!header || !always_met_by(loop)) return false;
    last_ = loop;
    guard_ = "if (" + std::string(tree_.text(header->start)) +
             (header->is_inclusive ? " <= " : " < ") + std::string(tree_.text(header->bound)) + ")";
    return true;
  }

  [[nodiscard]] std::vector<TextEdit> written() const {
    const std::string name = free_name(tree_, access_.root + "_value");
    const std::size_t begin = begin_with_pragma(tree_, first_);
    const std::size_t end = tree_.node(last_).range.end;
    const std::string gap = "\n" + indentation(tree_, begin);
    const NodeId expression = only_expression(tree_, first_);
    const NodeId left = tree_.field(expression, "left");
    const bool sets = tree_.is(expression, "assignment_expression") &&
                      tree_.operator_of(expression) == "=" && places_in(first_).size() == 1;
    std::vector<TextEdit> edits;
    if (sets) {
      edits.push_back({tree_.node(left).range, type_ + " " + name});
    } else {
      const std::string opened = guard_.empty() ? "" : guard_ + " {" + gap;
      edits.push_back({{begin, begin}, opened + type_ + " " + name + " = " + place_ + ";" + gap});
    }
    for (const auto& access : body_.accesses()) {
      const auto at = tree_.node(access.node).range.begin;
      if (at < begin || at >= end || (sets && tree_.contains(left, access.node))) continue;
      if (tree_.plain_text(access.node) != place_) continue;
      edits.push_back({tree_.node(access.node).range, name});
    }
    edits.push_back(
        {{end, end}, gap + place_ + " = " + name + ";" + (guard_.empty() ? "" : gap + "}")});
    return edits;
  }

  const KernelBody& body_;
  const SyntaxTree& tree_;
  const BufferNames& buffer_;
  const MemoryAccess& access_;
  std::string place_;
  std::string type_;
  NodeId first_ = kNoNode;
  NodeId last_ = kNoNode;
  std::string guard_;
};

}  // namespace

std::vector<TextEdit> memory_sum_in_variable(const KernelBody& body, const BufferNames& buffer) {
  for (const auto& access : body.accesses()) {
    if (!is_sum(body.tree(), access, body.function().body)) continue;
    auto edits = MemorySum(body, buffer, access).edits();
    if (!edits.empty()) return edits;
  }
  return {};
}

std::string place_added_to(const KernelBody& body) {
  for (const auto& access : body.accesses()) {
    if (is_sum(body.tree(), access, body.function().body)) {
      return body.tree().plain_text(access.node);
    }
  }
  return {};
}

}  // namespace warpmind::agents::builtin
