#include "agents/builtin/techniques/all_techniques.h"
#include "base/sequence.h"

namespace warpmind::agents::builtin {
namespace {

constexpr std::string_view kFastMath = "--use_fast_math";

bool has_flag(const Kernel& kernel, std::string_view flag) {
  return contains(kernel.build_flags, flag);
}

std::string obstacle_to_fast_math(const Scene& scene) {
  if (has_flag(scene.kernel(), kFastMath)) return "it is built so already";
  if (scene.context().task.contract.tolerance == ToleranceClass::exact) {
    return "the contract asks for exact results";
  }
  return {};
}

std::optional<Kernel> apply_fast_math(const Scene& scene, std::string_view parameters) {
  if (parameters != kFastMath || !obstacle_to_fast_math(scene).empty()) return std::nullopt;
  Kernel edited = scene.kernel();
  edited.build_flags.emplace_back(kFastMath);
  return edited;
}

Offer offer_fast_math(const Scene& scene) {
  if (auto why = obstacle_to_fast_math(scene); !why.empty()) return Offer::refuse(std::move(why));
  const bool arithmetic = scene.context().bottleneck.primary == BottleneckClass::compute_throughput;
  return {{{"fast_math", std::string(kFastMath), arithmetic ? 1.2 : 1.03}}, {}};
}

}  // namespace

Technique fast_math_technique() {
  return {"fast_math", "approximate division, square root and transcendental instructions",
          "--use_fast_math", offer_fast_math, apply_fast_math};
}

}  // namespace warpmind::agents::builtin
