#include "agents/builtin/loops/decided_conditions.h"

#include "agents/builtin/probe/integer_value.h"

#include <algorithm>
#include <optional>

namespace warpmind::agents::builtin {
namespace {

constexpr std::string_view kArchitecture = "__CUDA_ARCH__";

class ConditionReader {
 public:
  ConditionReader(const SyntaxTree& tree, int architecture)
      : tree_(tree), architecture_(architecture) {}

  /// What takes the place of the directive; nullopt: something else decides.
  [[nodiscard]] std::optional<Range> chosen(NodeId directive) const {
    const auto holds = decided(directive);
    if (!holds) return std::nullopt;
    const NodeId other = tree_.field(directive, "alternative");
    if (*holds) return text_from(head_end(directive), other, directive);
    if (other == kNoNode) {
      const std::size_t end = tree_.node(directive).range.end;
      return Range{end, end};
    }
    if (tree_.is(other, "preproc_else")) {
      return text_from(tree_.node(other).range.begin, kNoNode, directive);
    }
    return chosen_of_elif(other, directive);
  }

 private:
  [[nodiscard]] std::optional<Range> chosen_of_elif(NodeId part, NodeId directive) const {
    if (!tree_.is(part, "preproc_elif")) return std::nullopt;
    const auto holds = value_of(tree_.field(part, "condition"));
    if (!holds) return std::nullopt;
    const NodeId other = tree_.field(part, "alternative");
    if (*holds != 0) return text_from(head_end(part), other, directive);
    if (other == kNoNode) {
      const std::size_t end = tree_.node(directive).range.end;
      return Range{end, end};
    }
    if (!tree_.is(other, "preproc_else")) return chosen_of_elif(other, directive);
    return text_from(tree_.node(other).range.begin, kNoNode, directive);
  }

  [[nodiscard]] std::size_t head_end(NodeId directive) const {
    const bool is_name = tree_.is(directive, "preproc_ifdef");
    return tree_.node(tree_.field(directive, is_name ? "name" : "condition")).range.end;
  }

  /// From the line behind `from` up to the next branch or the end of the directive.
  [[nodiscard]] std::optional<Range> text_from(std::size_t from, NodeId next,
                                               NodeId directive) const {
    const std::string& source = tree_.source();
    const std::size_t line = source.find('\n', from);
    std::size_t end = std::string::npos;
    if (next != kNoNode) {
      end = tree_.node(next).range.begin;
    } else {
      for (const NodeId part : tree_.all_children(directive)) {
        if (tree_.is(part, "#endif")) end = tree_.node(part).range.begin;
      }
    }
    if (line == std::string::npos || end == std::string::npos || line >= end) return std::nullopt;
    return Range{line + 1, end};
  }

  [[nodiscard]] std::optional<bool> decided(NodeId directive) const {
    if (tree_.is(directive, "preproc_ifdef")) {
      if (tree_.text(tree_.field(directive, "name")) != kArchitecture) return std::nullopt;
      const auto parts = tree_.all_children(directive);
      return !parts.empty() && tree_.text(parts.front()) == "#ifdef";
    }
    const auto value = value_of(tree_.field(directive, "condition"));
    if (!value) return std::nullopt;
    return *value != 0;
  }

  [[nodiscard]] std::optional<std::int64_t> value_of(NodeId condition) const {
    if (condition == kNoNode) return std::nullopt;
    if (tree_.is(condition, "parenthesized_expression")) {
      return value_of(tree_.bare(condition));
    }
    if (tree_.is(condition, "preproc_defined")) {
      if (!has_word(condition)) return std::nullopt;
      return 1;
    }
    if (tree_.is(condition, "identifier")) {
      if (!has_word(condition)) return std::nullopt;
      return architecture_;
    }
    if (tree_.is(condition, "number_literal")) {
      const Value value = literal_value(tree_.text(condition));
      return value.known ? std::optional(value.number) : std::nullopt;
    }
    const auto op = tree_.operator_of(condition);
    if (tree_.is(condition, "unary_expression") && op == "!") {
      const auto value = value_of(tree_.field(condition, "argument"));
      if (!value) return std::nullopt;
      return *value == 0 ? 1 : 0;
    }
    if (!tree_.is(condition, "binary_expression")) return std::nullopt;
    const auto left = value_of(tree_.field(condition, "left"));
    const auto right = value_of(tree_.field(condition, "right"));
    if (!left || !right) return std::nullopt;
    if (op == "&&") return *left != 0 && *right != 0 ? 1 : 0;
    if (op == "||") return *left != 0 || *right != 0 ? 1 : 0;
    const Value value = combined(op, Value::of_int(*left), Value::of_int(*right));
    return value.known ? std::optional(value.number) : std::nullopt;
  }

  [[nodiscard]] bool has_word(NodeId node) const {
    if (tree_.is(node, "identifier")) return tree_.text(node) == kArchitecture;
    const auto names = tree_.descendants(node, "identifier");
    return names.size() == 1 && tree_.text(names.front()) == kArchitecture;
  }

  const SyntaxTree& tree_;
  int architecture_;
};

}  // namespace

std::vector<TextEdit> decided_conditions(const CudaSource& source, int architecture) {
  const SyntaxTree& tree = source.tree;
  if (architecture <= 0) return {};
  for (const std::string_view kind : {"preproc_def", "preproc_call"}) {
    for (const NodeId line : tree.descendants(tree.root(), kind)) {
      const auto text = tree.text(line);
      const bool changes = kind == "preproc_def" || text.find("undef") != std::string_view::npos;
      if (changes && text.find(kArchitecture) != std::string_view::npos) return {};
    }
  }
  const ConditionReader reader(tree, architecture);
  std::vector<TextEdit> edits;
  for (const Function& function : source.functions) {
    if (function.kind == FunctionKind::host || function.has_error) continue;
    std::vector<NodeId> directives = tree.descendants(function.body, "preproc_if");
    const auto more = tree.descendants(function.body, "preproc_ifdef");
    directives.insert(directives.end(), more.begin(), more.end());
    for (const NodeId directive : directives) {
      const bool is_inner = std::any_of(directives.begin(), directives.end(), [&](NodeId other) {
        return other != directive && tree.contains(other, directive);
      });
      const auto chosen = is_inner ? std::nullopt : reader.chosen(directive);
      if (!chosen) continue;
      Range whole = tree.node(directive).range;
      const std::string& text = tree.source();
      while (whole.begin > 0 && text[whole.begin - 1] == ' ') --whole.begin;
      edits.push_back({whole, text.substr(chosen->begin, chosen->end - chosen->begin)});
    }
  }
  return edits;
}

}  // namespace warpmind::agents::builtin
