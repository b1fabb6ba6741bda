#pragma once
/// \file
/// What measures now: a job that was measured with something else may be worth another look.

#include "base/model/device.h"

#include <string>

namespace warpmind::daemon {

struct MachineNow {
  DeviceIdentity device;
  std::string toolkit;  ///< nvcc's release, "13.0"
};

}  // namespace warpmind::daemon
