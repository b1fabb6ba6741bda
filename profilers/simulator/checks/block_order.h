#pragma once
/// \file
/// Happens-before: what the threads of the running block know of each other and of other blocks.

#include "profilers/simulator/checks/vector_clock.h"
#include "profilers/simulator/exec/warp.h"

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace warpmind::simulator {

/// Blocks are told apart by so many bits of their number.
inline constexpr std::uint32_t kBlockMask = (1U << 20U) - 1;
/// Times of a block's clock, from its start. One that has come here orders everything.
inline constexpr std::uint32_t kLastTime = (1U << 20U) - 1;
/// A block's clock begins again behind it.
inline constexpr std::uint32_t kMostClock = 1U << 24U;
/// Bulk copies write as a thread of their own: who issued them must wait for them as others must.
inline constexpr std::uint32_t kCopyThread = 1024;

[[nodiscard]] inline std::uint32_t block_number(const BlockState& block) {
  return static_cast<std::uint32_t>(block.linear) & kBlockMask;
}
/// A time of the block's clock as vector clocks and global shadows have it.
[[nodiscard]] inline std::uint32_t time_in_block(const BlockState& block, std::uint32_t clock) {
  const std::uint32_t time = clock - block.first_clock;
  return time < kLastTime ? time : kLastTime;
}

/// How far an operation is seen: by the block, or by all blocks.
enum class Reach : std::uint8_t { block, device };

/// Who made an access, and when by the clock of its block.
struct Moment {
  std::uint32_t block = 0;   ///< block_number()
  std::uint32_t thread = 0;  ///< in the block
  std::uint32_t time = 0;    ///< time_in_block()
};

/// The relation follows PTX's memory model: program order, barriers and warp-level synchronisation
/// by their participants, and release and acquire patterns. The clock of the block (BlockState)
/// counts synchronising operations; Warp::stamp is the clock at the warp's own last one, and marks
/// its accesses. What a barrier of the whole block or a __syncwarp of all lanes orders is one
/// comparison with BlockState::floor or Warp::floor; knowledge that threads get from each other is
/// in vector clocks, which most kernels never need.
///
/// A fence makes what its thread knows ready to be published by its strong writes, and by those of
/// threads that meet it later at a barrier (each thread fences, all meet, one raises the flag).
///
/// Threads: one.
class BlockOrder {
 public:
  /// The block's warps are as many as it will ever have.
  void start_block(BlockState& block);

  /// Some lanes of a warp meet: __syncwarp, shuffles, votes.
  void meet(Warp& warp, Mask lanes);
  /// A warp passes bar.arrive.
  void arrive(std::uint32_t barrier, Warp& warp);
  /// A barrier opens; `is_whole` when all warps of the block wait at it.
  void open(BlockState& block, std::uint32_t barrier, bool is_whole);

  void fence(Warp& warp, Mask lanes, Reach reach);
  /// What a write of the lane publishes to `reach`; null = nothing. A release publishes what the
  /// lane knows now, another strong write what it had fenced.
  [[nodiscard]] Knowledge published(Warp& warp, int lane, bool is_release, Reach reach);
  /// The lane has read what was published: it knows at once (an acquire), or after its next fence.
  void learn(Warp& warp, int lane, const Knowledge& what);
  void learn_at_fence(Warp& warp, int lane, const Knowledge& what, Reach from);

  // mbarriers, by their offset in shared memory.
  void begin_phases(std::uint32_t mbarrier);
  void arrive_at(std::uint32_t mbarrier, Warp& warp, Mask lanes);
  /// Bulk copies have written: the time that marks their writes, seen by who waits for `mbarrier`.
  [[nodiscard]] std::uint32_t land_at(std::uint32_t mbarrier, BlockState& block);
  void complete_phase(std::uint32_t mbarrier);
  void pass(std::uint32_t mbarrier, Warp& warp, Mask lanes);

  /// Whether the access happens before what the lane does now.
  [[nodiscard]] bool is_before(const Moment& access, const Warp& warp, int lane) const;
  /// The same for accesses by several lanes of one warp, of which `last` is the last.
  [[nodiscard]] bool are_before(const Moment& last, const Warp& warp, int lane) const;
  /// Whether the lane knows of the block of `access`, which is another one, at a later time.
  [[nodiscard]] bool is_block_known(const Moment& access, const Warp& warp, int lane) const;

  /// Whether threads of this block have learnt anything but by barriers of the whole block.
  [[nodiscard]] bool has_messages() const { return has_messages_; }

 private:
  [[nodiscard]] bool is_warp_before(const Moment& access, const Warp& warp, int lane) const;

  using Times = std::array<std::uint32_t, kLanes>;
  using ByReach = std::array<Knowledge, 2>;

  struct Lane {
    Knowledge known;
    ByReach unfenced;                          ///< was read, and waits for a fence
    ByReach fenced;                            ///< by the lane or by threads that it met
    std::array<std::uint32_t, 2> fenced_at{};  ///< own accesses before it are fenced; 0 = none
  };
  struct WarpOrder {
    std::array<Lane, kLanes> lanes;
    std::unique_ptr<std::array<Times, kLanes>> met;  ///< [lane][other]: clock when they met
  };
  /// What several lanes know together.
  struct Together {
    Knowledge known;
    ByReach fenced;
    void join(const Together& other);
  };
  struct Phases {
    Knowledge arriving;
    Knowledge completed;
  };

  [[nodiscard]] const Lane& lane_of(const Warp& warp, int lane) const {
    return warps_[warp.index].lanes[static_cast<std::size_t>(lane)];
  }
  [[nodiscard]] Together gather(const Warp& warp, Mask lanes) const;
  void spread(Warp& warp, Mask lanes, const Together& what);
  void open_whole(BlockState& block);
  void note_meeting(Warp& warp, Mask lanes);
  [[nodiscard]] static Knowledge floors_of(const Warp& warp, const Knowledge& known);
  [[nodiscard]] Knowledge known_now(Warp& warp, int lane);

  std::vector<WarpOrder> warps_;
  std::array<Together, 16> arrived_;  ///< by bar.arrive, until the barrier opens
  std::unordered_map<std::uint32_t, Phases> phases_;
  bool is_uneven_ = false;  ///< threads know different things since the last whole barrier
  bool was_used_ = false;   ///< in this block, beyond the floors
  bool has_messages_ = false;
};

/// Lanes that meet. All of a warp's lanes, the usual case, are one step of the clock.
inline void meet_lanes(Warp& warp, Mask lanes) {
  BlockState& block = *warp.block;
  if (lanes == warp.live && !warp.is_uneven) {
    warp.stamp = warp.floor = ++block.clock;
  } else if (block.order != nullptr) {
    block.order->meet(warp, lanes);
  }
}

}  // namespace warpmind::simulator
