#include "profilers/simulator/memory/access.h"

#include <charconv>

namespace warpmind::simulator {
namespace {

std::string hexadecimal(std::uint64_t value) {
  std::array<char, 16> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, 16).ptr;
  return "0x" + std::string(digits.data(), end);
}

std::string triple(const Dim3& index) {
  return std::to_string(index[0]) + "," + std::to_string(index[1]) + "," + std::to_string(index[2]);
}

}  // namespace

void gather_addresses(Warp& warp, const Instruction& instruction, Addresses& out) {
  const auto offset = static_cast<std::uint64_t>(instruction.immediate);
  if (instruction.address_bytes == 8) {
    const auto* const from = lanes<std::uint64_t>(warp, instruction.a);
    for (std::size_t i = 0; i < kLanes; ++i) out[i] = from[i] + offset;
  } else if (instruction.address_bytes == 4) {
    const auto* const from = lanes<std::uint32_t>(warp, instruction.a);
    const auto offset32 = static_cast<std::uint32_t>(offset);
    for (std::size_t i = 0; i < kLanes; ++i) out[i] = from[i] + offset32;
  } else {
    out.fill(offset);
  }
}

Dim3 thread_index(const Warp& warp, int lane) {
  const Dim3& block = warp.launch->block;
  const std::uint32_t linear = warp.index * kLanes + static_cast<std::uint32_t>(lane);
  return {linear % block[0], linear / block[0] % block[1], linear / (block[0] * block[1])};
}

std::string describe(const Access& access) {
  const char* const what = access.is_atomic  ? "atomic operation on"
                           : access.is_store ? "write of"
                                             : "read of";
  return std::string(what) + " " + std::to_string(access.bytes) +
         (access.bytes == 1 ? " byte" : " bytes");
}

void report_fault(Access& access, CheckKind kind, int lane, const std::string& detail) {
  Warp& warp = access.warp;
  const std::uint64_t address = access.addresses[static_cast<std::size_t>(lane)];
  warp.launch->checks->report(kind, warp, access.instruction, lane, address,
                              [&] { return detail; });
  if (warp.launch->end != LaunchEnd::completed) return;
  const int line = warp.program().info[access.instruction.index].source_line;
  stop_launch(warp, LaunchEnd::fault,
              "kernel " + warp.launch->program->name +
                  (line > 0 ? ", line " + std::to_string(line) : std::string()) + ": " +
                  std::string(name_of(kind)) + ": " + detail + " (block " +
                  triple(warp.block->index) + ", thread " + triple(thread_index(warp, lane)) +
                  ", address " + hexadecimal(address) + ")");
}

void drop_misaligned(Access& access) {
  if (!std::has_single_bit(access.bytes)) return;
  const std::uint64_t low = access.bytes - 1;
  std::uint64_t any = 0;
  for_lanes(access.active,
            [&](int lane) { any |= access.addresses[static_cast<std::size_t>(lane)]; });
  if ((any & low) == 0) return;
  for_lanes(access.active, [&](int lane) {
    const std::uint64_t address = access.addresses[static_cast<std::size_t>(lane)];
    if ((address & low) == 0) return;
    access.active &= ~(Mask{1} << lane);
    report_fault(access, CheckKind::misaligned, lane,
                 describe(access) + " at an address that is " + std::to_string(address & low) +
                     " past a multiple of " + std::to_string(access.bytes));
  });
}

ResolvedLanes resolve_generic(Access& access) {
  ResolvedLanes out;
  for_lanes(access.active, [&](int lane) {
    std::uint64_t& address = access.addresses[static_cast<std::size_t>(lane)];
    const Mask bit = Mask{1} << lane;
    if (address - kSharedWindow < kWindowBytes) {
      address -= kSharedWindow;
      out.shared |= bit;
    } else if (address - kLocalWindow < kWindowBytes) {
      address -= kLocalWindow;
      out.local |= bit;
    } else if (address - kParamWindow < kWindowBytes) {
      address -= kParamWindow;
      out.param |= bit;
    } else {
      out.global |= bit;
    }
  });
  return out;
}

}  // namespace warpmind::simulator
