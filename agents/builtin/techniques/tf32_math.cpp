#include "agents/builtin/contraction/staged_tiles.h"
#include "agents/builtin/techniques/all_techniques.h"

namespace warpmind::agents::builtin {
namespace {

Offer offer_tf32_math(const Scene& scene) {
  return offer_staged(scene, tf32_family(), "tf32_math");
}

std::optional<Kernel> apply_tf32_math(const Scene& scene, std::string_view parameters) {
  return apply_staged(scene, tf32_family(), parameters);
}

}  // namespace

Technique tf32_math_technique() {
  return {"tf32_math",
          "tensor cores multiply f32 operands that are rounded to ten bits of mantissa many times "
          "faster than the ordinary units multiply them whole",
          "tile=32x32x32 … 128x256x32;stages=2, 3 or 4", offer_tf32_math, apply_tf32_math};
}

}  // namespace warpmind::agents::builtin
