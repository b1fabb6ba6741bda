#include "agents/builtin/techniques/all_techniques.h"

#include <algorithm>
#include <array>

namespace warpmind::agents::builtin {
namespace {

constexpr std::array<std::int64_t, 4> kResidentBlocks{0, 2, 4, 8};

/// Threads of the largest block that `function` is launched with; 0 when it never is.
std::int64_t largest_block(const Scene& scene, const Function& function) {
  std::int64_t most = 0;
  for (const auto& launch : scene.launches()) {
    if (scene.plan().launches[launch.index].kernel != function.name) continue;
    std::int64_t threads = 1;
    for (const auto extent : launch.shape.block) threads *= extent;
    most = std::max(most, threads);
  }
  return most;
}

bool has_bounds(const Scene& scene, const Function& function) {
  const SyntaxTree& tree = scene.tree();
  const auto head = std::string_view(tree.source())
                        .substr(function.attribute_end,
                                tree.node(function.body).range.begin - function.attribute_end);
  return head.find("__launch_bounds__") != std::string_view::npos;
}

std::vector<TextEdit> bounds_edits(const Scene& scene, std::int64_t blocks) {
  std::vector<TextEdit> edits;
  for (const auto& function : scene.source().functions) {
    if (function.kind != FunctionKind::kernel || has_bounds(scene, function)) continue;
    const auto threads = largest_block(scene, function);
    if (threads == 0) continue;
    const std::string bounds =
        std::to_string(threads) + (blocks > 0 ? ", " + std::to_string(blocks) : std::string());
    edits.push_back(
        {{function.attribute_end, function.attribute_end}, " __launch_bounds__(" + bounds + ")"});
  }
  return edits;
}

std::optional<Kernel> apply_launch_bounds(const Scene& scene, std::string_view parameters) {
  const auto blocks = parameter_number(parameters, "blocks");
  if (!blocks || *blocks < 0 || *blocks > 32) return std::nullopt;
  auto edits = bounds_edits(scene, *blocks);
  if (edits.empty()) return std::nullopt;
  return with_edits(scene, std::move(edits));
}

Offer offer_launch_bounds(const Scene& scene) {
  if (scene.plan().launches.empty()) return Offer::refuse(kNoLaunch);
  if (bounds_edits(scene, 0).empty()) {
    return Offer::refuse("every launched kernel has its launch bounds already");
  }
  const bool pressed = scene.context().bottleneck.primary == BottleneckClass::low_occupancy;
  Offer offer;
  for (const auto blocks : kResidentBlocks) {
    const double resident = pressed ? 1.12 : 1.0;
    offer.moves.push_back(
        {"launch_bounds", "blocks=" + std::to_string(blocks), blocks == 0 ? 1.03 : resident});
  }
  return offer;
}

}  // namespace

Technique launch_bounds_technique() {
  return {"launch_bounds",
          "the compiler may use more registers when it knows the block size, or fewer when asked "
          "for more resident blocks",
          "blocks=0, 2, 4 or 8: blocks that shall fit on a multiprocessor, 0 = no wish",
          offer_launch_bounds, apply_launch_bounds};
}

}  // namespace warpmind::agents::builtin
