#include "profilers/simulator/memory/local_access.h"

#include "profilers/simulator/memory/shared_access.h"

#include <cstring>
#include <string>

namespace warpmind::simulator {
namespace {

/// Local memory as the machine lays it out: the same place of 32 lanes side by side.
void count(const Access& access) {
  AccessProfiler* const profiler = access.warp.launch->profiler;
  if (profiler == nullptr || !access.is_counted || access.instruction.access == kNoIndex) return;
  const Warp& warp = access.warp;
  const std::uint64_t warps = warp.block->linear * warp.block->warps.size() + warp.index;
  const std::uint64_t begin =
      kLocalWindow + kWindowBytes + warps * warp.local_stride * std::uint64_t{kLanes};
  Addresses places{};
  for_lanes(access.active, [&](int lane) {
    const auto i = static_cast<std::size_t>(lane);
    places[i] = begin + access.addresses[i] * kLanes + i * access.bytes;
  });
  profiler->global(access.instruction, *warp.block, places, access.active, access.bytes);
}

/// Drops and reports lanes that leave [0, end).
void admit(Access& access, std::uint64_t end, const std::string& what) {
  for_lanes(access.active, [&](int lane) {
    const std::uint64_t offset = access.addresses[static_cast<std::size_t>(lane)];
    if (offset < end && end - offset >= access.bytes) return;
    access.active &= ~(Mask{1} << lane);
    const bool is_negative = offset >= std::uint64_t{1} << 31U;
    report_fault(access, CheckKind::local_out_of_bounds, lane,
                 describe(access) +
                     (is_negative ? " before the start" : " at offset " + std::to_string(offset)) +
                     " of the " + std::to_string(end) + " bytes of " + what);
  });
  drop_misaligned(access);
}

void find_local(Access& access, Pointers& out) {
  Warp& warp = access.warp;
  for_lanes(access.active, [&](int lane) {
    const auto i = static_cast<std::size_t>(lane);
    out[i] = warp.local + i * warp.local_stride + access.addresses[i];
  });
}

bool begin_local(Access& access) {
  admit(access, access.warp.local_stride, "the thread's local memory");
  if (access.active == 0) return false;
  count(access);
  return true;
}

/// Runs `act` on the lanes of `part` and returns those that it let pass.
template <class Act>
Mask on_part(Access& access, Mask part, Act&& act) {
  access.active = part;
  if (part != 0) act();
  return access.active;
}

}  // namespace

void read_local(Access& access, Pointers& out) {
  if (begin_local(access)) find_local(access, out);
}

void write_local(Access& access, const std::byte* values) {
  if (!begin_local(access)) return;
  Pointers to{};
  find_local(access, to);
  for_lanes(access.active, [&](int lane) {
    const auto i = static_cast<std::size_t>(lane);
    std::memcpy(to[i], values + i * access.bytes, access.bytes);
  });
}

void read_parameters(Access& access, Pointers& out) {
  auto& parameters = access.warp.launch->parameters;
  admit(access, parameters.size(), "the kernel's parameters");
  for_lanes(access.active, [&](int lane) {
    const auto i = static_cast<std::size_t>(lane);
    out[i] = parameters.data() + access.addresses[i];
  });
}

void read_memory(Access& access, Pointers& out) {
  switch (access.instruction.space) {
    case Space::global:
    case Space::constant: read_global(access, out); return;
    case Space::shared: read_shared(access, out); return;
    case Space::local: read_local(access, out); return;
    case Space::param: read_parameters(access, out); return;
    case Space::generic: break;
  }
  const ResolvedLanes part = resolve_generic(access);
  Mask passed = on_part(access, part.global, [&] { read_global(access, out); });
  passed |= on_part(access, part.shared, [&] { read_shared(access, out); });
  passed |= on_part(access, part.local, [&] { read_local(access, out); });
  passed |= on_part(access, part.param, [&] { read_parameters(access, out); });
  access.active = passed;
}

void write_memory(Access& access, const std::byte* values) {
  switch (access.instruction.space) {
    case Space::global: write_global(access, values); return;
    case Space::shared: write_shared(access, values); return;
    case Space::local: write_local(access, values); return;
    case Space::param:
    case Space::constant:
    case Space::generic: break;
  }
  const ResolvedLanes part = resolve_generic(access);
  Mask passed = on_part(access, part.global, [&] { write_global(access, values); });
  passed |= on_part(access, part.shared, [&] { write_shared(access, values); });
  passed |= on_part(access, part.local, [&] { write_local(access, values); });
  // Parameters cannot be written.
  access.active = part.param;
  for_lanes(part.param, [&](int lane) {
    report_fault(access, CheckKind::null_or_host_pointer, lane,
                 describe(access) + " into the kernel's parameters");
  });
  access.active = passed;
}

void update_memory(Access& access, Pointers& out) {
  if (access.instruction.space == Space::global) return update_global(access, out);
  if (access.instruction.space == Space::shared) return update_shared(access, out);
  const ResolvedLanes part = resolve_generic(access);
  Mask passed = on_part(access, part.global, [&] { update_global(access, out); });
  passed |= on_part(access, part.shared, [&] { update_shared(access, out); });
  access.active = part.local | part.param;
  for_lanes(access.active, [&](int lane) {
    report_fault(access, CheckKind::null_or_host_pointer, lane,
                 describe(access) + ", which must be global or shared memory");
  });
  access.active = passed;
}

}  // namespace warpmind::simulator
