#include "profilers/simulator/ops/opcodes.h"

namespace warpmind::simulator {

std::span<const OpcodeEntry> integer_opcodes() { return {}; }

}  // namespace warpmind::simulator
