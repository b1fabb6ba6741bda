#pragma once
/// \file
/// Races and uninitialised reads of shared memory.

#include "profilers/simulator/memory/access.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpmind::simulator {

/// What a block did to its shared memory: for each granule the last writer and the last readers.
///
/// Two accesses conflict when they touch the same bytes, one of them writes, different threads make
/// them, and no barrier (block epoch) nor, within a warp, __syncwarp (warp epoch) lies between.
/// - Atomic, volatile and relaxed or stronger accesses do not conflict with each other.
/// - Release and acquire: when the earlier thread's warp has made a fence (membar, fence, a release
///   operation, mbarrier.arrive) since, and the later thread's warp has made an atomic or strong
///   read (or seen an mbarrier complete) after that fence, the two are ordered. Whether it is the
///   right flag is not looked at, so that no correct hand-over is reported.
/// - Two writes of the same value are CheckKind::same_value_race.
///
/// A granule is 4 bytes until the first narrower access, then 2 or 1: bytes of one word that belong
/// to different threads are told apart. Threads: one.
class SharedShadow {
 public:
  /// Without `check_races` only what is never written is reported.
  explicit SharedShadow(std::uint32_t bytes, bool check_races = true);

  /// Forgets what is initialised. Block epochs go on from block to block.
  void start_block();

  /// Checks a read and remembers it.
  void read(const Access& access);
  /// Checks a write and makes it, lane after lane: `values` holds access.bytes for each lane.
  void write(const Access& access, const std::byte* values);
  /// Checks a read-modify-write and remembers it; the caller makes it.
  void update(const Access& access);

  /// A cp.async begins: checked as a write, but nothing is stored and nothing initialised.
  void claim(const Access& access);
  /// What was claimed arrives: nothing is checked, `values` as for write().
  void land(const Access& access, const std::byte* values);

  void release(const Warp& warp);  ///< a fence by some lanes
  void acquire(const Warp& warp);  ///< an atomic or strong read by some lanes

 private:
  struct Party {
    std::uint16_t epoch = 0;  ///< of the block, low half; 0 = nobody
    std::uint16_t warp_epoch = 0;
    std::uint16_t thread = 0;
    std::uint8_t flags = 0;
    std::uint8_t releases = 0;  ///< of its warp before the access; 255 = many
  };
  struct Cell {
    Party writer;
    Party reader;
  };
  enum class Finding : std::uint8_t { none, same_value, in_warp, race };

  static constexpr std::size_t kWarps = 32;

  void refine(std::uint32_t bytes);
  void begin(const Access& access);
  [[nodiscard]] Party party_of(const Access& access) const;
  [[nodiscard]] Finding conflict(const Party& earlier, const Party& now) const;
  [[nodiscard]] bool is_ordered(const Party& earlier, const Party& now) const;
  [[nodiscard]] static Party joined(const Party& before, const Party& now);
  [[nodiscard]] static bool absorbs(const Party& before, const Party& now);
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
  std::uint32_t epoch_high_ = 0;
  std::uint64_t time_ = 0;  ///< counts releases
  std::array<std::vector<std::uint64_t>, kWarps> releases_;
  std::array<std::uint64_t, kWarps> acquired_{};
  Party other_;  ///< of the last conflict, for the message
};

}  // namespace warpmind::simulator
