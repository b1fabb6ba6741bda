#pragma once
/// \file
/// Requests that could only fail are refused before they are queued.

#include "base/model/job.h"
#include "base/result.h"
#include "config/settings.h"
#include "daemon/health_board.h"
#include "daemon/protocol/messages.h"

#include <functional>

namespace warpmind::daemon {

/// How this machine judges. May take as long as it takes to identify a GPU.
using MachineView = std::function<DeviceView()>;

/// Whether the device, the provider and the model that a client names can be had. `machine` is
/// asked only when a GPU or, with provider "auto", a device is named. With queue.nats set it may be
/// at a worker, one that starts later too, so that this machine decides nothing. Errors:
/// invalid_argument with what is known instead; what the files of a scripted model say.
[[nodiscard]] Result<void> check_admission(const protocol::JobOptions& options,
                                           const JobRequest& request,
                                           const config::Settings& settings,
                                           const MachineView& machine);

}  // namespace warpmind::daemon
