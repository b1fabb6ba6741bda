/// \file
/// cp.async and its groups. Source: PTX ISA 9.0, 9.7.9.25.3.

#include "profilers/simulator/checks/async_copies.h"
#include "profilers/simulator/memory/shared_access.h"
#include "profilers/simulator/ops/async_decoders.h"
#include "profilers/simulator/ops/memory_modifiers.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace warpmind::simulator {
namespace {

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

void decode_copy(StatementReader& read) {
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

}  // namespace

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
    decode_copy(read);
  }
}

}  // namespace warpmind::simulator
