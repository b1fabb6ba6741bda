#include "profilers/simulator/profile/sector_cache.h"

#include <algorithm>

namespace warpmind::simulator {
namespace {
constexpr std::uint64_t kLineBytes = 128;
/// Odd, from the golden ratio: spreads neighbouring lines over the sets.
constexpr std::uint64_t kHash = 0x9e37'79b9'7f4a'7c15ULL;
}  // namespace

SectorCache::SectorCache(std::uint64_t bytes, std::uint32_t ways) : ways_(ways) {
  sets_ = std::max<std::uint64_t>(1, bytes / (kLineBytes * ways));
  lines_.resize(sets_ * ways_);
}

SectorCache::Line* SectorCache::set_of(std::uint64_t line) {
  // Neighbouring lines take neighbouring sets; the upper bits shift where a run begins.
  const std::uint64_t run = line / sets_;
  const std::uint64_t set = (line % sets_ + (run * kHash >> 32U) % sets_) % sets_;
  return lines_.data() + set * ways_;
}

std::uint32_t SectorCache::access(std::uint64_t line, std::uint32_t sectors, bool allocate) {
  Line* const set = set_of(line);
  Line* oldest = set;
  ++time_;
  for (std::uint32_t i = 0; i < ways_; ++i) {
    Line& way = set[i];
    if (way.tag == line) {
      const std::uint32_t found = way.sectors & sectors;
      if (allocate) way.sectors |= static_cast<std::uint8_t>(sectors);
      way.used = time_;
      return found;
    }
    if (way.used < oldest->used) oldest = &way;
  }
  if (allocate) *oldest = {line, time_, static_cast<std::uint8_t>(sectors), 0};
  return 0;
}

std::uint32_t SectorCache::mark_dirty(std::uint64_t line, std::uint32_t sectors) {
  Line* const set = set_of(line);
  for (std::uint32_t i = 0; i < ways_; ++i) {
    if (set[i].tag != line) continue;
    const std::uint32_t fresh = sectors & ~std::uint32_t{set[i].dirty};
    set[i].dirty |= static_cast<std::uint8_t>(sectors);
    return fresh;
  }
  return sectors;
}

}  // namespace warpmind::simulator
