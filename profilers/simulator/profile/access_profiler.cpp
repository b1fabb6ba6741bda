#include "profilers/simulator/profile/access_profiler.h"

#include "profilers/simulator/memory/address_extent.h"
#include "profilers/simulator/profile/sector_cache.h"

#include <algorithm>
#include <bit>

namespace warpmind::simulator {
namespace {

constexpr unsigned kSectorShift = 5;
constexpr std::uint64_t kSectorsPerLine = 4;
constexpr std::uint32_t kWordBytes = 4;
constexpr std::uint32_t kBanks = 32;
constexpr std::uint32_t kL1Ways = 8;
constexpr std::uint32_t kL2Ways = 16;
/// 32 lanes of 32 bytes at odd addresses: two sectors each.
constexpr std::size_t kMostSectors = 64;

using Sectors = std::array<std::uint64_t, kMostSectors>;

std::uint64_t population(Mask mask) { return static_cast<std::uint64_t>(std::popcount(mask)); }

std::size_t index_of(int lane) { return static_cast<std::size_t>(lane); }

template <class Visit>
void for_active(Mask mask, Visit&& visit) {
  for (; mask != 0; mask &= mask - 1) visit(index_of(std::countr_zero(mask)));
}

AddressExtent extent_of_active(const Addresses& addresses, Mask active, std::uint32_t bytes) {
  AddressExtent extent{~std::uint64_t{0}, 0, 0, false};
  if (active == kAllLanes) {
    measure_extent(addresses, bytes, extent);
    return extent;
  }
  for_active(active, [&](std::size_t i) {
    extent.low = std::min(extent.low, addresses[i]);
    extent.high = std::max(extent.high, addresses[i]);
    extent.any |= addresses[i];
  });
  return extent;
}

/// Numbers of the distinct sectors that the active lanes touch, ascending.
std::size_t list_sectors(const Addresses& addresses, Mask active, std::uint32_t bytes,
                         Sectors& out) {
  const AddressExtent extent = extent_of_active(addresses, active, bytes);
  if (extent.is_run) {
    const std::uint64_t first = addresses[0] >> kSectorShift;
    const std::uint64_t last = (addresses[0] + std::uint64_t{bytes} * kLanes - 1) >> kSectorShift;
    const std::size_t count = std::min<std::size_t>(last - first + 1, kMostSectors);
    for (std::size_t i = 0; i < count; ++i) out[i] = first + i;
    return count;
  }
  const std::uint64_t low = extent.low >> kSectorShift;
  const std::uint64_t high = (extent.high + bytes - 1) >> kSectorShift;
  std::size_t count = 0;
  if (high - low < 64) {
    std::uint64_t touched = 0;
    // An access at a multiple of its size, a power of two up to a sector, lies in one sector.
    const bool is_aligned = std::has_single_bit(bytes) && (extent.any & (bytes - 1)) == 0;
    for_active(active, [&](std::size_t i) {
      touched |= std::uint64_t{1} << ((addresses[i] >> kSectorShift) - low);
      if (is_aligned) return;
      touched |= std::uint64_t{1} << (((addresses[i] + bytes - 1) >> kSectorShift) - low);
    });
    for (; touched != 0; touched &= touched - 1) {
      out[count++] = low + static_cast<std::uint64_t>(std::countr_zero(touched));
    }
    return count;
  }
  for_active(active, [&](std::size_t i) {
    const std::uint64_t first = addresses[i] >> kSectorShift;
    const std::uint64_t last = (addresses[i] + bytes - 1) >> kSectorShift;
    out[count++] = first;
    if (last != first) out[count++] = last;
  });
  const auto end = out.begin() + static_cast<std::ptrdiff_t>(count);
  std::sort(out.begin(), end);
  return static_cast<std::size_t>(std::unique(out.begin(), end) - out.begin());
}

std::uint64_t count_lines(const Sectors& sectors, std::size_t count) {
  std::uint64_t lines = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (i == 0 || sectors[i] / kSectorsPerLine != sectors[i - 1] / kSectorsPerLine) ++lines;
  }
  return lines;
}

/// As count_passes() for lanes of one word each; 0 when a bank has two words.
std::uint64_t count_single_words(const Addresses& addresses, Mask active) {
  std::array<std::uint64_t, kBanks> holder{};  // first word of the bank, plus one
  bool is_free = true;
  for_active(active, [&](std::size_t i) {
    const std::uint64_t word = addresses[i] / kWordBytes + 1;
    std::uint64_t& held = holder[word % kBanks];
    is_free = is_free && (held == 0 || held == word);
    held = word;
  });
  return is_free ? 1 : 0;
}

/// Distinct words on the fullest bank: how often the banks must be passed for these lanes.
std::uint64_t count_passes(const Addresses& addresses, Mask active, std::uint32_t bytes) {
  // A group of lanes has 32 words at most; atomics come as one group of up to 4 words a lane.
  std::array<std::uint64_t, std::size_t{4} * kBanks> words;  // NOLINT(*-member-init): to `count`
  std::size_t count = 0;
  for_active(active, [&](std::size_t i) {
    const std::uint64_t last = (addresses[i] + bytes - 1) / kWordBytes;
    for (std::uint64_t word = addresses[i] / kWordBytes; word <= last && count < words.size();
         ++word) {
      words[count++] = word;
    }
  });
  std::array<std::uint64_t, kBanks> holder{};  // first word of the bank, plus one
  bool is_free = true;
  for (std::size_t i = 0; i < count && is_free; ++i) {
    std::uint64_t& held = holder[words[i] % kBanks];
    is_free = held == 0 || held == words[i] + 1;
    held = words[i] + 1;
  }
  if (is_free) return 1;
  const auto end = words.begin() + static_cast<std::ptrdiff_t>(count);
  std::sort(words.begin(), end);
  std::array<std::uint8_t, kBanks> passes{};
  std::uint8_t most = 1;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0 && words[i] == words[i - 1]) continue;
    most = std::max(most, ++passes[words[i] % kBanks]);
  }
  return most;
}

