#include "agents/builtin/techniques/all_techniques.h"

#include <algorithm>
#include <array>

namespace warpmind::agents::builtin {
namespace {

struct Intrinsic {
  std::string_view slow;
  std::string_view fast;
};
// CUDA C++ Programming Guide, table of intrinsic functions; float only.
constexpr std::array<Intrinsic, 6> kIntrinsics{{{"expf", "__expf"},
                                                {"logf", "__logf"},
                                                {"powf", "__powf"},
                                                {"sinf", "__sinf"},
                                                {"cosf", "__cosf"},
                                                {"fdividef", "__fdividef"}}};

bool is_defined_here(const Scene& scene, std::string_view name) {
  const auto& functions = scene.source().functions;
  return std::any_of(functions.begin(), functions.end(),
                     [&](const Function& function) { return function.name == name; });
}

/// Calls in device code; host code has no such instructions.
std::vector<TextEdit> intrinsic_edits(const Scene& scene) {
  const SyntaxTree& tree = scene.tree();
  std::vector<TextEdit> edits;
  for (const auto& function : scene.source().functions) {
    if (function.kind == FunctionKind::host) continue;
    for (const NodeId call : tree.descendants(function.body, "call_expression")) {
      const NodeId callee = tree.field(call, "function");
      const auto found =
          std::find_if(kIntrinsics.begin(), kIntrinsics.end(),
                       [&](const Intrinsic& known) { return tree.text(callee) == known.slow; });
      if (found == kIntrinsics.end() || is_defined_here(scene, found->slow)) continue;
      edits.push_back({tree.node(callee).range, std::string(found->fast)});
    }
  }
  return edits;
}

bool wants_exact_results(const Scene& scene) {
  return scene.context().task.contract.tolerance == ToleranceClass::exact;
}

Offer offer_fast_intrinsics(const Scene& scene) {
  if (wants_exact_results(scene)) return Offer::refuse("the contract asks for exact results");
  if (intrinsic_edits(scene).empty()) {
    return Offer::refuse("no call of a function that has a hardware approximation");
  }
  const bool arithmetic = scene.context().bottleneck.primary == BottleneckClass::compute_throughput;
  return {{{"fast_intrinsics", "", arithmetic ? 1.2 : 1.04}}, {}};
}

std::optional<Kernel> apply_fast_intrinsics(const Scene& scene, std::string_view parameters) {
  auto edits = intrinsic_edits(scene);
  if (edits.empty() || !parameters.empty() || wants_exact_results(scene)) return std::nullopt;
  return with_edits(scene, std::move(edits));
}

}  // namespace

Technique fast_intrinsics_technique() {
  return {"fast_intrinsics", "hardware approximations of the transcendental functions only", "",
          offer_fast_intrinsics, apply_fast_intrinsics};
}

}  // namespace warpmind::agents::builtin
