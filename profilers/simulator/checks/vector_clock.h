#pragma once
/// \file
/// Vector clocks of the happens-before relation between the threads of a launch.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace warpmind::simulator {

/// For some threads a time: what they did before it has happened. An entry stands for one thread,
/// for all threads of a warp, or for all of a block; times are of the block's own clock. Sparse,
/// since most threads never hear of others but by a barrier.
class VectorClock {
 public:
  using Key = std::uint64_t;
  /// Beyond it, what is known is taken for everything: a hand-over is missed, none is refused.
  static constexpr std::size_t kMostEntries = 4096;

  [[nodiscard]] static constexpr Key of_block(std::uint32_t block) { return Key{block} << 11U; }
  [[nodiscard]] static constexpr Key of_warp(std::uint32_t block, std::uint32_t warp) {
    return of_block(block) | (warp + 1);
  }
  [[nodiscard]] static constexpr Key of_thread(std::uint32_t block, std::uint32_t thread) {
    return of_block(block) | (kFirstThread + thread);
  }

  void raise(Key key, std::uint32_t time);
  void join(const VectorClock& other);

  /// 0 = nothing is known.
  [[nodiscard]] std::uint32_t at(Key key) const;
  /// The latest time of any entry of the block.
  [[nodiscard]] std::uint32_t latest_of(std::uint32_t block) const;
  [[nodiscard]] bool covers(const VectorClock& other) const;

 private:
  static constexpr Key kFirstThread = 64;  ///< behind the block and its warps

  [[nodiscard]] std::size_t place_of(Key key) const;
  void limit();

  std::vector<std::pair<Key, std::uint32_t>> entries_;  ///< by key
  bool is_everything_ = false;
};

/// A clock that many threads share; null = nothing is known.
using Knowledge = std::shared_ptr<const VectorClock>;

/// What both know. One of the two where it has all of the other's.
[[nodiscard]] Knowledge joined(const Knowledge& one, const Knowledge& other);

}  // namespace warpmind::simulator
