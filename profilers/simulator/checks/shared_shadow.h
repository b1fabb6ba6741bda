#pragma once
/// \file
/// Races and uninitialised reads of shared memory.

#include "profilers/simulator/checks/sync_locations.h"
#include "profilers/simulator/memory/access.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace warpmind::simulator {

/// What a block did to its shared memory: for each granule the last writer and the last readers.
///
/// Two accesses conflict when they touch the same bytes, one of them writes, different threads make
/// them, and neither happens before the other (BlockOrder).
/// - Atomic, volatile and relaxed or stronger accesses do not conflict with each other; what they
///   order, and what they may see, SyncLocations says.
/// - Two writes of the same value are CheckKind::same_value_race.
///
/// A granule is 4 bytes until the first narrower access, then 2 or 1: bytes of one word that belong
/// to different threads are told apart. Threads: one.
class SharedShadow {
 public:
  /// Without `check_races` only what is never written is reported.
  explicit SharedShadow(std::uint32_t bytes, bool check_races = true);

  /// Forgets what is initialised. The block's clock goes on from block to block.
  void start_block();

  /// Checks a read and remembers it. A strong read may see an earlier value: its pointer is moved
  /// there.
  void read(const Access& access, std::array<std::byte*, kLanes>& pointers);
  /// Checks a write and makes it, lane after lane: `values` holds access.bytes for each lane.
  void write(const Access& access, const std::byte* values);
  /// Checks a read-modify-write and remembers it; the caller makes it.
  void update(const Access& access);

  /// A cp.async begins: checked as a write, but nothing is stored and nothing initialised.
  void claim(const Access& access);
  /// What was claimed arrives: nothing is checked, `values` as for write().
  void land(const Access& access, const std::byte* values);
  /// A bulk copy arrives, written by kCopyThread at `clock` of the block.
  void land_bulk(const BlockState& block, std::uint32_t offset, std::span<const std::byte> bytes,
                 std::uint32_t clock);

 private:
  struct Party {
    std::uint32_t stamp = 0;  ///< of the block's clock; below the block's first: nobody
    std::uint16_t thread = 0;
    std::uint8_t flags = 0;
  };
  struct Cell {
    Party writer;
    Party reader;
  };
  /// The newest read by each warp, packed: for blocks whose threads know different things.
  using Reads = std::array<std::uint32_t, 32>;
  enum class Finding : std::uint8_t { none, same_value, in_warp, race };

  void refine(std::uint32_t bytes);
  void begin(const Access& access);
  [[nodiscard]] Party party_of(const Access& access) const;
  [[nodiscard]] Finding conflict(const Party& earlier, const Party& now, const Warp& warp) const;
  [[nodiscard]] Finding find_reader(std::uint64_t cell, const Party& now, const Warp& warp);
  [[nodiscard]] static Party joined(const Party& before, const Party& now, std::uint32_t floor);
  [[nodiscard]] static bool absorbs(const Party& before, const Party& now);
  void note_read(std::uint64_t cell, const Party& now);
  Finding visit_read(const Access& access, int lane, Party now);
  Finding visit_write(const Access& access, int lane, Party now, const std::byte* value);
  void report(Finding finding, const Access& access, int lane);
  void check_initialised(const Access& access);
  void store(const Access& access, const std::byte* values);
  void mark(const Access& access);

  std::vector<Cell> cells_;
  std::vector<std::uint8_t> written_;  ///< a bit a byte
  std::uint32_t bytes_ = 0;
  bool check_races_ = true;
  std::uint32_t granule_shift_ = 2;
  std::uint32_t first_clock_ = 0;  ///< of the block that was looked at last
  std::vector<Reads> reads_;       ///< beside cells_, once BlockOrder::has_messages()
  SyncLocations locations_;
  Party other_;  ///< of the last conflict, for the message
};

}  // namespace warpmind::simulator
