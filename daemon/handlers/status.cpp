#include "daemon/handlers/handlers.h"

#include <unistd.h>

namespace warpmind::daemon {

Handler<protocol::Empty, protocol::StatusResult> status(StatusSources sources) {
  return [s = std::move(sources)](const protocol::Empty& /*params*/,
                                  RequestContext& /*context*/) -> Result<protocol::StatusResult> {
    auto device = s.health.device();
    auto queue = s.scheduler.summary();
    protocol::StatusResult result;
    result.version = s.version;
    result.pid = ::getpid();
    result.uptime_s = std::chrono::duration<double>(s.clock.monotonic() - s.started).count();
    result.mode = std::move(device.mode);
    result.device = std::move(device.device);
    result.note = std::move(device.note);
    result.state_directory = s.settings.daemon.state_directory.string();
    result.queued = queue.queued;
    result.running = queue.running;
    result.connections = static_cast<std::int64_t>(s.connections.count());
    result.degraded = s.health.degraded();
    result.jobs = std::move(queue.jobs);
    for (const auto& lane : s.scheduler.lanes()) result.lanes.push_back(lane_text(lane));
    return result;
  };
}

}  // namespace warpmind::daemon
