#include "agents/builtin/contraction/tile_templates.h"
#include "agents/builtin/techniques/all_techniques.h"

#include <algorithm>

namespace warpmind::agents::builtin {
namespace {

constexpr std::size_t kMostTensorMoves = 4;
constexpr std::int64_t kLeastDepth = 8;

Result<Contraction> tensor_contraction(const Scene& scene) {
  WARPMIND_TRY(auto found, contraction_for(scene, tensor_template()));
  if (found.depth.front() < kLeastDepth) {
    return fail(Errc::not_found,
                "the sums have only " + std::to_string(found.depth.front()) + " terms");
  }
  return found;
}

Offer offer_tensor_core_mma(const Scene& scene) {
  const auto found = tensor_contraction(scene);
  if (!found) return Offer::refuse(found.error().message);
  const DeviceSpec& device = scene.context().device;
  const auto ranked = rank_tiles(*found, device, tensor_template().rates(device),
                                 tensor_template().shapes, kMostTensorMoves);
  const bool vector = found->sides[0].is_contiguous || found->sides[1].is_contiguous;
  Offer offer;
  for (const auto& [shape, gain, time] : ranked) {
    offer.moves.push_back({"tensor_core_mma", tile_parameters(scene, *found, shape, vector),
                           plan_gain_by_time(scene, *found, gain, time)});
  }
  if (vector) {
    offer.moves.push_back({"tensor_core_mma",
                           tile_parameters(scene, *found, ranked.front().shape, false),
                           std::max(1.0, offer.moves.front().prior_gain * 0.5)});
  }
  return offer;
}

std::optional<Kernel> apply_tensor_core_mma(const Scene& scene, std::string_view parameters) {
  const auto wanted = read_tile_parameters(scene, parameters, tensor_template().shapes);
  if (!wanted) return std::nullopt;
  const auto found = tensor_contraction(scene);
  if (!found || found->launch != wanted->launch) return std::nullopt;
  return lifted_kernel(scene, *found,
                       tensor_template().tile(*found, wanted->shape, wanted->vector));
}

}  // namespace

Technique tensor_core_mma_technique() {
  return {
      "tensor_core_mma",
      "tensor cores multiply tiles that are staged in shared memory, where each element is read "
      "once for a whole row or column of the tile",
      "tile=16x64x32 … 128x128x32;vec=0 … 1", offer_tensor_core_mma, apply_tensor_core_mma};
}

}  // namespace warpmind::agents::builtin
