#include "agents/builtin/forms/lane_totals.h"

#include "agents/builtin/forms/lockstep_block.h"
#include "agents/builtin/loops/scene_loops.h"

namespace warpmind::agents::builtin {

LaneTotals find_lane_totals(const Scene& scene, const KernelBody& body, const LoopFacts& loop,
                            const LaneGroup& group) {
  LaneTotals found;
  const auto launches = scene.launches_of(body.function());
  found.refusal = "it is not known how its threads get to the loop";
  if (launches.empty()) return found;
  bool is_first = true;
  for (const SceneLaunch* launch : {launches.front(), launches.back()}) {
    LockstepBlock block(scene, body, loop, group, *launch);
    auto here = block.run();
    if (!here) continue;
    if (!here->refusal.empty()) return std::move(*here);
    if (is_first) {
      found = std::move(*here);
      is_first = false;
    } else if (here->totals != found.totals || here->dropped != found.dropped) {
      found.refusal = "its lanes combine in another way at other sizes";
      return found;
    }
  }
  return found;
}

}  // namespace warpmind::agents::builtin
