#pragma once
/// \file
/// Tags of one cache: 128-byte lines of four 32-byte sectors.

#include <cstdint>
#include <vector>

namespace warpmind::simulator {

/// Set-associative, least recently used line out, sets chosen by a hash (as NVIDIA's caches do, so
/// that power-of-two strides do not fall on few sets). Threads: one.
class SectorCache {
 public:
  /// `bytes` of data; at least one set.
  SectorCache(std::uint64_t bytes, std::uint32_t ways);

  /// Looks for `sectors` (four bits) of `line` (address / 128). Returns those that are there; with
  /// `allocate` the others are there afterwards.
  std::uint32_t access(std::uint64_t line, std::uint32_t sectors, bool allocate);
  /// Marks sectors of a line that is there; returns those that were not marked.
  std::uint32_t mark_dirty(std::uint64_t line, std::uint32_t sectors);

 private:
  struct Line {
    std::uint64_t tag = ~std::uint64_t{0};
    std::uint32_t used = 0;
    std::uint8_t sectors = 0;
    std::uint8_t dirty = 0;
  };
  [[nodiscard]] Line* set_of(std::uint64_t line);

  std::vector<Line> lines_;
  std::uint64_t sets_ = 1;
  std::uint32_t ways_ = 1;
  std::uint32_t time_ = 0;
};

}  // namespace warpmind::simulator
