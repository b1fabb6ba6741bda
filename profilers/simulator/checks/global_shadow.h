#pragma once
/// \file
/// Races on global memory.

#include "profilers/simulator/memory/access.h"

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace warpmind::simulator {

/// For each 4-byte word of device memory the last writer and the last readers of the launch.
///
/// Two accesses conflict when they touch the same bytes, one of them writes, and they come from
/// different blocks of one launch, or from different threads of one block with no barrier between
/// (threads of one warp: no __syncwarp, either).
/// - Atomic, volatile and relaxed or stronger accesses do not conflict with each other; ld.nc is
///   not looked at.
/// - What a block did before a fence of device scope (membar.gl, fence…gpu, a release operation)
///   is ordered before what another block does after an atomic or strong read that comes later:
///   the "last block" and flag patterns. Neither the thread of the fence nor the address of the
///   flag is looked at, so that no correct hand-over is reported; a wrong flag is not seen.
///   Within a block every fence counts.
/// - Two writes of the same value are CheckKind::same_value_race.
/// - Different threads on different bytes of one word (16-bit elements) are remembered as a block:
///   conflicts with other blocks stay exact, those within the block are missed.
/// - Counters wrap: accesses of one block exactly a multiple of 2047 barriers (64 __syncwarps of
/// one
///   warp between two barriers) apart look simultaneous.
///
/// Threads: one.
class GlobalShadow {
 public:
  /// For one launch. `memory` outlives the shadow. Throws ReservationError.
  explicit GlobalShadow(DeviceMemory& memory);

  void read(const Access& access);
  /// Checks a write and makes it, lane after lane: `values` holds access.bytes for each lane.
  void write(const Access& access, const std::byte* values);
  /// Checks a read-modify-write and remembers it; the caller makes it.
  void update(const Access& access);

  /// `is_wide`: other blocks see it, too.
  void release(const Warp& warp, bool is_wide);
  void acquire(const Warp& warp);  ///< an atomic or strong read

 private:
  enum class Finding : std::uint8_t { none, same_value, race };
  struct Party;

  /// What a block did about ordering; only blocks that use fences or atomics have one.
  struct Ordering {
    std::vector<std::pair<std::uint64_t, bool>> releases;  ///< time, is wide
    std::uint64_t acquired = 0;
  };

  [[nodiscard]] Party party_of(const Access& access) const;
  [[nodiscard]] Finding conflict(const Party& earlier, const Party& now) const;
  [[nodiscard]] bool is_ordered(const Party& earlier, const Party& now) const;
  [[nodiscard]] static Party joined_reader(const Party& before, const Party& now);
  [[nodiscard]] static Party joined_writer(const Party& before, const Party& now);
  Finding visit_read(std::uint64_t* cell, const Party& now);
  Finding visit_write(std::uint64_t* cell, const Party& now, bool is_same_value);
  void visit(const Access& access, int lane, std::uint64_t warp, const std::byte* value);
  void visit_slowly(const Access& access, int lane, const std::byte* value, const Party& now);
  [[nodiscard]] bool passes_read(std::uint64_t* cell, std::uint64_t now) const;
  [[nodiscard]] bool passes_write(std::uint64_t* cell, std::uint64_t now) const;
  void report(Finding finding, const Access& access, int lane, const Party& other);

  DeviceMemory* memory_;
  std::uint64_t* cells_;
  std::uint32_t launch_;
  std::uint64_t time_ = 0;  ///< counts releases
  std::unordered_map<std::uint32_t, Ordering> orderings_;
};

}  // namespace warpmind::simulator
