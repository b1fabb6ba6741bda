#pragma once
/// \file
/// The recovery ladder of a lab on this machine: real clock, real kernel log, real probe.

#include "config/settings.h"
#include "profilers/health/device_health.h"
#include "profilers/sandbox/sandbox.h"
#include "profilers/worker_session.h"

#include <memory>

namespace warpmind::profilers {

/// For the device of `place`, which is made to tell it of every bad end. `sandbox` must outlive it.
[[nodiscard]] std::shared_ptr<DeviceHealth> make_device_health(
    const config::ToolchainSettings& toolchain, const Sandbox& sandbox, RunnerPlace& place);

}  // namespace warpmind::profilers
