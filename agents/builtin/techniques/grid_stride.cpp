#include "agents/builtin/pointwise/element_loop.h"
#include "agents/builtin/pointwise/pure_code.h"
#include "agents/builtin/techniques/all_techniques.h"
#include "base/sequence.h"

#include <algorithm>
#include <array>

namespace warpmind::agents::builtin {
namespace {

constexpr std::array<std::int64_t, 4> kBlocksPerSm{8, 16, 4, 2};

std::string loop_head(const Scene& scene, const PointwiseKernel& kernel, const std::string& at) {
  std::string head = "for (long long " + at + " = static_cast<long long>(";
  head.append(scene.tree().text(kernel.first)).append("); ").append(at).append(" < ");
  head.append(wide_bound(scene, kernel)).append(";\n       ").append(at);
  return head.append(" += static_cast<long long>(gridDim.x) * blockDim.x)");
}

std::string at_most(const std::string& extent, std::int64_t most) {
  return "min(" + extent + ", " + std::to_string(most) + ")";
}

std::optional<Kernel> apply_grid_stride(const Scene& scene, std::string_view parameters) {
  const auto blocks = parameter_number(parameters, "blocks_per_sm");
  const bool is_known = blocks && contains(kBlocksPerSm, *blocks);
  if (!is_known || scene.context().device.sm_count < 1) return std::nullopt;
  std::string refusal;
  const auto kernels = one_element_kernels(scene, refusal);
  if (kernels.empty()) return std::nullopt;
  const SyntaxTree& tree = scene.tree();
  const std::string at = unused_name(tree, "wm_at");
  std::vector<TextEdit> edits;
  for (const auto& [function, kernel] : kernels) {
    const auto own = element_loop_edits(scene, kernel, at, loop_head(scene, kernel, at));
    edits.insert(edits.end(), own.begin(), own.end());
  }
  Kernel edited = with_edits(scene, std::move(edits));
  for (std::size_t i = 0; i < edited.plan.launches.size(); ++i) {
    if (!kernels.contains(scene.function_of(i))) continue;
    auto& grid = edited.plan.launches[i].grid[0];
    grid = at_most(grid, *blocks * scene.context().device.sm_count);
  }
  return edited;
}

Offer offer_grid_stride(const Scene& scene) {
  Offer offer;
  const auto kernels = one_element_kernels(scene, offer.refusal);
  if (kernels.empty()) return offer;
  const auto& device = scene.context().device;
  if (device.sm_count < 1) return Offer::refuse("the number of multiprocessors is not known");
  offer.refusal.clear();
  std::int64_t blocks = 0;
  for (const auto& launch : scene.launches()) {
    if (!launch.timed || !kernels.contains(scene.function_of(launch.index))) continue;
    blocks = std::max(blocks, std::int64_t{launch.shape.grid[0]});
  }
  for (const auto wanted : kBlocksPerSm) {
    const bool is_many = blocks > 4 * wanted * device.sm_count;
    offer.moves.push_back(
        {"grid_stride", "blocks_per_sm=" + std::to_string(wanted), is_many ? 1.03 : 0.98});
  }
  return offer;
}

}  // namespace

Technique grid_stride_technique() {
  return {"grid_stride",
          "few long-lived blocks that walk over all elements save the start of many short ones",
          "blocks_per_sm=2, 4, 8 or 16", offer_grid_stride, apply_grid_stride};
}

}  // namespace warpmind::agents::builtin
