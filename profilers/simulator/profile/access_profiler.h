#pragma once
/// \file
/// Counts transactions of memory instructions; in wave mode through caches.

#include "profilers/simulator/profile/launch_record.h"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace warpmind::simulator {

/// 32 addresses of one request; only those of active lanes are meant.
using Addresses = std::array<std::uint64_t, kLanes>;

class SectorCache;

/// Sizes of the caches in wave mode; 0 = no caches are simulated.
struct CacheGeometry {
  std::uint32_t multiprocessors = 0;
  std::uint64_t l1_bytes = 0;  ///< a multiprocessor, after shared memory is taken off
  std::uint64_t l2_bytes = 0;
};

/// Threads: one.
class AccessProfiler {
 public:
  AccessProfiler(std::uint32_t accesses, const CacheGeometry& caches);
  ~AccessProfiler();
  AccessProfiler(const AccessProfiler&) = delete;
  AccessProfiler& operator=(const AccessProfiler&) = delete;

  /// A load or store of `bytes` a lane to global (or local) memory.
  void global(const Instruction& instruction, const BlockState& block, const Addresses& addresses,
              Mask active, std::uint32_t bytes);
  void shared(const Instruction& instruction, const Addresses& addresses, Mask active,
              std::uint32_t bytes);
  /// Constant bank: one request, as many passes as distinct addresses.
  void constant(const Instruction& instruction, const Addresses& addresses, Mask active,
                std::uint32_t bytes);
  /// `is_shared`: which memory the atomic works on.
  void atomic(const Instruction& instruction, const BlockState& block, const Addresses& addresses,
              Mask active, std::uint32_t bytes, bool is_shared);
  /// ldmatrix, stmatrix: `rows` row addresses of 16 bytes.
  void matrix(const Instruction& instruction, const Addresses& rows, int count);

  [[nodiscard]] const std::vector<AccessCounters>& counters() const { return counters_; }
  void reset();  ///< counters, not caches

 private:
  enum class Path : std::uint8_t { load, store, atomic };

  AccessCounters& begin(const Instruction& instruction, Mask active, std::uint32_t bytes);
  void through_caches(AccessCounters& counters, const BlockState& block,
                      std::span<const std::uint64_t> sectors, Path path);

  std::vector<AccessCounters> counters_;
  std::vector<std::unique_ptr<SectorCache>> l1_;
  std::unique_ptr<SectorCache> l2_;
};

}  // namespace warpmind::simulator
