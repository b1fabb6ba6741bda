/// \file
/// cp.async.bulk between global and the block's own shared memory, without tensor maps. Source: PTX
/// ISA 9.0, 9.7.9.25.4. Copies to shared memory arrive when somebody waits for their mbarrier
/// (AsyncCopies). Copies to global memory are done when they are issued: a source that is
/// overwritten before wait_group is not seen.

#include "profilers/simulator/checks/async_copies.h"
#include "profilers/simulator/memory/shared_access.h"
#include "profilers/simulator/ops/async_decoders.h"
#include "profilers/simulator/ops/memory_modifiers.h"

#include <array>
#include <cstring>
#include <optional>
#include <vector>

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

/// Reads one unit for one lane. False after a fault.
bool read_unit(Warp& warp, const Instruction& instruction, int lane, std::uint64_t from,
               std::byte* unit) {
  Access source{warp, instruction, Mask{1} << lane, kUnit};
  source.addresses[static_cast<std::size_t>(lane)] = from;
  source.is_counted = false;
  Pointers at;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled for the lane
  instruction.option2 == kToShared ? read_global(source, at) : read_shared(source, at);
  if (source.active == 0) return false;
  std::memcpy(unit, at[static_cast<std::size_t>(lane)], kUnit);
  return true;
}

/// Writes one unit of one lane to global memory, or claims its place in shared memory.
bool write_unit(Warp& warp, const Instruction& instruction, int lane, std::uint64_t to,
                const std::byte* unit) {
  const auto i = static_cast<std::size_t>(lane);
  Access target{warp, instruction, Mask{1} << lane, kUnit, true};
  target.addresses[i] = to;
  target.is_counted = false;
  if (instruction.option2 == kToShared) {
    claim_shared(target);
    return target.active != 0;
  }
  std::array<std::byte, std::size_t{kUnit} * kLanes> values{};
  std::memcpy(values.data() + i * kUnit, unit, kUnit);
  write_global(target, values.data());
  return target.active != 0;
}

/// The offset of the lane's mbarrier; nullopt after a fault.
std::optional<std::uint32_t> mbarrier_of(Warp& warp, const Instruction& instruction, int lane) {
  const auto i = static_cast<std::size_t>(lane);
  Access access{warp, instruction, Mask{1} << lane, kBarrierBytes, true, true};
  access.is_counted = false;
  access.is_mbarrier = true;
  access.addresses[i] = in_shared(address_of(warp, instruction, Place::barrier, lane));
  Pointers at;  // NOLINT(cppcoreguidelines-pro-type-member-init): not looked at
  update_shared(access, at);
  if (access.active == 0) return std::nullopt;
  return static_cast<std::uint32_t>(access.addresses[i]);
}

void bulk_copy(Warp& warp, const Instruction& instruction, Mask active) {
  const bool to_shared = instruction.option2 == kToShared;
  for_lanes(active, [&](int lane) {
    std::uint64_t to = address_of(warp, instruction, Place::destination, lane);
    std::uint64_t from = address_of(warp, instruction, Place::source, lane);
    std::uint64_t& shared = to_shared ? to : from;
    shared = in_shared(shared);
    const std::uint32_t bytes = lanes<std::uint32_t>(warp, instruction.c)[lane];
    std::vector<std::byte> values(std::size_t{bytes + kUnit - 1} / kUnit * kUnit);
    for (std::uint32_t done = 0; done < bytes; done += kUnit) {
      std::byte* const unit = values.data() + done;
      if (!read_unit(warp, instruction, lane, from + done, unit)) return;
      if (!write_unit(warp, instruction, lane, to + done, unit)) return;
    }
    if (!to_shared || bytes == 0) return;
    const auto mbarrier = mbarrier_of(warp, instruction, lane);
    if (!mbarrier) return;
    warp.block->async->issue_bulk(warp, lane, static_cast<std::uint32_t>(to), std::move(values),
                                  *mbarrier);
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
