#include "agents/builtin/contraction/staged_tiles.h"
#include "agents/builtin/techniques/all_techniques.h"

namespace warpmind::agents::builtin {
namespace {

Offer offer_wgmma_pipeline(const Scene& scene) {
  return offer_staged(scene, group_family(), "wgmma_pipeline");
}

std::optional<Kernel> apply_wgmma_pipeline(const Scene& scene, std::string_view parameters) {
  return apply_staged(scene, group_family(), parameters);
}

}  // namespace

Technique wgmma_pipeline_technique() {
  return {"wgmma_pipeline",
          "groups of four warps multiply tiles straight from shared memory, at twice the rate that "
          "single warps reach, while the next tiles are on their way",
          "tile=64x64x64 … 256x128x64;stages=3, 4 or 6", offer_wgmma_pipeline,
          apply_wgmma_pipeline};
}

}  // namespace warpmind::agents::builtin
