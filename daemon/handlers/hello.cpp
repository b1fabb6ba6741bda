#include "base/log.h"
#include "daemon/handlers/handlers.h"

namespace warpmind::daemon {

Handler<protocol::HelloParams, std::string> hello(const protocol::Greeting& greeting) {
  // Its list of methods makes it the longest answer that every client asks for: encoded once.
  return [answer = protocol::encode(greeting)](const protocol::HelloParams& params,
                                               RequestContext& context) -> Result<std::string> {
    if (params.protocol != protocol::kProtocolVersion) {
      return fail(Errc::conflict, "this daemon speaks protocol " +
                                      std::to_string(protocol::kProtocolVersion) +
                                      ", the client speaks " + std::to_string(params.protocol) +
                                      "; install the same version of both and restart the daemon");
    }
    log::debug("daemon", "client says hello",
               {{"connection", context.connection}, {"client", params.client.substr(0, 128)}});
    return answer;
  };
}

}  // namespace warpmind::daemon
