#include "agents/builtin/pointwise/pure_code.h"

#include "agents/builtin/probe/integer_value.h"
#include "agents/builtin/syntax.h"

#include <algorithm>
#include <array>

namespace warpmind::agents::builtin {
namespace {

bool is_cast_template(std::string_view callee) {
  return callee.starts_with("static_cast<") || callee.starts_with("reinterpret_cast<") ||
         callee.starts_with("const_cast<");
}

std::string obstacle_below(const CudaSource& source, NodeId node, int depth,
                           const std::set<NodeId>& understood = {});

std::string obstacle_of_call(const CudaSource& source, NodeId call, int depth) {
  const SyntaxTree& tree = source.tree;
  const auto callee = tree.plain_text(tree.field(call, "function"));
  const bool is_defined = std::any_of(source.functions.begin(), source.functions.end(),
                                      [&](const auto& f) { return f.name == callee; });
  if (!is_defined && (is_pure_call(callee) || is_cast_template(callee))) return {};
  const Function* function = source.device_function(callee);
  if (function == nullptr || depth > 4) return "it calls '" + callee + "', which is not known";
  if (auto why = reason_not_to_edit(source, *function); !why.empty()) return why;
  if (auto why = obstacle_below(source, function->body, depth + 1); !why.empty()) {
    return "it calls '" + callee + "', and " + why;
  }
  return {};
}

std::string obstacle_below(const CudaSource& source, NodeId node, int depth,
                           const std::set<NodeId>& understood) {
  const SyntaxTree& tree = source.tree;
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kKinds{
      {{"lambda_expression", "a lambda"},
       {"gnu_asm_expression", "inline assembly"},
       {"asm_statement", "inline assembly"},
       {"goto_statement", "goto"},
       {"labeled_statement", "a label"},
       {"new_expression", "new"},
       {"preproc_if", "#if"},
       {"preproc_ifdef", "#ifdef"}}};
  static constexpr std::array<std::string_view, 6> kNames{"threadIdx", "blockIdx", "blockDim",
                                                          "gridDim",   "warpSize", "__shared__"};
  for (const NodeId at : tree.descendants(node)) {
    if (understood.contains(at)) continue;
    for (const auto& [kind, what] : kKinds) {
      if (tree.is(at, kind)) return "it holds " + std::string(what);
    }
    if (tree.is(at, "return_statement") && depth == 0) return "it returns in between";
    if (tree.is(at, "storage_class_specifier")) {
      return "it declares something " + std::string(tree.text(at));
    }
    if (tree.node(at).first_child == kNoNode &&
        std::find(kNames.begin(), kNames.end(), tree.text(at)) != kNames.end()) {
      return "it reads " + std::string(tree.text(at));
    }
    if (!tree.is(at, "call_expression")) continue;
    if (auto why = obstacle_of_call(source, at, depth); !why.empty()) return why;
  }
  return {};
}

/// The variable that an assigned or incremented expression belongs to.
NodeId root_of(const SyntaxTree& tree, NodeId at) {
  for (;;) {
    at = tree.bare(at);
    if (tree.is(at, "subscript_expression") || tree.is(at, "field_expression") ||
        tree.is(at, "pointer_expression")) {
      at = tree.field(at, "argument");
    } else {
      return at;
    }
  }
}

}  // namespace

std::string obstacle_in(const CudaSource& source, NodeId node, const std::set<NodeId>& understood) {
  return obstacle_below(source, node, 0, understood);
}

std::optional<std::int64_t> type_bytes(std::string_view type) {
  const std::uint32_t bytes = bytes_of_scalar(type);
  return bytes == 0 ? std::nullopt : std::optional<std::int64_t>(bytes);
}

bool writes_variable(const SyntaxTree& tree, NodeId node, std::string_view name) {
  for (const NodeId at : tree.descendants(node)) {
    NodeId target = kNoNode;
    if (tree.is(at, "assignment_expression")) target = tree.field(at, "left");
    if (tree.is(at, "update_expression")) target = tree.field(at, "argument");
    if (tree.is(at, "pointer_expression") && tree.operator_of(at) == "&") {
      target = tree.field(at, "argument");
    }
    if (target == kNoNode) continue;
    if (tree.text(root_of(tree, target)) == name) return true;
  }
  return false;
}

bool declares(const SyntaxTree& tree, NodeId node, std::string_view name) {
  for (const NodeId at : tree.descendants(node)) {
    if (!tree.is(at, "declaration") && !tree.is(at, "parameter_declaration")) continue;
    for (const NodeId part : tree.all_children(at)) {
      if (tree.node(part).field == "declarator" && tree.text(tree.declared(part)) == name) {
        return true;
      }
    }
  }
  return false;
}

std::string unused_name(const SyntaxTree& tree, const std::string& wish) {
  const auto is_taken = [&](const std::string& name) {
    const auto& nodes = tree.descendants(tree.root());
    return std::any_of(nodes.begin(), nodes.end(), [&](NodeId node) {
      return tree.node(node).first_child == kNoNode && tree.text(node) == name;
    });
  };
  if (!is_taken(wish)) return wish;
  std::string name = wish.starts_with("wm_") ? wish : "wm_" + wish;
  if (name != wish && !is_taken(name)) return name;
  for (int number = 2;; ++number) {
    std::string numbered = name + std::to_string(number);
    if (!is_taken(numbered)) return numbered;
  }
}

Range whole_line(const SyntaxTree& tree, NodeId statement) {
  Range range = tree.node(statement).range;
  const std::string& source = tree.source();
  const std::size_t line = range.begin == 0 ? 0 : source.rfind('\n', range.begin - 1) + 1;
  const bool is_alone = source.find_first_not_of(" \t", line) == range.begin &&
                        range.end < source.size() && source[range.end] == '\n';
  return is_alone ? Range{line, range.end + 1} : range;
}

}  // namespace warpmind::agents::builtin
