#pragma once
/// \file
/// cp.async cp.async.bulk mbarrier fence membar.

#include "profilers/simulator/program/decode_context.h"

#include <span>

namespace warpmind::simulator {

[[nodiscard]] std::span<const OpcodeEntry> async_opcodes();

}  // namespace warpmind::simulator