/// Lanes that go together: 32 up to 4 bytes, 16 of 8, 8 of 16, 4 of 32.
std::uint32_t group_lanes(std::uint32_t bytes) {
  return bytes <= kWordBytes ? kLanes : std::max(1U, kLanes * kWordBytes / bytes);
}

}  // namespace

AccessProfiler::AccessProfiler(std::uint32_t accesses, const CacheGeometry& caches)
    : counters_(accesses) {
  for (std::uint32_t i = 0; i < caches.multiprocessors; ++i) {
    l1_.push_back(std::make_unique<SectorCache>(caches.l1_bytes, kL1Ways));
  }
  if (caches.multiprocessors > 0) l2_ = std::make_unique<SectorCache>(caches.l2_bytes, kL2Ways);
}

AccessProfiler::~AccessProfiler() = default;

void AccessProfiler::reset() { std::fill(counters_.begin(), counters_.end(), AccessCounters{}); }

AccessCounters& AccessProfiler::begin(const Instruction& instruction, Mask active,
                                      std::uint32_t bytes) {
  AccessCounters& counters = counters_[instruction.access];
  ++counters.requests;
  counters.lanes += population(active);
  counters.bytes += bytes * population(active);
  return counters;
}

void AccessProfiler::global(const Instruction& instruction, const BlockState& block,
                            const Addresses& addresses, Mask active, std::uint32_t bytes) {
  AccessCounters& counters = begin(instruction, active, bytes);
  Sectors sectors;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled up to `count`
  const std::size_t count = list_sectors(addresses, active, bytes, sectors);
  counters.sectors += count;
  counters.lines += count_lines(sectors, count);
  if (l2_) {
    const Path path = instruction.is_store ? Path::store : Path::load;
    through_caches(counters, block, {sectors.data(), count}, path);
  }
}

void AccessProfiler::shared(const Instruction& instruction, const Addresses& addresses, Mask active,
                            std::uint32_t bytes) {
  AccessCounters& counters = begin(instruction, active, bytes);
  const std::uint32_t lanes = group_lanes(bytes);
  const AddressExtent extent = extent_of_active(addresses, active, bytes);
  if (extent.is_run && addresses[0] % kWordBytes == 0) {
    counters.wavefronts += kLanes / lanes;
    counters.ideal_wavefronts += kLanes / lanes;
    return;
  }
  const bool is_word = bytes == kWordBytes && extent.any % kWordBytes == 0;
  // 32 words in a row are on 32 banks.
  const bool is_near = extent.high - extent.low < std::uint64_t{kBanks} * kWordBytes;
  if (is_word && (is_near || count_single_words(addresses, active) == 1)) {
    ++counters.ideal_wavefronts;
    ++counters.wavefronts;
    return;
  }
  const Mask group = lanes == kLanes ? kAllLanes : (Mask{1} << lanes) - 1;
  for (std::uint32_t first = 0; first < kLanes; first += lanes) {
    const Mask part = active & group << first;
    if (part == 0) continue;
    ++counters.ideal_wavefronts;
    counters.wavefronts += count_passes(addresses, part, bytes);
  }
}

