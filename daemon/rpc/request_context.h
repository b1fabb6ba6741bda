#pragma once
/// \file
/// What a handler knows about the request it serves, besides its parameters.

#include "daemon/transport/connections.h"

#include <functional>
#include <stop_token>

namespace warpmind::daemon {

struct RequestContext {
  ConnectionId connection = 0;
  std::stop_token stop;               ///< the client gave up, or is gone
  std::function<void()> after_reply;  ///< set by the handler: run on the io thread after the answer
};

}  // namespace warpmind::daemon
