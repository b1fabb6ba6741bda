#pragma once
/// \file
/// How a runner ends that should have answered.

#include "profilers/process/stuck_process.h"

#include <memory>
#include <string>

namespace warpmind::profilers {

/// A runner that was killed or died.
struct AbnormalEnd {
  std::string reason;                        ///< one sentence
  std::shared_ptr<StuckProcess> stuck = {};  ///< what SIGKILL did not end; null = all gone
};

}  // namespace warpmind::profilers
