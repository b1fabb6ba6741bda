#include "agents/builtin/loops/loop_heads.h"

#include "agents/builtin/loops/parallel_loop.h"
#include "agents/builtin/loops/strided_loop.h"
#include "agents/builtin/pointwise/pure_code.h"
#include "base/sequence.h"

#include <algorithm>
#include <array>

namespace warpmind::agents::builtin {
namespace {

constexpr std::array<std::string_view, 4> kLoops{"for_statement", "while_statement", "do_statement",
                                                 "for_range_loop"};

bool is_loop(const SyntaxTree& tree, NodeId node) {
  return node != kNoNode && contains(kLoops, tree.node(node).kind);
}

/// The variable of `i++`, `i += s`, `i = i + s`; kNoNode: another expression.
NodeId counted_by(const SyntaxTree& tree, NodeId update) {
  if (tree.is(update, "update_expression")) {
    const NodeId name = tree.bare(tree.field(update, "argument"));
    return tree.operator_of(update) == "++" && tree.is(name, "identifier") ? name : kNoNode;
  }
  if (!tree.is(update, "assignment_expression")) return kNoNode;
  const NodeId name = tree.bare(tree.field(update, "left"));
  if (!tree.is(name, "identifier")) return kNoNode;
  if (tree.operator_of(update) == "+=") return name;
  const NodeId sum = tree.bare(tree.field(update, "right"));
  const bool adds = tree.operator_of(update) == "=" && tree.is(sum, "binary_expression") &&
                    tree.operator_of(sum) == "+" && tree.uses(sum, tree.text(name)).size() == 1;
  return adds ? name : kNoNode;
}

/// Whether a loop can count with it: an integer of the thread that nothing points to.
bool counts(const KernelBody& body, const Local* local) {
  if (local == nullptr || local->is_pointer || local->is_array || local->is_shared ||
      local->is_reference || !is_integer_type(local->type) || size_of_type(local->type) < 4) {
    return false;
  }
  return std::none_of(body.writes().begin(), body.writes().end(),
                      [&](const Write& write) { return write.local == local && write.is_address; });
}

/// The declaration whose only name is that of `local`; kNoNode: it declares others, too.
NodeId sole_declaration(const KernelBody& body, const Local& local) {
  const SyntaxTree& tree = body.tree();
  const NodeId declaration = tree.ancestor(local.identifier, "declaration", body.function().body);
  std::size_t names = 0;
  for (const NodeId part : tree.all_children(declaration)) {
    if (tree.node(part).field == "declarator") ++names;
  }
  return names == 1 ? declaration : kNoNode;
}

/// Whether the same value comes out when it is computed at a later place: only names are read, no
/// one of them is written in [from, to) or declared twice.
bool is_movable(const KernelBody& body, NodeId expression, NodeId from, NodeId to) {
  const SyntaxTree& tree = body.tree();
  for (const NodeId node : tree.descendants(expression)) {
    for (const std::string_view kind :
         {"assignment_expression", "update_expression", "subscript_expression",
          "pointer_expression", "lambda_expression"}) {
      if (tree.is(node, kind)) return false;
    }
    if (!tree.is(node, "identifier")) continue;
    for (const auto& write : body.writes()) {
      if (write.node >= from && write.node < to && tree.text(write.identifier) == tree.text(node)) {
        return false;
      }
    }
    const auto same = std::count_if(body.locals().begin(), body.locals().end(),
                                    [&](const Local& l) { return l.name == tree.text(node); });
    if (same > 1) return false;
  }
  return std::all_of(body.calls().begin(), body.calls().end(), [&](const Call& call) {
    return !tree.contains(expression, call.node) || call.kind == CallKind::pure;
  });
}

bool jumps_to_end(const SyntaxTree& tree, NodeId loop) {
  for (const NodeId jump : tree.descendants(loop, "continue_statement")) {
    NodeId up = tree.node(jump).parent;
    while (!is_loop(tree, up)) up = tree.node(up).parent;
    if (up == loop) return true;
  }
  return false;
}

/// Declares the variable of one loop in its head.
class HeadDeclaration {
 public:
  HeadDeclaration(const KernelBody& body, NodeId loop)
      : body_(body), tree_(body.tree()), loop_(loop), start_(tree_.field(loop, "initializer")) {}