void AccessProfiler::constant(const Instruction& instruction, const Addresses& addresses,
                              Mask active, std::uint32_t bytes) {
  AccessCounters& counters = begin(instruction, active, bytes);
  Addresses distinct = addresses;
  std::size_t count = 0;
  for_active(active, [&](std::size_t i) { distinct[count++] = addresses[i]; });
  const auto end = distinct.begin() + static_cast<std::ptrdiff_t>(count);
  std::sort(distinct.begin(), end);
  counters.wavefronts +=
      static_cast<std::uint64_t>(std::unique(distinct.begin(), end) - distinct.begin());
  ++counters.ideal_wavefronts;
}

void AccessProfiler::atomic(const Instruction& instruction, const BlockState& block,
                            const Addresses& addresses, Mask active, std::uint32_t bytes,
                            bool is_shared) {
  AccessCounters& counters = begin(instruction, active, bytes);
  Addresses sorted = addresses;
  std::size_t count = 0;
  for_active(active, [&](std::size_t i) { sorted[count++] = addresses[i]; });
  const auto end = sorted.begin() + static_cast<std::ptrdiff_t>(count);
  std::sort(sorted.begin(), end);
  const auto distinct = static_cast<std::size_t>(std::unique(sorted.begin(), end) - sorted.begin());
  const std::uint64_t conflicts = count - distinct;
  counters.atomic_conflicts += conflicts;
  if (is_shared) {
    // Lanes on one address take turns, on top of the passes that banks cost.
    counters.wavefronts += count_passes(addresses, active, bytes) + conflicts;
    ++counters.ideal_wavefronts;
    return;
  }
  Sectors sectors;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled up to `found`
  const std::size_t found = list_sectors(addresses, active, bytes, sectors);
  counters.sectors += found;
  counters.lines += count_lines(sectors, found);
  if (l2_) through_caches(counters, block, {sectors.data(), found}, Path::atomic);
}

void AccessProfiler::matrix(const Instruction& instruction, const Addresses& rows, int count) {
  constexpr std::uint32_t kRowBytes = 16;
  constexpr std::uint32_t kRowsPerPass = 8;
  const auto total = static_cast<std::uint32_t>(std::clamp(count, 0, kLanes));
  const Mask active = total == kLanes ? kAllLanes : (Mask{1} << total) - 1;
  AccessCounters& counters = begin(instruction, active, kRowBytes);
  for (std::uint32_t first = 0; first < total; first += kRowsPerPass) {
    ++counters.ideal_wavefronts;
    counters.wavefronts +=
        count_passes(rows, active & ((Mask{1} << kRowsPerPass) - 1) << first, kRowBytes);
  }
}

void AccessProfiler::through_caches(AccessCounters& counters, const BlockState& block,
                                    std::span<const std::uint64_t> sectors, Path path) {
  SectorCache& l1 = *l1_[block.sm % l1_.size()];
  const auto population_of = [](std::uint32_t bits) {
    return static_cast<std::uint64_t>(std::popcount(bits));
  };
  for (std::size_t i = 0; i < sectors.size();) {
    const std::uint64_t line = sectors[i] / kSectorsPerLine;
    std::uint32_t wanted = 0;
    for (; i < sectors.size() && sectors[i] / kSectorsPerLine == line; ++i) {
      wanted |= 1U << sectors[i] % kSectorsPerLine;
    }
    if (path == Path::store) {
      // Written through L1 (only updated there) to L2, which needs no read of whole sectors. What
      // L2 holds dirty must be written back once.
      (void)l1.access(line, wanted, false);
      counters.l2_hits += population_of(l2_->access(line, wanted, true));
      counters.dram_sectors += population_of(l2_->mark_dirty(line, wanted));
      continue;
    }
    if (path == Path::load) {
      const std::uint32_t hit = l1.access(line, wanted, true);
      counters.l1_hits += population_of(hit);
      wanted &= ~hit;
    }
    if (wanted == 0) continue;
    const std::uint32_t hit = l2_->access(line, wanted, true);
    counters.l2_hits += population_of(hit);
    counters.dram_sectors += population_of(wanted & ~hit);
  }
}

}  // namespace warpmind::simulator
