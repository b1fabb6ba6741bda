/// \file
/// mbarrier in the block's own shared memory. Source: PTX ISA 9.0, 9.7.13.15. A warp whose phase is
/// not complete stays at its test_wait or try_wait while others run, as a slow machine would: the
/// turns of the program's loop around it are not counted.

#include "profilers/simulator/checks/async_copies.h"
#include "profilers/simulator/checks/block_order.h"
#include "profilers/simulator/memory/shared_access.h"
#include "profilers/simulator/ops/async_decoders.h"
#include "profilers/simulator/ops/mbarrier_state.h"
#include "profilers/simulator/ops/memory_modifiers.h"

#include <bit>
#include <cstring>

namespace warpmind::simulator {
namespace {

constexpr std::uint32_t kBarrierBytes = 8;

/// Bits of Instruction::option2.
constexpr std::uint16_t kExpect = 1;
constexpr std::uint16_t kDrop = 2;
constexpr std::uint16_t kParity = 4;
constexpr std::uint16_t kLandCopies = 8;

Access access_of(Warp& warp, const Instruction& instruction, Mask active, bool is_atomic) {
  Access access{warp, instruction, active, kBarrierBytes, true, is_atomic};
  access.is_mbarrier = true;
  gather_addresses(warp, instruction, access.addresses);
  if (instruction.space != Space::generic) return access;
  const ResolvedLanes part = resolve_generic(access);
  access.active = active & ~part.shared;
  for_lanes(access.active, [&](int lane) {
    report_fault(access, CheckKind::null_or_host_pointer, lane,
                 "an mbarrier that is not in shared memory");
  });
  access.active = part.shared;
  return access;
}

std::uint32_t offset_of(const Access& access, int lane) {
  return static_cast<std::uint32_t>(access.addresses[static_cast<std::size_t>(lane)]);
}

void init(Warp& warp, const Instruction& instruction, Mask active) {
  Access access = access_of(warp, instruction, active, false);
  std::array<std::uint64_t, kLanes> words{};
  const auto* const counts = lanes<std::uint32_t>(warp, instruction.b);
  for (std::size_t i = 0; i < kLanes; ++i) {
    BarrierState state;
    state.expected = counts[i];
    state.pending = counts[i];
    words[i] = state.pack();
  }
  write_shared(access, reinterpret_cast<const std::byte*>(words.data()));
  BlockOrder* const order = warp.block->order;
  if (order == nullptr) return;
  for_lanes(access.active, [&](int lane) { order->begin_phases(offset_of(access, lane)); });
}

/// Calls visit(offset, lanes) for each mbarrier that lanes of the access name.
template <class Visit>
void for_each_mbarrier(const Access& access, Mask lanes, Visit&& visit) {
  while (lanes != 0) {
    const std::uint32_t offset = offset_of(access, std::countr_zero(lanes));
    Mask same = 0;
    for_lanes(lanes, [&](int lane) {
      if (offset_of(access, lane) == offset) same |= Mask{1} << lane;
    });
    visit(offset, same);
    lanes &= ~same;
  }
}

/// Runs `act(state, lane, word)` on the barrier of each lane, in order; it may change the state.
template <class Act>
void on_barriers(Access& access, Act&& act) {
  Pointers at;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled for active lanes
  update_shared(access, at);
  BlockOrder* const order = access.warp.block->order;
  for_lanes(access.active, [&](int lane) {
    const auto i = static_cast<std::size_t>(lane);
    std::uint64_t word = 0;
    std::memcpy(&word, at[i], sizeof word);
    BarrierState state = BarrierState::unpack(word);
    const std::uint32_t phase = state.phase;
    act(state, i, word);
    if (state.phase != phase && order != nullptr) order->complete_phase(offset_of(access, lane));
    word = state.pack();
    std::memcpy(at[i], &word, sizeof word);
  });
}

void invalidate(Warp& warp, const Instruction& instruction, Mask active) {
  Access access = access_of(warp, instruction, active, true);
  on_barriers(access,
              [](BarrierState& state, std::size_t, std::uint64_t) { state = BarrierState(); });
}

void arrive(Warp& warp, const Instruction& instruction, Mask active) {
  if ((instruction.option2 & kLandCopies) != 0) warp.block->async->wait_all(warp, active);
  Access access = access_of(warp, instruction, active, true);
  if (BlockOrder* const order = warp.block->order) {
    for_each_mbarrier(access, access.active, [&](std::uint32_t offset, Mask lanes) {
      order->arrive_at(offset, warp, lanes);
    });
  }
  ++warp.block->mbarrier_steps;
  const bool expects = (instruction.option2 & kExpect) != 0;
  on_barriers(access, [&](BarrierState& state, std::size_t i, std::uint64_t word) {
    const std::uint32_t number =
        instruction.b == kNoSlot ? 1 : lanes<std::uint32_t>(warp, instruction.b)[i];
    if (expects) state.bytes += static_cast<std::int32_t>(number);
    if ((instruction.option2 & kDrop) != 0 && state.expected > 0) --state.expected;
    if (!state.arrive(expects ? 1 : number)) {
      stop_launch(warp, LaunchEnd::fault,
                  "kernel " + warp.launch->program->name +
                      ": more threads arrive at an mbarrier than it was made for");
    }
    if (instruction.d != kNoSlot) lanes<std::uint64_t>(warp, instruction.d)[i] = word;
  });
}

void expect(Warp& warp, const Instruction& instruction, Mask active) {
  Access access = access_of(warp, instruction, active, true);
  on_barriers(access, [&](BarrierState& state, std::size_t i, std::uint64_t) {
    state.bytes += static_cast<std::int32_t>(lanes<std::uint32_t>(warp, instruction.b)[i]);
  });
}

void complete(Warp& warp, const Instruction& instruction, Mask active) {
  Access access = access_of(warp, instruction, active, true);
  ++warp.block->mbarrier_steps;
  on_barriers(access, [&](BarrierState& state, std::size_t i, std::uint64_t) {
    state.complete(lanes<std::uint32_t>(warp, instruction.b)[i]);
  });
}

/// Copies arrive as late as the program allows: when somebody looks whether they have.
void wait(Warp& warp, const Instruction& instruction, Mask active) {
  Mask opened = 0;
  const bool by_parity = (instruction.option2 & kParity) != 0;
  AsyncCopies& copies = *warp.block->async;
  Access access = access_of(warp, instruction, active, true);
  access.is_counted = !warp.waits_for_phase;
  on_barriers(access, [&](BarrierState& state, std::size_t i, std::uint64_t) {
    const std::uint32_t landed =
        copies.land_bulk(*warp.block, static_cast<std::uint32_t>(access.addresses[i]));
    if (landed > 0) state.complete(landed);
    const std::uint32_t waited =
        by_parity ? lanes<std::uint32_t>(warp, instruction.b)[i] & 1U
                  : BarrierState::unpack(lanes<std::uint64_t>(warp, instruction.b)[i]).phase;
    if (state.phase != waited) opened |= Mask{1} << i;
  });
  if (opened == 0 && !warp.wait_gives_up) {
    warp.waits_for_phase = true;
    return;
  }
  warp.waits_for_phase = warp.wait_gives_up = false;
  if (opened != 0) {
    ++warp.block->mbarrier_steps;
    if (BlockOrder* const order = warp.block->order) {
      for_each_mbarrier(access, opened, [&](std::uint32_t offset, Mask lanes) {
        order->pass(offset, warp, lanes);
      });
    }
  }
  Mask& result = predicate(warp, instruction.d);
  result = (result & ~active) | opened;
}

void pending_count(Warp& warp, const Instruction& instruction, Mask active) {
  for_lanes(active, [&](int lane) {
    lanes<std::uint32_t>(warp, instruction.d)[lane] =
        BarrierState::unpack(lanes<std::uint64_t>(warp, instruction.a)[lane]).pending;
  });
}

void read_barrier(StatementReader& read, Space space) {
  read.context().address(read.next(), space, read.out);
  read.out.access = read.context().new_access();
}

/// "state, [barrier]{, count}", where the state may be missing.
void decode_arrive(StatementReader& read, Space space, Handler handler) {
  Instruction& out = read.out;
  (void)read.take("noComplete");
  if (read.take("expect_tx")) out.option2 |= kExpect;
  if (read.peek().kind != ptx::OperandKind::address) out.d = read.destination(8);
  read_barrier(read, space);
  if (read.operands_left() > 0) out.b = read.source(4, "u32");
  out.handler = handler;
}

void decode_wait(StatementReader& read, Space space) {
  Instruction& out = read.out;
  if (read.take("parity")) out.option2 |= kParity;
  out.d = read.destination(0);
  read_barrier(read, space);
  const bool by_parity = (out.option2 & kParity) != 0;
  out.b = by_parity ? read.source(4, "u32") : read.source(8, "b64");
  if (read.operands_left() > 0) (void)read.source(4, "u32");  // how long to suspend
  out.handler = wait;
  out.flow = Flow::wait;
}

}  // namespace

void decode_mbarrier(StatementReader& read) {
  Instruction& out = read.out;
  read.set_cost(Pipe::memory, 1);
  (void)read.take("b64");
  const Space space = take_space(read);
  out.option = take_ordering(read);
  if (read.take("init")) {
    read_barrier(read, space);
    out.b = read.source(4, "u32");
    out.handler = init;
  } else if (read.take("inval")) {
    read_barrier(read, space);
    out.handler = invalidate;
  } else if (read.take("arrive")) {
    decode_arrive(read, space, arrive);
  } else if (read.take("arrive_drop")) {
    out.option2 |= kDrop;
    decode_arrive(read, space, arrive);
  } else if (read.take("expect_tx") || read.take("complete_tx")) {
    out.handler = read.statement().has("expect_tx") ? expect : complete;
    read_barrier(read, space);
    out.b = read.source(4, "u32");
  } else if (read.take("test_wait") || read.take("try_wait")) {
    decode_wait(read, space);
  } else if (read.take("pending_count")) {
    out.d = read.destination(4);
    out.a = read.source(8, "b64");
    out.handler = pending_count;
  } else {
    read.fail("an mbarrier operation that is not known");
  }
}

void decode_copy_arrive(StatementReader& read) {
  Instruction& out = read.out;
  if (!read.take("arrive")) read.fail("cp.async.mbarrier, which is not arrive");
  // Without .noinc the copy's arrival is one more than the barrier counts: it changes nothing.
  const bool counts = read.take("noinc");
  (void)read.take("b64");
  const Space space = take_space(read);
  read_barrier(read, space);
  out.option2 = kLandCopies;
  out.b = counts ? kNoSlot : read.context().constant(0, 4);
  out.handler = arrive;
}

}  // namespace warpmind::simulator
