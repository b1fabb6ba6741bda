#pragma once
/// \file
/// Races on global memory.

#include "profilers/simulator/checks/sync_locations.h"
#include "profilers/simulator/memory/access.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpmind::simulator {

/// For each 4-byte word of device memory the last writer and the last readers of the launch.
///
/// Two accesses conflict when they touch the same bytes, one of them writes, different threads make
/// them, and neither happens before the other (BlockOrder).
/// - Atomic, volatile and relaxed or stronger accesses do not conflict with each other; what they
///   order, and what they may see, SyncLocations says.
/// - ld.global.nc of what the launch has written is undefined, whoever wrote it and whatever lies
///   between. Such a load is not remembered: a later write is found in reverse order.
/// - Two writes of the same value are CheckKind::same_value_race.
/// - Different threads on different bytes of one word (16-bit elements) are remembered as a block:
///   conflicts with other blocks stay exact, those within the block are missed.
/// - Of readers in several blocks or warps the last one is remembered: a write that is ordered
///   behind that one passes.
///
/// Threads: one.
class GlobalShadow {
 public:
  /// For one launch. `memory` outlives the shadow. Throws ReservationError.
  explicit GlobalShadow(DeviceMemory& memory);

  /// A strong read may see an earlier value: its pointer is moved there.
  void read(const Access& access, std::array<std::byte*, kLanes>& pointers);
  /// Checks a write and makes it, lane after lane: `values` holds access.bytes for each lane.
  void write(const Access& access, const std::byte* values);
  /// Checks a read-modify-write and remembers it; the caller makes it.
  void update(const Access& access);

 private:
  enum class Finding : std::uint8_t { none, same_value, race };
  struct Party;

  [[nodiscard]] std::uint64_t begin(const Access& access);
  [[nodiscard]] Party party_of(const Access& access) const;
  [[nodiscard]] Finding conflict(const Party& earlier, const Party& now, const Warp& warp) const;
  [[nodiscard]] static Party joined_reader(const Party& before, const Party& now);
  [[nodiscard]] static Party joined_writer(const Party& before, const Party& now);
  Finding visit_read(std::uint64_t* cell, const Party& now, const Warp& warp);
  Finding visit_write(std::uint64_t* cell, const Party& now, const Warp& warp, bool is_same_value);
  void visit_non_coherent(const Access& access);
  void mark_pages(const Access& access);
  void visit(const Access& access, int lane, std::uint64_t warp, const std::byte* value);
  void visit_slowly(const Access& access, int lane, const std::byte* value, const Party& now);
  [[nodiscard]] bool passes_read(std::uint64_t* cell, std::uint64_t now) const;
  [[nodiscard]] bool passes_write(std::uint64_t* cell, std::uint64_t now) const;
  void report(Finding finding, const Access& access, int lane, const Party& other);

  DeviceMemory* memory_;
  std::uint64_t* cells_;
  std::uint32_t launch_;
  std::uint64_t floor_ = 0;          ///< of the accessing block's last barrier, as cells have it
  std::vector<bool> written_pages_;  ///< of device memory, in this launch
  SyncLocations locations_;
};

}  // namespace warpmind::simulator