  std::vector<TextEdit> edits() {
    if (start_ != kNoNode && !is_start_of_variable(loop_)) return {};
    const NodeId name = counted_by(tree_, tree_.bare(tree_.field(loop_, "update")));
    variable_ = body_.local_of(name);
    if (!counts(body_, variable_) || body_.declared_in(*variable_, loop_)) return {};
    if (start_ != kNoNode && !assigns_variable(start_)) return {};
    if (written_by_body() || is_read_later()) return {};
    return start_ == kNoNode ? with_earlier_value() : with_own_value();
  }

 private:
  [[nodiscard]] bool is_start_of_variable(NodeId loop) const {
    const NodeId start = tree_.field(loop, "initializer");
    return tree_.is(start, "assignment_expression") && tree_.operator_of(start) == "=";
  }

  [[nodiscard]] bool assigns_variable(NodeId start) const {
    const NodeId left = tree_.field(start, "left");
    return tree_.is(left, "identifier") && body_.local_of(left) == variable_ &&
           body_.uses_of(*variable_, tree_.field(start, "right")).empty();
  }

  [[nodiscard]] bool written_by_body() const {
    return body_.written_in(*variable_, tree_.field(loop_, "body")) ||
           body_.written_in(*variable_, tree_.field(loop_, "condition"));
  }

  /// Whether some other loop gives the variable a value before it is used there.
  [[nodiscard]] bool starts_anew(NodeId use) const {
    for (NodeId up = tree_.node(use).parent; up != body_.function().body;
         up = tree_.node(up).parent) {
      if (!tree_.is(up, "for_statement") || up == loop_) continue;
      if (is_start_of_variable(up) && assigns_variable(tree_.field(up, "initializer"))) return true;
    }
    return false;
  }

  /// The outermost loop around this one in which the variable lives on.
  [[nodiscard]] NodeId loop_around() const {
    NodeId found = kNoNode;
    for (NodeId up = tree_.node(loop_).parent; up != body_.function().body;
         up = tree_.node(up).parent) {
      if (is_loop(tree_, up) && !body_.declared_in(*variable_, up)) found = up;
    }
    return found;
  }

  [[nodiscard]] bool is_read_later() const {
    const NodeId around = loop_around();
    if (around != kNoNode && start_ == kNoNode) return true;
    for (const NodeId use : body_.uses_of(*variable_, body_.function().body)) {
      if (tree_.contains(loop_, use) || starts_anew(use)) continue;
      if (use > loop_ || tree_.contains(around, use)) return true;
    }
    return false;
  }

  [[nodiscard]] bool used_outside() const {
    return body_.uses_of(*variable_, body_.function().body).size() !=
           body_.uses_of(*variable_, loop_).size();
  }

  /// Takes `int i;` out when nothing uses it any more.
  void drop_declaration(std::vector<TextEdit>& edits) const {
    const NodeId declaration = sole_declaration(body_, *variable_);
    if (used_outside() || declaration == kNoNode) return;
    const bool quiet = variable_->value == kNoNode ||
                       is_movable(body_, variable_->value, declaration, declaration);
    if (quiet) edits.push_back({whole_line(tree_, declaration), ""});
  }

  [[nodiscard]] std::vector<TextEdit> with_own_value() const {
    const std::size_t begin = tree_.node(start_).range.begin;
    std::vector<TextEdit> edits{{{begin, begin}, variable_->type + " "}};
    drop_declaration(edits);
    return edits;
  }

  /// `for (; …)`: the value is that of the declaration, or what the variable holds.
  [[nodiscard]] std::vector<TextEdit> with_earlier_value() const {
    const std::size_t place = tree_.source().find('(', tree_.node(loop_).range.begin) + 1;
    const NodeId declaration = sole_declaration(body_, *variable_);
    std::vector<TextEdit> edits;
    if (declaration != kNoNode && !used_outside() && variable_->value != kNoNode &&
        tree_.contains(tree_.node(declaration).parent, loop_) &&
        is_movable(body_, variable_->value, declaration, loop_)) {
      edits.push_back({{place, place},
                       variable_->type + " " + variable_->name + " = " +
                           std::string(tree_.text(variable_->value))});
      edits.push_back({whole_line(tree_, declaration), ""});
      return edits;
    }
    const std::string name = free_name(tree_, variable_->name + "_from");
    edits.push_back({{place, place}, variable_->type + " " + name + " = " + variable_->name});
    for (const NodeId use : body_.uses_of(*variable_, loop_)) {
      edits.push_back({tree_.node(use).range, name});
    }
    return edits;
  }

