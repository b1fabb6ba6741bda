#include "agents/builtin/contraction/tile_templates.h"
#include "agents/builtin/techniques/all_techniques.h"

namespace warpmind::agents::builtin {
namespace {

constexpr std::size_t kMostRegisterMoves = 4;

Offer offer_simt_contraction(const Scene& scene) {
  const auto found = contraction_for(scene, register_template());
  if (!found) return Offer::refuse(found.error().message);
  const DeviceSpec& device = scene.context().device;
  const bool vector = found->sides[0].is_contiguous || found->sides[1].is_contiguous;
  Offer offer;
  for (const auto& [shape, gain, time] :
       rank_tiles(*found, device, register_template().rates(device), register_template().shapes,
                  kMostRegisterMoves)) {
    offer.moves.push_back({"simt_contraction", tile_parameters(scene, *found, shape, vector),
                           plan_gain_by_time(scene, *found, gain, time)});
  }
  return offer;
}

std::optional<Kernel> apply_simt_contraction(const Scene& scene, std::string_view parameters) {
  const auto wanted = read_tile_parameters(scene, parameters, register_template().shapes);
  if (!wanted) return std::nullopt;
  const auto found = contraction_for(scene, register_template());
  if (!found || found->launch != wanted->launch) return std::nullopt;
  return lifted_kernel(scene, *found,
                       register_template().tile(*found, wanted->shape, wanted->vector));
}

}  // namespace

Technique simt_contraction_technique() {
  return {"simt_contraction",
          "each thread keeps a rectangle of outputs in registers, so that an element from shared "
          "memory is used several times",
          "tile=32x32x16 … 128x128x8;vec=0 … 1", offer_simt_contraction, apply_simt_contraction};
}

}  // namespace warpmind::agents::builtin
