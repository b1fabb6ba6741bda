#include "agents/builtin/scene_spellings.h"

#include "agents/builtin/loops/plain_spelling.h"
#include "agents/builtin/untiling/untiled.h"

#include <optional>
#include <utility>

namespace warpmind::agents::builtin {

struct SceneSpellings::Spelled : OtherKernel {
  using OtherKernel::OtherKernel;
  std::optional<Scene> scene;
};

Result<SceneSpellings> SceneSpellings::read(const ProposalContext& context) {
  WARPMIND_TRY(auto scene, Scene::read(context));
  SceneSpellings all(std::move(scene));
  WARPMIND_TRY(all.plain_, plain_of(context, all.given_));
  const Untiling& found = untiling_of(all.given_);
  if (!found.refusals.empty()) all.tiles_stay_ = found.refusals.begin()->second;
  if (!found.untiled) return all;
  WARPMIND_TRY(all.untiled_, spelled(context, found.untiled->kernel));
  WARPMIND_TRY(all.plain_untiled_, plain_of(context, *all.untiled()));
  return all;
}

Result<std::shared_ptr<const SceneSpellings::Spelled>> SceneSpellings::spelled(
    const ProposalContext& context, Kernel kernel) {
  auto other = std::make_shared<Spelled>(context, std::move(kernel));
  WARPMIND_TRY(other->scene, Scene::read(other->context));
  return std::shared_ptr<const Spelled>(std::move(other));
}

Result<std::shared_ptr<const SceneSpellings::Spelled>> SceneSpellings::plain_of(
    const ProposalContext& context, const Scene& scene) {
  auto kernel = plain_spelling(scene);
  if (!kernel) return std::shared_ptr<const Spelled>();
  return spelled(context, std::move(*kernel));
}

const Scene* SceneSpellings::scene_of(const std::shared_ptr<const Spelled>& spelled) {
  return spelled == nullptr ? nullptr : &*spelled->scene;
}

}  // namespace warpmind::agents::builtin
