#pragma once
/// \file
/// Places that threads use to tell each other something: flags, locks, counters.

#include "profilers/simulator/checks/block_order.h"
#include "profilers/simulator/memory/access.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace warpmind::simulator {

/// Strong accesses (atomic, volatile, relaxed and stronger) of one memory, by address.
///
/// - A write publishes what its thread has released; a read-modify-write adds to what is there.
/// - A read takes over what it finds: at once when it acquires, else at its thread's next fence. A
///   read-modify-write counts as acquiring: the "last block" of CUDA's guide has no fence there.
/// - A plain read that nothing orders behind the last write may still see the value before it, and
///   does so once: the memory model allows it, and a kernel that takes volatile for
///   synchronisation computes something else.
///
/// Threads: one.
class SyncLocations {
 public:
  /// A lane is about to store `value` to `memory`.
  void store(const Access& access, int lane, const std::byte* memory, const std::byte* value);
  /// Read-modify-writes are about to be made.
  void update(const Access& access);
  /// For the lanes that see an earlier value, `pointers` is moved to it.
  void read(const Access& access, std::array<std::byte*, kLanes>& pointers);

  void clear() { locations_.clear(); }

 private:
  static constexpr std::size_t kMostBytes = 16;
  static constexpr std::size_t kMostSeers = 64;
  static constexpr std::size_t kMostLocations = std::size_t{1} << 16U;
  using Bytes = std::array<std::byte, kMostBytes>;

  struct Location {
    Knowledge near;  ///< published to the threads of `near_block`
    std::uint32_t near_block = 0;
    Knowledge wide;           ///< published to all blocks
    std::uint32_t bytes = 0;  ///< of the last plain write; 0 = none
    Bytes before{};           ///< what it overwrote
    Bytes after{};            ///< what it wrote
    Moment written;
    std::vector<Moment> seen;  ///< reads of `after`, or of `before` but once
  };

  void publish(const Access& access, int lane, Location* location, bool adds);
  void take(const Access& access, int lane, const Location& location);
  [[nodiscard]] bool sees_before(const Access& access, int lane, Location& location,
                                 const std::byte* memory);
  [[nodiscard]] Location* find(std::uint64_t address);

  std::unordered_map<std::uint64_t, Location> locations_;
};

}  // namespace warpmind::simulator
