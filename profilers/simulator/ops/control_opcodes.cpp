#include "profilers/simulator/ops/opcodes.h"

namespace warpmind::simulator {

std::span<const OpcodeEntry> control_opcodes() { return {}; }

}  // namespace warpmind::simulator
