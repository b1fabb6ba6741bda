#include "daemon/handlers/handlers.h"

namespace warpmind::daemon {

Handler<protocol::ShutdownParams, protocol::Empty> shutdown(
    std::function<void(protocol::ShutdownMode)> begin) {
  return [begin = std::move(begin)](const protocol::ShutdownParams& params,
                                    RequestContext& context) -> Result<protocol::Empty> {
    context.after_reply = [begin, mode = params.mode] { begin(mode); };
    return protocol::Empty{};
  };
}

}  // namespace warpmind::daemon
