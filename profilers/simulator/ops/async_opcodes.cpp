#include "profilers/simulator/ops/async_opcodes.h"

#include "profilers/simulator/checks/async_copies.h"
#include "profilers/simulator/checks/block_order.h"
#include "profilers/simulator/memory/access.h"
#include "profilers/simulator/memory/shared_access.h"
#include "profilers/simulator/ops/bulk_copy_opcodes.h"
#include "profilers/simulator/ops/memory_modifiers.h"
#include "profilers/simulator/ops/statement_reader.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

namespace warpmind::simulator {
namespace {

// The eight bytes of an mbarrier in shared memory. The layout is ours: PTX leaves it open.

/// Opens (its phase completes) when no arrival and no byte is pending.
struct BarrierState {
  std::uint32_t expected = 0;  ///< arrivals of each phase
  std::uint32_t pending = 0;   ///< arrivals that the current phase still needs
  std::int32_t bytes = 0;      ///< of asynchronous copies that it still needs
  std::uint32_t phase = 0;     ///< 0 or 1

  static constexpr unsigned kCountBits = 20;
  static constexpr unsigned kBytesBits = 22;
  static constexpr std::int32_t kBytesBias = 1 << (kBytesBits - 1);

  [[nodiscard]] static BarrierState unpack(std::uint64_t word) {
    BarrierState out;
    constexpr std::uint64_t kCount = (1U << kCountBits) - 1;
    out.expected = static_cast<std::uint32_t>(word & kCount);
    out.pending = static_cast<std::uint32_t>(word >> kCountBits & kCount);
    const std::uint64_t bytes = word >> (2 * kCountBits) & ((1U << kBytesBits) - 1);
    out.bytes = static_cast<std::int32_t>(bytes) - kBytesBias;
    out.phase = static_cast<std::uint32_t>(word >> 63U);
    return out;
  }
  [[nodiscard]] std::uint64_t pack() const {
    const auto biased = static_cast<std::uint32_t>(bytes + kBytesBias);
    return std::uint64_t{expected} | std::uint64_t{pending} << kCountBits |
           std::uint64_t{biased} << (2 * kCountBits) | std::uint64_t{phase} << 63U;
  }

