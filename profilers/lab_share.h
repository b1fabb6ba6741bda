#pragma once
/// \file
/// What a lab has of its machine, where several labs work beside each other.

#include "profilers/device_turn.h"
#include "profilers/toolchain/build_slots.h"

#include <memory>
#include <string>

namespace warpmind::profilers {

struct LabShare {
  std::string device = {};  ///< the GPU as CUDA_VISIBLE_DEVICES names it; empty = lab.device
  std::shared_ptr<BuildSlots> builds = {};  ///< of all labs; null = compilers are not counted
  std::shared_ptr<DeviceTurn> turn = {};    ///< on the device; null = the lab has it for itself
};

}  // namespace warpmind::profilers
