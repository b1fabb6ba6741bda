#pragma once
/// \file
/// Asynchronous copies of one block, between issue and wait.

#include "profilers/simulator/memory/access.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace warpmind::simulator {

/// Copies reach shared memory as late as the program allows: when their thread waits for their
/// group. What is touched earlier is CheckKind::async_not_waited. Groups are counted for each
/// thread. Threads: one.
class AsyncCopies {
 public:
  static constexpr std::size_t kMostBytes = 16;  ///< of one copy

  explicit AsyncCopies(std::uint32_t shared_bytes = 0) : pending_(shared_bytes / kWord + 1) {}

  /// What one instruction copies: kMostBytes a lane of `values`, destination in access.addresses.
  void issue(const Access& access, const std::array<std::byte, kMostBytes * kLanes>& values);

  /// Closes the group of each lane.
  void commit(const Warp& warp, Mask active);
  /// Lands the committed groups of each lane but the newest `keep`.
  void wait(Warp& warp, Mask active, std::uint32_t keep);
  /// Lands everything, committed or not.
  void wait_all(Warp& warp, Mask active);

  /// A bulk copy of one thread to `offset` in shared memory, which `mbarrier` counts.
  void issue_bulk(const Warp& warp, int lane, std::uint32_t offset, std::vector<std::byte> values,
                  std::uint32_t mbarrier);
  /// Lands the bulk copies that `mbarrier` counts. Returns their bytes.
  std::uint32_t land_bulk(BlockState& block, std::uint32_t mbarrier);

  [[nodiscard]] bool any_pending() const { return copies_ > 0; }
  /// Reports lanes that touch what has not landed, and returns them.
  Mask check(const Access& access);

  void start_block();

 private:
  static constexpr std::uint32_t kWord = 4;  ///< bytes of the narrowest copy
  using Groups = std::array<std::uint32_t, kLanes>;

  /// One instruction.
  struct Batch {
    const Instruction* instruction = nullptr;
    Mask left = 0;  ///< lanes whose copy has not landed
    std::uint32_t bytes = 0;
    std::array<std::uint32_t, kLanes> offsets{};
    Groups groups{};
    std::array<std::byte, kMostBytes * kLanes> values{};
  };
  struct WarpCopies {
    std::vector<Batch> batches;  ///< in the order of issue
    Groups open{};               ///< number of the group that is filled now
  };

  struct BulkCopy {
    std::uint32_t thread = 0;
    std::uint32_t offset = 0;
    std::uint32_t mbarrier = 0;
    std::vector<std::byte> values;
  };

  WarpCopies& warp_copies(const Warp& warp);
  void count(std::uint32_t offset, std::uint32_t bytes, int change);
  void land(Warp& warp, Batch& batch, Mask lanes);
  [[nodiscard]] std::string owner_of(std::uint64_t offset, std::uint32_t bytes) const;

  std::vector<WarpCopies> warps_;
  std::vector<BulkCopy> bulk_;
  std::vector<std::uint16_t> pending_;  ///< copies under way to each word
  std::uint64_t copies_ = 0;
};

}  // namespace warpmind::simulator
