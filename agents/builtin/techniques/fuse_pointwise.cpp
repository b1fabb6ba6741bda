#include "agents/builtin/pointwise/pointwise_fusion.h"
#include "agents/builtin/pointwise/pointwise_kernel.h"
#include "agents/builtin/pointwise/pure_code.h"
#include "agents/builtin/pointwise/store_fusion.h"
#include "agents/builtin/techniques/all_techniques.h"

#include <algorithm>
#include <array>

namespace warpmind::agents::builtin {
namespace {

constexpr std::array<std::int64_t, 3> kChains{8, 4, 2};

/// Bytes that the launches of timed workloads move when each buffer is moved once a launch.
double launch_bytes(const Scene& scene) {
  double bytes = 0;
  for (const auto& launch : scene.launches()) {
    const Function* function = scene.function_of(launch.index);
    if (!launch.timed || function == nullptr) continue;
    for (const auto& [name, extent] : launch.extents) {
      const Parameter* parameter = function->parameter(name);
      if (parameter == nullptr) continue;
      bytes += static_cast<double>(extent * type_bytes(parameter->base_type).value_or(4));
    }
  }
  return bytes;
}

/// Element by element, or inside of the store of whatever the first one is.
Fusion joined(const Scene& scene, std::size_t first) {
  auto elements = fuse_elements(scene, first);
  if (elements.kernel) return elements;
  auto store = fuse_into_store(scene, first);
  if (store.kernel || !find_pointwise(scene, first).kernel) return store;
  return elements;
}

struct Chained {
  Kernel kernel;
  std::size_t longest = 1;  ///< launches that became one
  double bytes_before = 0;
  double bytes_after = 0;
  std::string refusal;
};

/// Joins launches from the first on, at most `most` into one.
Chained chained(const Scene& scene, std::int64_t most) {
  Chained result{scene.kernel(), 1, launch_bytes(scene), launch_bytes(scene), {}};
  std::vector<std::int64_t> lengths(scene.plan().launches.size(), 1);
  for (std::size_t at = 0; at + 1 < lengths.size();) {
    const auto& given = scene.context();
    const ProposalContext context{given.task, result.kernel, given.bottleneck, given.advice,
                                  given.device};
    const auto now = Scene::read(context);
    if (!now) break;
    auto fusion = lengths[at] + lengths[at + 1] > most ? Fusion{} : joined(*now, at);
    if (!fusion.kernel) {
      if (result.refusal.empty()) result.refusal = fusion.refusal;
      ++at;
      continue;
    }
    lengths[at] += lengths[at + 1];
    lengths.erase(lengths.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    result.longest = std::max(result.longest, static_cast<std::size_t>(lengths[at]));
    result.kernel = std::move(*fusion.kernel);
    const ProposalContext after{given.task, result.kernel, given.bottleneck, given.advice,
                                given.device};
    if (const auto fused = Scene::read(after)) result.bytes_after = launch_bytes(*fused);
  }
  return result;
}

std::optional<Kernel> apply_fuse_pointwise(const Scene& scene, std::string_view parameters) {
  const auto most = parameter_number(parameters, "max_chain");
  if (!most || *most < 2 || *most > kChains.front()) return std::nullopt;
  auto result = chained(scene, *most);
  if (result.longest < 2) return std::nullopt;
  return std::move(result.kernel);
}

/// Memory traffic decides; launches that are too short for that cost what a launch costs.
double fusion_gain(const Scene& scene, const Chained& result) {
  constexpr double kShort = 4e6;
  if (result.bytes_before < kShort * static_cast<double>(scene.plan().launches.size())) {
    return static_cast<double>(scene.plan().launches.size()) /
           static_cast<double>(result.kernel.plan.launches.size());
  }
  return std::clamp(result.bytes_before / std::max(result.bytes_after, 1.0), 1.0, 4.0);
}

Offer offer_fuse_pointwise(const Scene& scene) {
  if (scene.plan().launches.empty()) return Offer::refuse(kNoLaunch);
  if (scene.plan().launches.size() < 2) return Offer::refuse("the plan has one launch");
  Offer offer;
  std::size_t longest_before = 0;
  for (const auto most : kChains) {
    const auto result = chained(scene, most);
    if (result.longest < 2) {
      offer.refusal = result.refusal;
      break;
    }
    if (result.longest == longest_before) offer.moves.pop_back();  // the smaller number says it
    longest_before = result.longest;
    offer.moves.push_back(
        {"fuse_pointwise", "max_chain=" + std::to_string(most), fusion_gain(scene, result)});
  }
  if (!offer.moves.empty()) offer.refusal.clear();
  return offer;
}

}  // namespace

Technique fuse_pointwise_technique() {
  return {"fuse_pointwise",
          "what one launch writes for an element and the next one reads stays in a register, so "
          "that it does not travel through memory",
          "max_chain=2, 4 or 8 launches that may become one", offer_fuse_pointwise,
          apply_fuse_pointwise};
}

}  // namespace warpmind::agents::builtin
