#include "agents/builtin/techniques/all_techniques.h"

#include <array>

namespace warpmind::agents::builtin {
namespace {

constexpr std::array<std::int64_t, 4> kUnrollFactors{8, 4, 16, 2};

bool is_innermost(const SyntaxTree& tree, NodeId loop) {
  return tree.descendants(loop, "for_statement").size() == 1 &&
         tree.descendants(loop, "while_statement").empty() &&
         tree.descendants(loop, "do_statement").empty();
}

/// Starts of the lines of innermost loops that a pragma can stand above. It needs a line of its
/// own, and is not doubled when one is there already.
std::vector<Range> loop_indents(const Scene& scene) {
  std::vector<Range> indents;
  const SyntaxTree& tree = scene.tree();
  const std::string& source = tree.source();
  for (const auto& function : scene.source().functions) {
    if (function.kind != FunctionKind::kernel || function.has_error) continue;
    for (const NodeId loop : tree.descendants(function.body, "for_statement")) {
      if (!is_innermost(tree, loop)) continue;
      const std::size_t at = tree.node(loop).range.begin;
      const std::size_t line = at == 0 ? 0 : source.rfind('\n', at - 1) + 1;
      if (source.find_first_not_of(" \t", line) < at) continue;
      const std::size_t above = line < 2 ? 0 : source.rfind('\n', line - 2) + 1;
      if (source.substr(above, line - above).find("#pragma") != std::string::npos) continue;
      indents.push_back({line, at});
    }
  }
  return indents;
}

Offer offer_unroll(const Scene& scene) {
  if (loop_indents(scene).empty()) {
    return Offer::refuse("no kernel holds an innermost loop without a pragma");
  }
  Offer offer;
  for (const auto factor : kUnrollFactors) {
    offer.moves.push_back({"unroll", "factor=" + std::to_string(factor), 1.1});
  }
  return offer;
}

std::optional<Kernel> apply_unroll(const Scene& scene, std::string_view parameters) {
  const auto factor = parameter_number(parameters, "factor");
  if (!factor || *factor < 2 || *factor > 64) return std::nullopt;
  std::vector<TextEdit> edits;
  for (const Range indent : loop_indents(scene)) {
    edits.push_back({{indent.begin, indent.begin},
                     scene.tree().source().substr(indent.begin, indent.end - indent.begin) +
                         "#pragma unroll " + std::to_string(*factor) + "\n"});
  }
  if (edits.empty()) return std::nullopt;
  return with_edits(scene, std::move(edits));
}

}  // namespace

Technique unroll_technique() {
  return {"unroll", "unrolled inner loops keep more independent loads in flight",
          "factor=2, 4, 8 or 16", offer_unroll, apply_unroll};
}

}  // namespace warpmind::agents::builtin
