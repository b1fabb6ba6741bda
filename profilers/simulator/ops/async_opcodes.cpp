/// \file
/// Fences, and the table of asynchronous opcodes. Source: PTX ISA 9.0, 9.7.13.4.

#include "profilers/simulator/checks/block_order.h"
#include "profilers/simulator/memory/access.h"
#include "profilers/simulator/ops/async_decoders.h"
#include "profilers/simulator/ops/memory_modifiers.h"
#include "profilers/simulator/ops/opcodes.h"

#include <array>

namespace warpmind::simulator {
namespace {

/// The machine runs in order: only the checks care.
void fence(Warp& warp, const Instruction& instruction, Mask active) {
  if (warp.block->order == nullptr) return;
  const bool is_wide = (instruction.option & kWideScope) != 0;
  warp.block->order->fence(warp, active, is_wide ? Reach::device : Reach::block);
}

void nothing(Warp& /*warp*/, const Instruction& /*instruction*/, Mask /*active*/) {}

void decode_fence(StatementReader& read) {
  read.set_cost(Pipe::memory, 1);
  if (read.take("proxy")) {
    // There is one way to memory here.
    while (!read.take_type().empty()) {
    }
    while (read.operands_left() > 0) (void)read.next();
    read.out.handler = nothing;
    return;
  }
  (void)read.take("mbarrier_init");
  read.out.option = take_ordering(read);
  read.out.handler = fence;
}

}  // namespace

std::span<const OpcodeEntry> async_opcodes() {
  static constexpr std::array table = {
      OpcodeEntry{"fence", TypeClass::any, decode_with<decode_fence>},
      OpcodeEntry{"membar", TypeClass::any, decode_with<decode_fence>},
      OpcodeEntry{"cp", TypeClass::any, decode_with<decode_async_copy>},
      OpcodeEntry{"mbarrier", TypeClass::any, decode_with<decode_mbarrier>},
  };
  return table;
}

}  // namespace warpmind::simulator
