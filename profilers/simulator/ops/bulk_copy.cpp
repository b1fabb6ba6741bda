/// \file
/// cp.async.bulk between global and the block's own shared memory, without tensor maps. Source: PTX
/// ISA 9.0, 9.7.9.25.4. A copy is done when it is issued: a missing wait for its mbarrier is not
/// seen, a wrong byte count is (the barrier never opens).

#include "profilers/simulator/checks/shared_shadow.h"
#include "profilers/simulator/memory/shared_access.h"
#include "profilers/simulator/ops/async_decoders.h"
#include "profilers/simulator/ops/mbarrier_state.h"
#include "profilers/simulator/ops/memory_modifiers.h"

#include <array>
#include <cstring>

namespace warpmind::simulator {
namespace {

/// Sizes and addresses are multiples of it.
constexpr std::uint32_t kUnit = 16;
constexpr std::uint32_t kBarrierBytes = 8;

/// Instruction::option2.
constexpr std::uint16_t kToShared = 0;
constexpr std::uint16_t kToGlobal = 1;

enum class Place : std::uint32_t { destination, source, barrier };

/// Instruction::list has a register and an offset for each place; bit i of Instruction::option says
/// that register i has 4 bytes.
std::uint64_t address_of(Warp& warp, const Instruction& instruction, Place place, int lane) {
  const auto& slots = warp.program().slots;
  const auto number = static_cast<std::uint32_t>(place);
  const Slot base = slots[instruction.list + std::size_t{2} * number];
  const Slot offset = slots[instruction.list + std::size_t{2} * number + 1];
  const bool is_short = (instruction.option >> number & 1U) != 0;
  const std::uint64_t address =
      is_short ? lanes<std::uint32_t>(warp, base)[lane] : lanes<std::uint64_t>(warp, base)[lane];
  return address + lanes<std::uint64_t>(warp, offset)[lane];
}

std::uint64_t in_shared(std::uint64_t address) {
  return address - kSharedWindow < kWindowBytes ? address - kSharedWindow : address;
}

/// One unit of one lane. False after a fault.
bool copy_unit(Warp& warp, const Instruction& instruction, int lane, std::uint64_t from,
               std::uint64_t to) {
  const bool to_shared = instruction.option2 == kToShared;
  const auto i = static_cast<std::size_t>(lane);
  Access source{warp, instruction, Mask{1} << lane, kUnit};
  source.addresses[i] = from;
  source.is_counted = false;
  Pointers at;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled for the lane
  to_shared ? read_global(source, at) : read_shared(source, at);
  if (source.active == 0) return false;
  std::array<std::byte, std::size_t{kUnit} * kLanes> values{};
  std::memcpy(values.data() + i * kUnit, at[i], kUnit);
  Access target{warp, instruction, Mask{1} << lane, kUnit, true};
  target.addresses[i] = to;
  target.is_counted = false;
  to_shared ? write_shared(target, values.data()) : write_global(target, values.data());
  return target.active != 0;
}

/// Tells the mbarrier that `bytes` have come.
void complete(Warp& warp, const Instruction& instruction, int lane, std::uint32_t bytes) {
  const auto i = static_cast<std::size_t>(lane);
  Access access{warp, instruction, Mask{1} << lane, kBarrierBytes, true, true};
  access.is_counted = false;
  access.addresses[i] = in_shared(address_of(warp, instruction, Place::barrier, lane));
  if (warp.block->shadow != nullptr) warp.block->shadow->release(warp);
  Pointers at;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled for the lane
  update_shared(access, at);
  if (access.active == 0) return;
  std::uint64_t word = 0;
  std::memcpy(&word, at[i], sizeof word);
  BarrierState state = BarrierState::unpack(word);
  state.complete(bytes);
  word = state.pack();
  std::memcpy(at[i], &word, sizeof word);
}

void bulk_copy(Warp& warp, const Instruction& instruction, Mask active) {
  const bool to_shared = instruction.option2 == kToShared;
  for_lanes(active, [&](int lane) {
    std::uint64_t to = address_of(warp, instruction, Place::destination, lane);
    std::uint64_t from = address_of(warp, instruction, Place::source, lane);
    std::uint64_t& shared = to_shared ? to : from;
    shared = in_shared(shared);
    const std::uint32_t bytes = lanes<std::uint32_t>(warp, instruction.c)[lane];
    for (std::uint32_t done = 0; done < bytes; done += kUnit) {
      if (!copy_unit(warp, instruction, lane, from + done, to + done)) return;
    }
    if (to_shared) complete(warp, instruction, lane, bytes);
  });
}

void nothing(Warp& /*warp*/, const Instruction& /*instruction*/, Mask /*active*/) {}

void read_place(StatementReader& read, Place place, Space space) {
  Instruction address;
  DecodeContext& context = read.context();
  context.address(read.next(), space, address);
  if (address.address_bytes == 4) {
    read.out.option =
        static_cast<std::uint16_t>(read.out.option | 1U << static_cast<std::uint32_t>(place));
  }
  const std::uint32_t first =
      context.add_slot(address.address_bytes == 0 ? context.constant(0, 8) : address.a);
  (void)context.add_slot(context.constant(static_cast<std::uint64_t>(address.immediate), 8));
  if (place == Place::destination) read.out.list = first;
}

void decode_copy(StatementReader& read) {
  Instruction& out = read.out;
  const bool to_shared = read.take("mbarrier::complete_tx::bytes");
  if (!to_shared && !read.take("bulk_group")) {
    read.fail("a bulk copy without mbarrier or bulk_group");
  }
  // One of the two spaces is global, the other shared.
  (void)read.take("global");
  (void)take_space(read);
  const bool has_policy = take_cache_hints(read);
  out.option2 = to_shared ? kToShared : kToGlobal;
  read_place(read, Place::destination, to_shared ? Space::shared : Space::global);
  read_place(read, Place::source, to_shared ? Space::global : Space::shared);
  out.c = read.source(4, "u32");
  if (to_shared) read_place(read, Place::barrier, Space::shared);
  skip_policy(read, has_policy);
  out.space = Space::global;
  out.is_store = !to_shared;
  out.access = read.context().new_access();
  out.handler = bulk_copy;
}

}  // namespace

void decode_bulk_copy(StatementReader& read) {
  read.set_cost(Pipe::memory, 1);
  if (read.take("commit_group")) {
    read.out.handler = nothing;
  } else if (read.take("wait_group")) {
    (void)read.take("read");
    (void)read.literal();
    read.out.handler = nothing;
  } else if (read.take("prefetch")) {
    (void)read.take("L2");
    (void)take_space(read);
    const bool has_policy = take_cache_hints(read);
    Instruction ignored;
    read.context().address(read.next(), Space::global, ignored);
    (void)read.source(4, "u32");
    skip_policy(read, has_policy);
    read.out.handler = nothing;
  } else {
    decode_copy(read);
  }
}

}  // namespace warpmind::simulator
