#include "agents/builtin/contraction/staged_tiles.h"
#include "agents/builtin/techniques/all_techniques.h"

namespace warpmind::agents::builtin {
namespace {

Offer offer_async_copy_pipeline(const Scene& scene) {
  return offer_staged(scene, warp_family(), "async_copy_pipeline");
}

std::optional<Kernel> apply_async_copy_pipeline(const Scene& scene, std::string_view parameters) {
  return apply_staged(scene, warp_family(), parameters);
}

}  // namespace

Technique async_copy_pipeline_technique() {
  return {"async_copy_pipeline",
          "tiles of the next terms are on their way to shared memory while tensor cores multiply "
          "this one, and no register holds them in between",
          "tile=16x64x64 … 256x128x32;stages=2, 3 or 4", offer_async_copy_pipeline,
          apply_async_copy_pipeline};
}

}  // namespace warpmind::agents::builtin
