#pragma once
/// \file
/// One memory instruction of a warp on its way to memory: addresses, checks, faults.

#include "profilers/simulator/checks/check_recorder.h"
#include "profilers/simulator/exec/warp.h"
#include "profilers/simulator/memory/address_extent.h"
#include "profilers/simulator/memory/device_memory.h"
#include "profilers/simulator/profile/access_profiler.h"

#include <bit>
#include <cstdint>
#include <string>

namespace warpmind::simulator {

/// Bits of Instruction::option of ld, st, atom, red and fences: how the access orders with others.
inline constexpr std::uint16_t kStrong = 1;   ///< volatile, relaxed, acquire, release, mmio, atomic
inline constexpr std::uint16_t kAcquire = 2;  ///< and stronger
inline constexpr std::uint16_t kRelease = 4;  ///< and stronger
inline constexpr std::uint16_t kWideScope = 8;  ///< gpu, sys, cluster: other blocks see it, too

/// Bytes of the widest access of a lane (v8.b32).
inline constexpr std::uint32_t kMostLaneBytes = 32;

struct Access {
  Warp& warp;
  const Instruction& instruction;
  Mask active = 0;
  std::uint32_t bytes = 0;  ///< a lane
  bool is_store = false;
  bool is_atomic = false;    ///< reads and writes at once
  bool reads_old = true;     ///< atomics: false for an exchange
  bool is_mbarrier = false;  ///< an atomic operation whose order BlockOrder's phases tell
  bool is_counted = true;    ///< false: the caller tells the profiler itself
  AddressExtent extent{};    ///< of the active lanes, once measure() was called
  Addresses addresses{};     ///< device addresses, or offsets in shared or local memory

  [[nodiscard]] bool is_strong() const { return is_atomic || (instruction.option & kStrong) != 0; }
};

/// Calls visit(lane) for the lanes of `mask`, lowest first.
template <class Visit>
inline void for_lanes(Mask mask, Visit&& visit) {
  while (mask != 0) {
    const int lane = std::countr_zero(mask);
    mask &= mask - 1;
    visit(lane);
  }
}

/// The addresses that an instruction names: register `a` (or nothing) plus its offset.
void gather_addresses(Warp& warp, const Instruction& instruction, Addresses& out);

/// Fills in access.extent.
inline void measure(Access& access) {
  if (access.active == kAllLanes) {
    measure_extent(access.addresses, access.bytes, access.extent);
    return;
  }
  AddressExtent& extent = access.extent;
  extent = {~std::uint64_t{0}, 0, 0, false};
  for_lanes(access.active, [&](int lane) {
    const std::uint64_t address = access.addresses[static_cast<std::size_t>(lane)];
    extent.low = address < extent.low ? address : extent.low;
    extent.high = address > extent.high ? address : extent.high;
    extent.any |= address;
  });
}

/// Whether the active lanes touch 32 neighbouring places without gap, in order; after measure().
[[nodiscard]] inline bool is_contiguous(const Access& access) {
  return access.extent.is_run && access.active == kAllLanes;
}

/// Threads of a block are numbered x fastest; lanes follow.
[[nodiscard]] Dim3 thread_index(const Warp& warp, int lane);

/// Records the fault and ends the launch, as the machine would.
void report_fault(Access& access, CheckKind kind, int lane, const std::string& detail);

/// Takes lanes out of access.active whose address is not a multiple of the access's size.
void drop_misaligned(Access& access);
/// The same after measure(), which tells at once that there are none.
inline void drop_measured(Access& access) {
  if ((access.extent.any & (access.bytes - 1)) != 0) drop_misaligned(access);
}

/// "read of 4 bytes", "write of 16 bytes", "atomic operation on 4 bytes".
[[nodiscard]] std::string describe(const Access& access);

/// Splits a generic access by lane. Addresses of the shared window become offsets, those of the
/// local window too; the rest are device addresses.
struct ResolvedLanes {
  Mask global = 0;
  Mask shared = 0;
  Mask local = 0;
  Mask param = 0;
};
[[nodiscard]] ResolvedLanes resolve_generic(Access& access);

}  // namespace warpmind::simulator
