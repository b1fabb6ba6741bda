#include "agents/builtin/techniques/all_techniques.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace warpmind::agents::builtin {
namespace {

/// A literal of type double that a float holds as a normal number, or zero.
bool is_demotable(std::string_view text) {
  const bool is_hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  if (is_hexadecimal || text.find_first_of(".eE") == std::string_view::npos) return false;
  if (std::string_view("fFlL").find(text.back()) != std::string_view::npos) return false;
  std::string digits(text);
  std::erase(digits, '\'');
  char* end = nullptr;
  const double value = std::abs(std::strtod(digits.c_str(), &end));
  if (end != digits.c_str() + digits.size()) return false;
  return value == 0 || (value > 1e-37 && value < 3e38);
}

bool mentions_double(const SyntaxTree& tree, NodeId node) {
  const auto nodes = tree.descendants(node);
  return std::any_of(nodes.begin(), nodes.end(), [&](NodeId at) {
    return tree.node(at).first_child == kNoNode &&
           tree.text(at).find("double") != std::string::npos;
  });
}

/// In device code that has no doubles on purpose.
std::vector<TextEdit> demotion_edits(const Scene& scene, std::string& refusal) {
  const SyntaxTree& tree = scene.tree();
  std::vector<TextEdit> edits;
  refusal = "device code holds no literal of type double";
  for (const auto& function : scene.source().functions) {
    if (function.kind == FunctionKind::host) continue;
    std::vector<TextEdit> own;
    for (const NodeId number : tree.descendants(function.body, "number_literal")) {
      if (!is_demotable(tree.text(number))) continue;
      const auto end = tree.node(number).range.end;
      own.push_back({{end, end}, "f"});
    }
    if (own.empty()) continue;
    const auto why = reason_not_to_edit(scene.source(), function);
    if (!why.empty()) {
      refusal = why;
    } else if (mentions_double(tree, function.node)) {
      refusal = "'" + function.name + "' computes with doubles on purpose";
    } else {
      edits.insert(edits.end(), own.begin(), own.end());
    }
  }
  return edits;
}

Offer offer_demote_double(const Scene& scene) {
  if (scene.context().task.contract.tolerance == ToleranceClass::exact) {
    return Offer::refuse("the task wants exact results");
  }
  std::string refusal;
  if (demotion_edits(scene, refusal).empty()) return Offer::refuse(refusal);
  const bool arithmetic = scene.suffers(BottleneckClass::compute_throughput);
  return {{{"demote_double", "", arithmetic ? 2.0 : 1.15}}, {}};
}

std::optional<Kernel> apply_demote_double(const Scene& scene, std::string_view parameters) {
  if (!parameters.empty() || !offer_demote_double(scene).refusal.empty()) return std::nullopt;
  std::string refusal;
  return with_edits(scene, demotion_edits(scene, refusal));
}

}  // namespace

Technique demote_double_technique() {
  return {"demote_double",
          "literals without an f make float arithmetic run in double precision, which is slow", "",
          offer_demote_double, apply_demote_double};
}

}  // namespace warpmind::agents::builtin
