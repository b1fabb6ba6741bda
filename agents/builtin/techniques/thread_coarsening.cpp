#include "agents/builtin/pointwise/element_loop.h"
#include "agents/builtin/pointwise/pure_code.h"
#include "agents/builtin/techniques/all_techniques.h"
#include "base/sequence.h"

#include <algorithm>
#include <array>

namespace warpmind::agents::builtin {
namespace {

constexpr std::array<std::int64_t, 3> kItems{4, 2, 8};

/// Elements of a thread lie a block apart, so that each pass of a warp is contiguous.
std::vector<TextEdit> coarsening_edits(const Scene& scene, const PointwiseKernel& kernel,
                                       const std::string& items) {
  const SyntaxTree& tree = scene.tree();
  const std::string count = unused_name(tree, "wm_count");
  const std::string item = unused_name(tree, "wm_item");
  const std::string at = unused_name(tree, "wm_at");
  std::string head = "const long long " + count + " = " + wide_bound(scene, kernel) +
                     ";\n#pragma unroll\n  for (int " + item + " = 0; " + item + " < " + items +
                     "; ++" + item + ") {\n    const long long " + at +
                     " = (static_cast<long long>(blockIdx.x) * " + items + " + " + item +
                     ") * blockDim.x + threadIdx.x;\n    if (" + at + " >= " + count +
                     ") break;\n   ";
  auto edits = element_loop_edits(scene, kernel, at, head);
  edits.back().text += "\n  }";
  return edits;
}

std::optional<Kernel> apply_thread_coarsening(const Scene& scene, std::string_view parameters) {
  const auto items = parameter_number(parameters, "items");
  if (!items || !contains(kItems, *items)) {
    return std::nullopt;
  }
  std::string refusal;
  const auto kernels = one_element_kernels(scene, refusal);
  if (kernels.empty()) return std::nullopt;
  std::vector<TextEdit> edits;
  for (const auto& [function, kernel] : kernels) {
    const auto own = coarsening_edits(scene, kernel, std::to_string(*items));
    edits.insert(edits.end(), own.begin(), own.end());
  }
  Kernel edited = with_edits(scene, std::move(edits));
  for (std::size_t i = 0; i < edited.plan.launches.size(); ++i) {
    if (!kernels.contains(scene.function_of(i))) continue;
    auto& grid = edited.plan.launches[i].grid[0];
    grid = divided_text(grid, *items);
  }
  return edited;
}

Offer offer_thread_coarsening(const Scene& scene) {
  Offer offer;
  const auto kernels = one_element_kernels(scene, offer.refusal);
  if (kernels.empty()) return offer;
  offer.refusal.clear();
  const std::int64_t threads = std::max(scene.context().device.threads_per_sm, 1024) *
                               std::int64_t{std::max(scene.context().device.sm_count, 16)};
  std::int64_t elements = 0;
  for (const auto& [function, kernel] : kernels) {
    elements = std::max(elements, timed_elements(scene, kernel));
  }
  for (const auto items : kItems) {
    // Two waves must remain: with fewer the device is not filled any more.
    const bool fills = elements / items >= 2 * threads;
    offer.moves.push_back(
        {"thread_coarsening", "items=" + std::to_string(items), fills ? 1.08 : 0.95});
  }
  return offer;
}

}  // namespace

Technique thread_coarsening_technique() {
  return {"thread_coarsening",
          "a thread that computes several independent elements has several loads in flight and "
          "decodes shared sizes once",
          "items=2, 4 or 8 elements a thread, a block apart", offer_thread_coarsening,
          apply_thread_coarsening};
}

}  // namespace warpmind::agents::builtin
