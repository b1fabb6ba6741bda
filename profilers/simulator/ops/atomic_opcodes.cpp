#include "profilers/simulator/ops/opcodes.h"

namespace warpmind::simulator {

std::span<const OpcodeEntry> atomic_opcodes() { return {}; }

}  // namespace warpmind::simulator
