#include "profilers/simulator/memory/shared_access.h"

#include "profilers/simulator/checks/async_copies.h"
#include "profilers/simulator/checks/shared_shadow.h"
#include "profilers/simulator/memory/wait_watch.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace warpmind::simulator {
namespace {

void count(const Access& access) {
  AccessProfiler* const profiler = access.warp.launch->profiler;
  if (profiler == nullptr || !access.is_counted || access.instruction.access == kNoIndex) return;
  if (access.is_atomic) {
    profiler->atomic(access.instruction, *access.warp.block, access.addresses, access.active,
                     access.bytes, true);
  } else {
    profiler->shared(access.instruction, access.addresses, access.active, access.bytes);
  }
}

void find_pointers(const Access& access, Pointers& out) {
  std::byte* const shared = access.warp.block->shared;
  if (access.active == kAllLanes) {
    for (std::size_t i = 0; i < kLanes; ++i) out[i] = shared + access.addresses[i];
    return;
  }
  for_lanes(access.active, [&](int lane) {
    const auto i = static_cast<std::size_t>(lane);
    out[i] = shared + access.addresses[i];
  });
}

/// Admits and counts. Returns lanes that were reported for touching an asynchronous copy: nothing
/// else is said about them.
Mask begin(Access& access) {
  admit_shared(access);
  if (access.active == 0) return 0;
  count(access);
  AsyncCopies& async = *access.warp.block->async;
  return async.any_pending() ? async.check(access) : 0;
}

/// Runs `act(shadow)` when shared memory is checked, with access.active without `early`.
template <class Act>
void with_shadow(Access& access, Mask early, Act&& act) {
  SharedShadow* const shadow = access.warp.block->shadow;
  if (shadow == nullptr) return;
  const Mask admitted = access.active;
  access.active &= ~early;
  act(*shadow);
  access.active = admitted;
}

void write_lanes(const Access& access, Mask mask, const std::byte* values) {
  std::byte* const shared = access.warp.block->shared;
  if (mask == kAllLanes && is_contiguous(access)) {
    std::memcpy(shared + access.addresses[0], values, std::size_t{access.bytes} * kLanes);
    return;
  }
  for_lanes(mask, [&](int lane) {
    const auto i = static_cast<std::size_t>(lane);
    std::memcpy(shared + access.addresses[i], values + i * access.bytes, access.bytes);
  });
}

}  // namespace

void admit_shared(Access& access) {
  const std::uint64_t end = access.warp.block->shared_bytes;
  measure(access);
  const AddressExtent& extent = access.extent;
  const bool is_ordered = extent.any >> 63U == 0;
  if (!is_ordered || extent.high >= end || end - extent.high < access.bytes) {
    for_lanes(access.active, [&](int lane) {
      const std::uint64_t offset = access.addresses[static_cast<std::size_t>(lane)];
      if (offset < end && end - offset >= access.bytes) return;
      access.active &= ~(Mask{1} << lane);
      const bool is_negative = offset >= std::uint64_t{1} << 31U;
      const std::string at =
          is_negative ? " before the start of" : " at offset " + std::to_string(offset) + " of";
      report_fault(access, CheckKind::shared_out_of_bounds, lane,
                   describe(access) + at + " the block's " + std::to_string(end) +
                       " bytes of shared memory");
    });
  }
  drop_measured(access);
}

void read_shared(Access& access, Pointers& out) {
  const Mask early = begin(access);
  find_pointers(access, out);
  if (access.warp.block->watched) watch_read(access, out);
  with_shadow(access, early, [&](SharedShadow& shadow) { shadow.read(access, out); });
}

void write_shared(Access& access, const std::byte* values) {
  const Mask early = begin(access);
  if (access.warp.block->watched) watch_write(access);
  with_shadow(access, early, [&](SharedShadow& shadow) { shadow.write(access, values); });
  const bool is_checked = access.warp.block->shadow != nullptr;
  write_lanes(access, is_checked ? access.active & early : access.active, values);
}

void update_shared(Access& access, Pointers& out) {
  const Mask early = begin(access);
  with_shadow(access, early, [&](SharedShadow& shadow) { shadow.update(access); });
  find_pointers(access, out);
  if (access.warp.block->watched) watch_read(access, out);
}

void claim_shared(Access& access) {
  const Mask early = begin(access);
  if (access.warp.block->watched) watch_write(access);
  with_shadow(access, early, [&](SharedShadow& shadow) { shadow.claim(access); });
}

}  // namespace warpmind::simulator
