#pragma once
/// \file
/// The methods of the log.

#include "daemon/protocol/log_messages.h"
#include "daemon/rpc/dispatcher.h"

namespace warpmind::daemon {

[[nodiscard]] Handler<protocol::LogLevelParams, protocol::LogLevelResult> log_set_level();

}  // namespace warpmind::daemon
