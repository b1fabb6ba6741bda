#include "agents/builtin/untiling/clear_comparisons.h"

#include "agents/builtin/syntax.h"

namespace warpmind::agents::builtin {
namespace {

constexpr int kMostRounds = 100;

/// The edit for one of them; empty: there is none.
std::vector<TextEdit> next_edit(const SyntaxTree& tree) {
  for (const NodeId node : tree.descendants(tree.root(), "template_function")) {
    const NodeId name = tree.field(node, "name");
    const auto arguments = tree.children(tree.field(node, "arguments"));
    const auto next = tree.node(node).range.end;
    const bool is_compared = next < tree.source().size() && tree.source()[next] == '=';
    if (!is_compared || arguments.size() != 1) continue;
    NodeId first = arguments.front();
    bool is_chain = false;
    while (tree.is(first, "binary_expression") &&
           (tree.operator_of(first) == "&&" || tree.operator_of(first) == "||")) {
      first = tree.field(first, "left");
      is_chain = true;
    }
    if (!is_chain) continue;
    const Range whole{tree.node(name).range.begin, tree.node(first).range.end};
    return {{whole, std::string(tree.text(first)) + " > " + std::string(tree.text(name))}};
  }
  return {};
}

}  // namespace

std::string with_clear_comparisons(std::string source) {
  for (int round = 0; round < kMostRounds; ++round) {
    const auto read = CudaSource::read(source);
    if (!read) break;
    auto edits = next_edit(read->tree);
    if (edits.empty()) break;
    source = apply_edits(source, std::move(edits));
  }
  return source;
}

}  // namespace warpmind::agents::builtin
