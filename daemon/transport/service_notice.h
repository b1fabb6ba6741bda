#pragma once
/// \file
/// Tells the service manager about readiness (the datagram protocol of sd_notify).

#include <string_view>

namespace warpmind::daemon {

/// Sends `state` ("READY=1", "STOPPING=1") to $NOTIFY_SOCKET. Nothing happens without one, and a
/// failure is only logged.
void notify_service_manager(std::string_view state);

}  // namespace warpmind::daemon