  void settle() {
    if (pending != 0 || bytes != 0) return;
    phase ^= 1U;
    pending = expected;
  }
  /// False when more arrive than are expected.
  [[nodiscard]] bool arrive(std::uint32_t count) {
    if (count > pending) return false;
    pending -= count;
    settle();
    return true;
  }
  void complete(std::uint32_t count) {
    bytes -= static_cast<std::int32_t>(count);
    settle();
  }
};

// mbarrier in the block's own shared memory. Source: PTX ISA 9.0, 9.7.13.15. A warp whose phase is
// not complete stays at its test_wait or try_wait while others run, as a slow machine would: the
// turns of the program's loop around it are not counted.

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

// cp.async and its groups. Source: PTX ISA 9.0, 9.7.9.25.3.

using CopyValues = std::array<std::byte, AsyncCopies::kMostBytes * kLanes>;

/// Instruction::option2: how Instruction::c limits what is read; 0 = not at all.
constexpr std::uint16_t kSourceBytes = 1;   ///< so many bytes
constexpr std::uint16_t kIgnoreSource = 2;  ///< none where the predicate holds

/// Bytes that the lane reads; the rest of the copy is zero.
std::uint32_t source_bytes(Warp& warp, const Instruction& instruction, int lane) {
  const std::uint32_t whole = instruction.element_bytes;
  if (instruction.option2 == kSourceBytes) {
    return std::min(whole, lanes<std::uint32_t>(warp, instruction.c)[lane]);
  }
  if (instruction.option2 == kIgnoreSource) {
    return (predicate(warp, instruction.c) >> static_cast<unsigned>(lane) & 1U) != 0 ? 0 : whole;
  }
  return whole;
}

/// Reads `bytes` for the lanes of `mask`. Returns those that could.
Mask read_source(Warp& warp, const Instruction& instruction, Mask mask, std::uint32_t bytes,
                 CopyValues& values) {
  if (mask == 0 || bytes == 0) return mask;
  Access access{warp, instruction, mask, bytes};
  const auto* const base = lanes<std::uint64_t>(warp, instruction.b);
  const auto* const offset = lanes<std::uint64_t>(warp, instruction.e);
  for (std::size_t i = 0; i < kLanes; ++i) access.addresses[i] = base[i] + offset[i];
  Pointers from;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled for active lanes
  read_global(access, from);
  for_lanes(access.active, [&](int lane) {
    const auto i = static_cast<std::size_t>(lane);
    std::memcpy(values.data() + i * AsyncCopies::kMostBytes, from[i], bytes);
  });
  return access.active;
}

void copy(Warp& warp, const Instruction& instruction, Mask active) {
  Access to{warp, instruction, active, instruction.element_bytes, true};
  to.is_counted = false;  // the request counts where it reads
  gather_addresses(warp, instruction, to.addresses);
  claim_shared(to);
  CopyValues values{};
  Mask whole = 0;
  Mask done = 0;
  for_lanes(to.active, [&](int lane) {
    const Mask bit = Mask{1} << lane;
    const std::uint32_t bytes = source_bytes(warp, instruction, lane);
    if (bytes == instruction.element_bytes) {
      whole |= bit;
    } else {
      done |= read_source(warp, instruction, bit, bytes, values);
    }
  });
  to.active = done | read_source(warp, instruction, whole, instruction.element_bytes, values);
  if (to.active != 0) warp.block->async->issue(to, values);
}

void commit(Warp& warp, const Instruction& /*instruction*/, Mask active) {
  warp.block->async->commit(warp, active);
}

void wait_group(Warp& warp, const Instruction& instruction, Mask active) {
  warp.block->async->wait(warp, active, static_cast<std::uint32_t>(instruction.immediate));
}

void wait_all(Warp& warp, const Instruction& /*instruction*/, Mask active) {
  warp.block->async->wait_all(warp, active);
}

/// The source's address: a register of 8 bytes in b, an offset in e.
void read_source_address(StatementReader& read) {
  Instruction from;
  read.context().address(read.next(), Space::global, from);
  if (from.address_bytes == 4) read.fail("a source address of 4 bytes");
  read.out.b = from.address_bytes == 0 ? read.context().constant(0, 8) : from.a;
  read.out.e = read.context().constant(static_cast<std::uint64_t>(from.immediate), 8);
}

void decode_lane_copy(StatementReader& read) {
  Instruction& out = read.out;
  if (!read.take("global")) read.fail("cp.async from anywhere but global memory");
  (void)take_space(read);  // the destination: shared
  const bool has_policy = take_cache_hints(read);
  read.context().address(read.next(), Space::shared, out);
  read_source_address(read);
  const std::uint64_t bytes = read.literal();
  if (bytes != 4 && bytes != 8 && bytes != 16) read.fail("a cp.async of another size");
  out.element_bytes = static_cast<std::uint8_t>(bytes);
  out.space = Space::global;
  if (read.operands_left() > (has_policy ? 1U : 0U)) {
    const bool is_predicate = read.context().register_bytes(read.peek()) == 0;
    bool negated = false;
    out.option2 = is_predicate ? kIgnoreSource : kSourceBytes;
    out.c = is_predicate ? read.predicate_source(negated) : read.source(4, "u32");
    if (negated) read.fail("a negated ignore-src");
  }
  skip_policy(read, has_policy);
  read.set_cost(Pipe::memory, 1);
  out.access = read.context().new_access();
  out.handler = copy;
}

void decode_async_copy(StatementReader& read) {
  if (!read.take("async")) {
    read.fail("cp, which is not cp.async");
    return;
  }
  if (read.take("bulk")) {
    decode_bulk_copy(read);
    return;
  }
  read.set_cost(Pipe::memory, 1);
  if (read.take("commit_group")) {
    read.out.handler = commit;
  } else if (read.take("wait_group")) {
    read.out.immediate = static_cast<std::int64_t>(read.literal());
    read.out.handler = wait_group;
  } else if (read.take("wait_all")) {
    read.out.handler = wait_all;
  } else if (read.take("mbarrier")) {
    decode_copy_arrive(read);
  } else {
    decode_lane_copy(read);
  }
}

// Fences, and the table of asynchronous opcodes. Source: PTX ISA 9.0, 9.7.13.4.

void nothing(Warp& /*warp*/, const Instruction& /*instruction*/, Mask /*active*/) {}

/// The machine runs in order: only the checks care.
void fence(Warp& warp, const Instruction& instruction, Mask active) {
  if (warp.block->order == nullptr) return;
  const bool is_wide = (instruction.option & kWideScope) != 0;
  warp.block->order->fence(warp, active, is_wide ? Reach::device : Reach::block);
}

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