  const KernelBody& body_;
  const SyntaxTree& tree_;
  NodeId loop_;
  NodeId start_;
  const Local* variable_ = nullptr;
};

}  // namespace

std::string free_name(const SyntaxTree& tree, const std::string& stem) {
  std::string name = stem;
  for (int number = 2; tree.source().find(name) != std::string::npos; ++number) {
    name = stem + std::to_string(number);
  }
  return name;
}

std::vector<TextEdit> while_as_for(const KernelBody& body) {
  const SyntaxTree& tree = body.tree();
  for (const NodeId loop : tree.descendants(body.function().body, "while_statement")) {
    const NodeId condition = tree.field(loop, "condition");
    const NodeId inside = tree.field(loop, "body");
    const auto statements = tree.children(inside);
    if (!tree.is(inside, "compound_statement") || statements.empty()) continue;
    const NodeId last = statements.back();
    const auto parts = tree.children(last);
    if (!tree.is(last, "expression_statement") || parts.size() != 1) continue;
    const NodeId name = counted_by(tree, parts.front());
    const Local* variable = name == kNoNode ? nullptr : body.local_of(name);
    if (!counts(body, variable) || body.declared_in(*variable, loop)) continue;
    const auto writes = std::count_if(body.writes().begin(), body.writes().end(), [&](auto& write) {
      return write.local == variable && tree.contains(loop, write.node);
    });
    const auto names = tree.descendants(parts.front(), "identifier");
    const bool own = std::any_of(names.begin(), names.end(), [&](NodeId used) {
      const Local* local = body.local_of(used);
      return local != nullptr && body.declared_in(*local, loop);
    });
    if (writes != 1 || own || jumps_to_end(tree, loop) ||
        body.uses_of(*variable, condition).empty() ||
        !tree.descendants(condition, "declaration").empty()) {
      continue;
    }
    const Range head{tree.node(loop).range.begin, tree.node(condition).range.end};
    const std::string text = "for (; " + std::string(tree.text(tree.bare(condition))) + "; " +
                             std::string(tree.text(parts.front())) + ")";
    return {{head, text}, {whole_line(tree, last), ""}};
  }
  return {};
}

std::vector<TextEdit> split_loop_head(const KernelBody& body) {
  const SyntaxTree& tree = body.tree();
  for (const NodeId loop : tree.descendants(body.function().body, "for_statement")) {
    const NodeId start = tree.field(loop, "initializer");
    const NodeId name = counted_by(tree, tree.bare(tree.field(loop, "update")));
    if (!tree.is(start, "declaration") || name == kNoNode ||
        !tree.is(tree.node(loop).parent, "compound_statement")) {
      continue;
    }
    std::vector<NodeId> declarators;
    for (const NodeId part : tree.all_children(start)) {
      if (tree.node(part).field == "declarator") declarators.push_back(part);
    }
    if (declarators.size() < 2) continue;
    const Range head = tree.node(start).range;
    const std::string type =
        tree.source().substr(head.begin, tree.node(declarators.front()).range.begin - head.begin);
    std::string above;
    std::string kept;
    bool apart = true;
    for (const NodeId declarator : declarators) {
      const auto own = tree.text(tree.declared(declarator));
      const auto same = std::count_if(body.locals().begin(), body.locals().end(),
                                      [&](const Local& local) { return local.name == own; });
      const bool counted = own == tree.text(name);
      const bool reads = !counted && !tree.uses(declarator, tree.text(name)).empty();
      apart = apart && !reads && (counted || same == 1);
      std::string text = type + std::string(tree.text(declarator)) + ";";
      if (counted) {
        kept = std::move(text);
      } else {
        above += text + "\n" + indentation(tree, tree.node(loop).range.begin);
      }
    }
    if (!apart || kept.empty()) continue;
    const std::size_t place = begin_with_pragma(tree, loop);
    return {{{place, place}, above}, {head, kept}};
  }
  return {};
}

std::vector<TextEdit> declared_in_head(const KernelBody& body) {
  for (const NodeId loop : body.tree().descendants(body.function().body, "for_statement")) {
    auto edits = HeadDeclaration(body, loop).edits();
    if (!edits.empty()) return edits;
  }
  return {};
}

}  // namespace warpmind::agents::builtin
