#include "profilers/simulator/memory/global_access.h"

#include "profilers/simulator/checks/global_shadow.h"
#include "profilers/simulator/memory/bits.h"
#include "profilers/simulator/memory/wait_watch.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace warpmind::simulator {
namespace {

constexpr std::uint64_t kNear = 1024;  ///< bytes looked at as a whole

std::string bytes_text(std::uint64_t bytes) {
  return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

/// Reports why the lane's access is no good.
void report_outside(Access& access, int lane) {
  const DeviceMemory& memory = *access.warp.launch->memory;
  const std::uint64_t address = access.addresses[static_cast<std::size_t>(lane)];
  const std::string what = describe(access);
  if (const Allocation* const found = memory.find_usable(address)) {
    const std::string of = " of an allocation of " + bytes_text(found->bytes);
    if (!found->live) {
      report_fault(
          access, CheckKind::use_after_free, lane,
          what + " at byte " + std::to_string(address - found->address) + of + " that was freed");
      return;
    }
    const std::uint64_t past = address + access.bytes - (found->address + found->bytes);
    report_fault(access, CheckKind::global_out_of_bounds, lane,
                 what + " that ends " + bytes_text(past) + " past the end" + of);
    return;
  }
  const Allocation* const near = memory.nearest(address);
  if (!memory.contains(address) || near == nullptr) {
    const bool is_null = address < 65536;
    report_fault(access, CheckKind::null_or_host_pointer, lane,
                 what + (is_null ? " through a null pointer"
                                 : " at an address that is no device memory: a host pointer? "
                                   "Kernels need memory of cudaMalloc or cudaMallocManaged"));
    return;
  }
  const bool is_past = address >= near->address + near->bytes;
  const std::uint64_t distance =
      is_past ? address - (near->address + near->bytes) : near->address - address;
  report_fault(access, CheckKind::global_out_of_bounds, lane,
               what + ", " + bytes_text(distance) +
                   (is_past ? " past the end" : " before the start") + " of " +
                   (near->live ? "an allocation" : "a freed allocation") + " of " +
                   bytes_text(near->bytes));
}

/// One by one, since not all lanes are in the allocation that the instruction hit last.
void admit_lanes(Access& access) {
  LaunchState& launch = *access.warp.launch;
  const Mask asked = access.active;
  const Allocation* found = nullptr;
  for_lanes(asked, [&](int lane) {
    const std::uint64_t address = access.addresses[static_cast<std::size_t>(lane)];
    if (found == nullptr || address - found->address >= found->bytes) {
      found = launch.memory->find_usable(address);
    }
    if (found != nullptr && found->live &&
        address + access.bytes <= found->address + found->bytes) {
      return;
    }
    access.active &= ~(Mask{1} << lane);
    report_outside(access, lane);
    found = nullptr;
  });
  if (found != nullptr && access.instruction.access != kNoIndex) {
    launch.last_allocation[access.instruction.access] = {found->address,
                                                         found->address + found->bytes};
  }
}

void check_written(const Access& access) {
  LaunchState& launch = *access.warp.launch;
  const DeviceMemory& memory = *launch.memory;
  // Mostly everything between the lanes is written, too.
  const std::uint64_t span = access.extent.high - access.extent.low + access.bytes;
  if (span <= kNear &&
      all_bits_set_in(memory.written_bits(), access.extent.low - memory.base(), span)) {
    return;
  }
  for_lanes(access.active, [&](int lane) {
    const std::uint64_t address = access.addresses[static_cast<std::size_t>(lane)];
    if (all_bits_set(memory.written_bits(), address - memory.base(), access.bytes)) return;
    launch.checks->report(
        CheckKind::uninitialised_global, access.warp, access.instruction, lane, address, [&] {
          const Allocation* const found = memory.find_usable(address);
          const std::uint64_t start = found == nullptr ? address : found->address;
          const auto first = memory.find_unwritten(address, access.bytes).value_or(address);
          return describe(access) + ": byte " + std::to_string(first - start) +
                 " of an allocation of " + bytes_text(found == nullptr ? 0 : found->bytes) +
                 " was never written";
        });
  });
}

void mark_written(const Access& access) {
  DeviceMemory& memory = *access.warp.launch->memory;
  if (is_contiguous(access)) {
    memory.mark_written(access.addresses[0], std::uint64_t{access.bytes} * kLanes);
    return;
  }
  for_lanes(access.active, [&](int lane) {
    memory.mark_written(access.addresses[static_cast<std::size_t>(lane)], access.bytes);
  });
}

void count(const Access& access) {
  AccessProfiler* const profiler = access.warp.launch->profiler;
  if (profiler == nullptr || !access.is_counted || access.instruction.access == kNoIndex) return;
  const Instruction& instruction = access.instruction;
  const BlockState& block = *access.warp.block;
  if (access.is_atomic) {
    profiler->atomic(instruction, block, access.addresses, access.active, access.bytes, false);
  } else if (instruction.space == Space::constant) {
    profiler->constant(instruction, access.addresses, access.active, access.bytes);
  } else {
    profiler->global(instruction, block, access.addresses, access.active, access.bytes);
  }
}

void find_pointers(const Access& access, Pointers& out) {
  const DeviceMemory& memory = *access.warp.launch->memory;
  if (access.active == kAllLanes) {
    for (std::size_t i = 0; i < kLanes; ++i) out[i] = memory.host(access.addresses[i]);
    return;
  }
  for_lanes(access.active, [&](int lane) {
    const auto i = static_cast<std::size_t>(lane);
    out[i] = memory.host(access.addresses[i]);
  });
}

}  // namespace

void admit_global(Access& access) {
  LaunchState& launch = *access.warp.launch;
  measure(access);
  const AddressExtent& extent = access.extent;
  const std::uint32_t index = access.instruction.access;
  const auto [first, last] =
      index == kNoIndex ? std::pair<std::uint64_t, std::uint64_t>{} : launch.last_allocation[index];
  const bool is_ordered = extent.any >> 63U == 0;
  const bool is_inside =
      is_ordered && extent.low >= first && extent.high < last && last - extent.high >= access.bytes;
  if (!is_inside) admit_lanes(access);
  drop_measured(access);
}

void read_global(Access& access, Pointers& out) {
  admit_global(access);
  if (access.active == 0) return;
  count(access);
  LaunchState& launch = *access.warp.launch;
  if (launch.check_initialised) check_written(access);
  find_pointers(access, out);
  if (access.warp.block->watched && access.instruction.space != Space::constant) {
    watch_read(access, out);
  }
  if (launch.global_shadow != nullptr && access.instruction.space != Space::constant) {
    launch.global_shadow->read(access, out);
  }
}

void write_global(Access& access, const std::byte* values) {
  admit_global(access);
  if (access.active == 0) return;
  count(access);
  LaunchState& launch = *access.warp.launch;
  mark_written(access);
  if (access.warp.block->watched) watch_write(access);
  if (launch.global_shadow != nullptr) {
    launch.global_shadow->write(access, values);
    return;
  }
  const DeviceMemory& memory = *launch.memory;
  if (is_contiguous(access)) {
    std::memcpy(memory.host(access.addresses[0]), values, std::size_t{access.bytes} * kLanes);
    return;
  }
  for_lanes(access.active, [&](int lane) {
    const auto i = static_cast<std::size_t>(lane);
    std::memcpy(memory.host(access.addresses[i]), values + i * access.bytes, access.bytes);
  });
}

void update_global(Access& access, Pointers& out) {
  admit_global(access);
  if (access.active == 0) return;
  count(access);
  LaunchState& launch = *access.warp.launch;
  if (launch.check_initialised && access.reads_old) check_written(access);
  mark_written(access);
  if (launch.global_shadow != nullptr) launch.global_shadow->update(access);
  find_pointers(access, out);
  if (access.warp.block->watched) watch_read(access, out);
}

}  // namespace warpmind::simulator
