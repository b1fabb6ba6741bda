#include "agents/builtin/techniques/all_techniques.h"

#include <set>

namespace warpmind::agents::builtin {
namespace {

/// The buffer that two pointer parameters of `function` share in some launch, or empty.
std::string shared_buffer(const Scene& scene, const Function& function) {
  for (const auto* launch : scene.launches_of(function)) {
    std::set<std::string> seen;
    for (const auto& [parameter, buffer] : launch->buffers) {
      if (!seen.insert(buffer).second) return buffer;
    }
  }
  return {};
}

/// Just after the last `*` of a plain pointer parameter; 0 when it is none.
std::size_t after_star(const SyntaxTree& tree, const Parameter& parameter) {
  std::size_t end = 0;
  NodeId at = tree.field(parameter.node, "declarator");
  for (; tree.is(at, "pointer_declarator"); at = tree.field(at, "declarator")) {
    for (const NodeId child : tree.all_children(at)) {
      if (tree.text(child) == "*") end = tree.node(child).range.end;
    }
  }
  return at == parameter.identifier ? end : 0;
}

std::vector<TextEdit> restrict_edits(const Scene& scene, std::string& refusal) {
  std::vector<TextEdit> edits;
  refusal = "every pointer of every kernel is marked already";
  for (const auto& function : scene.source().functions) {
    if (function.kind != FunctionKind::kernel) continue;
    if (const auto buffer = shared_buffer(scene, function); !buffer.empty()) {
      refusal = "two pointers of '" + function.name + "' are bound to '" + buffer + "'";
      continue;
    }
    for (const auto& parameter : function.parameters) {
      const std::size_t at = after_star(scene.tree(), parameter);
      if (at == 0 || parameter.is_restrict) continue;
      edits.push_back({{at, at}, " __restrict__"});
    }
  }
  return edits;
}

Offer offer_restrict(const Scene& scene) {
  std::string refusal;
  if (restrict_edits(scene, refusal).empty()) return Offer::refuse(refusal);
  const auto primary = scene.context().bottleneck.primary;
  const bool latency =
      primary == BottleneckClass::memory_latency || primary == BottleneckClass::uncoalesced_access;
  return {{{"restrict", "", latency ? 1.12 : 1.05}}, {}};
}

std::optional<Kernel> apply_restrict(const Scene& scene, std::string_view parameters) {
  std::string refusal;
  auto edits = restrict_edits(scene, refusal);
  if (edits.empty() || !parameters.empty()) return std::nullopt;
  return with_edits(scene, std::move(edits));
}

}  // namespace

Technique restrict_technique() {
  return {"restrict",
          "pointers that are promised not to alias let loads move across stores and use the "
          "read-only path",
          "", offer_restrict, apply_restrict};
}

}  // namespace warpmind::agents::builtin
