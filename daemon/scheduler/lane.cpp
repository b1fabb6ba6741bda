#include "daemon/scheduler/lane.h"

#include "base/text.h"

namespace warpmind::daemon {

std::string lane_text(const LaneView& lane) {
  std::string text = lane.spec.name;
  if (!lane.spec.model.empty()) text += " (" + lane.spec.model + ")";
  text += ": " + (lane.job.str().empty() ? std::string("no job") : lane.job.str());
  return text + ", busy " + fixed(100 * lane.busy, 0) + " %";
}

}  // namespace warpmind::daemon
