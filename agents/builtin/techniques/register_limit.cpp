#include "agents/builtin/techniques/all_techniques.h"

#include <algorithm>
#include <array>

namespace warpmind::agents::builtin {
namespace {

constexpr std::string_view kOption = "--maxrregcount=";
constexpr std::array<int, 3> kRegisterLimits{32, 64, 128};

std::optional<Kernel> apply_register_limit(const Scene& scene, std::string_view parameters) {
  const bool is_known = std::any_of(kRegisterLimits.begin(), kRegisterLimits.end(), [&](int limit) {
    return parameters == std::string(kOption) + std::to_string(limit);
  });
  if (!is_known) return std::nullopt;
  Kernel edited = scene.kernel();
  std::erase_if(edited.build_flags,
                [](const std::string& flag) { return flag.starts_with(kOption); });
  edited.build_flags.emplace_back(parameters);
  if (edited == scene.kernel()) return std::nullopt;
  return edited;
}

Offer offer_register_limit(const Scene& scene) {
  const bool pressed = scene.context().bottleneck.primary == BottleneckClass::low_occupancy;
  Offer offer;
  for (const int limit : kRegisterLimits) {
    const std::string parameters = std::string(kOption) + std::to_string(limit);
    if (!apply_register_limit(scene, parameters)) continue;
    offer.moves.push_back({"register_limit", parameters, pressed ? 1.15 : 0.98});
  }
  return offer;  // never empty: at most one of the three is set
}

}  // namespace

Technique register_limit_technique() {
  return {"register_limit", "fewer registers a thread allow more resident warps",
          "--maxrregcount=32, --maxrregcount=64 or --maxrregcount=128", offer_register_limit,
          apply_register_limit};
}

}  // namespace warpmind::agents::builtin
