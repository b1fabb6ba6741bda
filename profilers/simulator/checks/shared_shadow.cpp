#include "profilers/simulator/checks/shared_shadow.h"

#include "profilers/simulator/memory/bits.h"

#include <algorithm>
#include <cstring>

namespace warpmind::simulator {
namespace {

/// Flags of a party.
constexpr std::uint8_t kIsStrong = 1;
constexpr std::uint8_t kSeveralLanes = 2;  ///< readers: other lanes of the thread's warp, too
constexpr std::uint8_t kSeveralWarps = 4;  ///< readers: other warps, too
constexpr std::uint8_t kSameValue = 8;     ///< writer: other lanes of the warp stored the same
constexpr std::uint64_t kNear = 1024;      ///< bytes looked at as a whole
constexpr std::uint32_t kBitSlack = 16;    ///< bytes behind the bits, for whole-word reads

/// Reads, packed: the clock, whether several lanes made it, and the last lane.
constexpr unsigned kReadClockShift = 6;
constexpr std::uint32_t kReadByLanes = 32;
static_assert(kMostClock < 1U << (32 - kReadClockShift - 1));

std::uint32_t warp_of(std::uint16_t thread) { return thread / kLanes; }

}  // namespace

SharedShadow::SharedShadow(std::uint32_t bytes, bool check_races)
    : cells_(bytes / 4 + 1),
      written_(bytes / 8 + kBitSlack),
      bytes_(bytes),
      check_races_(check_races) {}

void SharedShadow::start_block() {
  std::fill(written_.begin(), written_.end(), std::uint8_t{0});
  locations_.clear();
}

void SharedShadow::begin(const Access& access) {
  const BlockState& block = *access.warp.block;
  if (block.first_clock < first_clock_) {
    // The clock began again.
    std::fill(cells_.begin(), cells_.end(), Cell{});
    std::fill(reads_.begin(), reads_.end(), Reads{});
  }
  first_clock_ = block.first_clock;
  if (access.bytes < 1U << granule_shift_) refine(access.bytes);
  if (reads_.empty() && block.order->has_messages()) reads_.resize(cells_.size());
}

void SharedShadow::refine(std::uint32_t bytes) {
  const auto shift = static_cast<std::uint32_t>(bytes == 1 ? 0 : 1);
  const std::size_t parts = std::size_t{1} << (granule_shift_ - shift);
  std::vector<Cell> finer(cells_.size() * parts);
  for (std::size_t i = 0; i < finer.size(); ++i) finer[i] = cells_[i / parts];
  cells_ = std::move(finer);
  reads_.clear();
  granule_shift_ = shift;
}

/// Of the warp's first lane.
SharedShadow::Party SharedShadow::party_of(const Access& access) const {
  const Warp& warp = access.warp;
  return {warp.stamp, static_cast<std::uint16_t>(warp.index * kLanes),
          access.is_strong() ? kIsStrong : std::uint8_t{0}};
}

/// `now` is a thread of `warp`.
SharedShadow::Finding SharedShadow::conflict(const Party& earlier, const Party& now,
                                             const Warp& warp) const {
  const BlockState& block = *warp.block;
  if (earlier.stamp < block.floor) return Finding::none;
  if ((earlier.flags & now.flags & kIsStrong) != 0) return Finding::none;
  const bool by_warps = (earlier.flags & kSeveralWarps) != 0;
  const bool alone = (earlier.flags & (kSeveralLanes | kSeveralWarps)) == 0;
  if (alone && earlier.thread == now.thread) return Finding::none;
  const bool same_warp = !by_warps && warp_of(earlier.thread) == warp.index;
  if (same_warp && earlier.stamp < warp.floor) return Finding::none;
  const Moment access{block_number(block), earlier.thread, time_in_block(block, earlier.stamp)};
  const int lane = now.thread % kLanes;
  // Of several warps only the last is known: that one must be ordered.
  const bool is_ordered = alone ? block.order->is_before(access, warp, lane)
                                : block.order->are_before(access, warp, lane);
  const bool is_told = !by_warps || block.order->has_messages();
  if (is_ordered && is_told) return Finding::none;
  return same_warp ? Finding::in_warp : Finding::race;
}

/// The worst conflict of a write with reads of `cell`.
SharedShadow::Finding SharedShadow::find_reader(std::uint64_t cell, const Party& now,
                                                const Warp& warp) {
  const Party& last = cells_[cell].reader;
  if (reads_.empty() || (last.flags & kSeveralWarps) == 0 || (last.flags & now.flags) != 0) {
    return conflict(last, now, warp);
  }
  const BlockState& block = *warp.block;
  for (std::uint32_t w = 0; w < block.warps.size(); ++w) {
    const std::uint32_t read = reads_[cell][w];
    const bool by_lanes = (read & kReadByLanes) != 0;
    const Party one{read >> kReadClockShift, static_cast<std::uint16_t>(w * kLanes + read % kLanes),
                    by_lanes ? kSeveralLanes : std::uint8_t{0}};
    const Finding found = conflict(one, now, warp);
    if (found != Finding::none) return found;
  }
  return Finding::none;
}

void SharedShadow::note_read(std::uint64_t cell, const Party& now) {
  std::uint32_t& read = reads_[cell][warp_of(now.thread)];
  const std::uint32_t lane = now.thread % kLanes;
  const bool with_others =
      read >> kReadClockShift == now.stamp && ((read & kReadByLanes) != 0 || read % kLanes != lane);
  read = now.stamp << kReadClockShift | (with_others ? kReadByLanes : 0) | lane;
}

/// `floor` of the block: readers before it are forgotten.
SharedShadow::Party SharedShadow::joined(const Party& before, const Party& now,
                                         std::uint32_t floor) {
  Party out = now;
  if (before.stamp < floor) return out;
  if (warp_of(before.thread) != warp_of(now.thread)) {
    out.flags |= kSeveralWarps;
  } else {
    out.flags |= before.flags & kSeveralWarps;
    const bool still_open = before.stamp == now.stamp;
    if (still_open && before.thread != now.thread) out.flags |= kSeveralLanes;
    if (still_open) out.flags |= before.flags & kSeveralLanes;
  }
  // A weak reader among strong ones still conflicts.
  if ((before.flags & kIsStrong) == 0) out.flags &= static_cast<std::uint8_t>(~kIsStrong);
  return out;
}

/// Whether one more reader changes nothing about the readers before but whom a message names.
bool SharedShadow::absorbs(const Party& before, const Party& now) {
  if (before.stamp != now.stamp || ((before.flags ^ now.flags) & kIsStrong) != 0) return false;
  return warp_of(before.thread) == warp_of(now.thread) &&
         ((before.flags & kSeveralLanes) != 0 || before.thread == now.thread);
}

SharedShadow::Finding SharedShadow::visit_read(const Access& access, int lane, Party now) {
  const std::uint64_t offset = access.addresses[static_cast<std::size_t>(lane)];
  now.thread = static_cast<std::uint16_t>(now.thread + lane);
  Finding worst = Finding::none;
  const Warp& warp = access.warp;
  const std::uint32_t floor = warp.block->floor;
  const std::uint64_t last = (offset + access.bytes - 1) >> granule_shift_;
  for (std::uint64_t i = offset >> granule_shift_; i <= last; ++i) {
    Cell& cell = cells_[i];
    const bool own_value =
        (cell.writer.flags & kSameValue) != 0 && warp_of(cell.writer.thread) == warp.index;
    if (cell.writer.stamp >= floor && !own_value) {
      const Finding found = conflict(cell.writer, now, warp);
      if (found > worst) {
        worst = found;
        other_ = cell.writer;
      }
    }
    if (!reads_.empty()) note_read(i, now);
    if (!absorbs(cell.reader, now)) cell.reader = joined(cell.reader, now, floor);
  }
  return worst;
}

/// `value` = what will be stored; null for atomics.
SharedShadow::Finding SharedShadow::visit_write(const Access& access, int lane, Party now,
                                                const std::byte* value) {
  const std::uint64_t offset = access.addresses[static_cast<std::size_t>(lane)];
  now.thread = static_cast<std::uint16_t>(now.thread + lane);
  const std::byte* const memory = access.warp.block->shared;
  const std::uint64_t granule = std::uint64_t{1} << granule_shift_;
  Finding worst = Finding::none;
  const std::uint64_t last = (offset + access.bytes - 1) >> granule_shift_;
  for (std::uint64_t i = offset >> granule_shift_; i <= last; ++i) {
    Cell& cell = cells_[i];
    Finding found = conflict(cell.writer, now, access.warp);
    const std::uint64_t at = i << granule_shift_;
    if (found != Finding::none && value != nullptr &&
        std::memcmp(memory + at, value + (at - offset), granule) == 0) {
      // Readers since the first writer have seen the same value.
      found = Finding::same_value;
    }
    const bool by_writer = found != Finding::none;
    if (found == Finding::none) found = find_reader(i, now, access.warp);
    if (found > worst) {
      worst = found;
      other_ = by_writer ? cell.writer : cell.reader;
    }
    cell.writer = now;
    if (found == Finding::same_value) cell.writer.flags |= kSameValue;
  }
  return worst;
}

void SharedShadow::report(Finding finding, const Access& access, int lane) {
  if (finding == Finding::none) return;
  const CheckKind kind = finding == Finding::race      ? CheckKind::shared_race
                         : finding == Finding::in_warp ? CheckKind::shared_race_in_warp
                                                       : CheckKind::same_value_race;
  access.warp.launch->checks->report(
      kind, access.warp, access.instruction, lane, access.addresses[static_cast<std::size_t>(lane)],
      [&] {
        const bool several = (other_.flags & (kSeveralLanes | kSeveralWarps)) != 0;
        return describe(access) + " at offset " +
               std::to_string(access.addresses[static_cast<std::size_t>(lane)]) +
               (finding == Finding::same_value ? ", the value that thread "
                                               : ", which conflicts with thread ") +
               std::to_string(other_.thread) + (several ? " and others" : "") +
               (finding == Finding::same_value ? " stored there" : "") + " since the last " +
               (finding == Finding::in_warp ? "__syncwarp" : "barrier");
      });
}

void SharedShadow::check_initialised(const Access& access) {
  if (!access.warp.launch->check_initialised) return;
  // Mostly everything between the lanes is written, too.
  const AddressExtent& extent = access.extent;
  const std::uint64_t span = extent.high - extent.low + access.bytes;
  const bool is_near = extent.any != 0 && extent.high + access.bytes <= bytes_ && span <= kNear;
  if (is_near && all_bits_set_in(written_.data(), extent.low, span)) return;
  for_lanes(access.active, [&](int lane) {
    const std::uint64_t offset = access.addresses[static_cast<std::size_t>(lane)];
    if (all_bits_set(written_.data(), offset, access.bytes)) return;
    access.warp.launch->checks->report(
        CheckKind::uninitialised_shared, access.warp, access.instruction, lane, offset, [&] {
          const auto first = find_clear_bit(written_.data(), offset, access.bytes);
          return describe(access) + " at offset " + std::to_string(offset) + ": byte " +
                 std::to_string(first.value_or(offset)) + " was never written by this block";
        });
  });
}

void SharedShadow::read(const Access& access, std::array<std::byte*, kLanes>& pointers) {
  check_initialised(access);
  if (!check_races_) return;
  begin(access);
  const Party now = party_of(access);
  for_lanes(access.active, [&](int lane) {
    const Finding found = visit_read(access, lane, now);
    if (found != Finding::none) report(found, access, lane);
  });
  if (access.is_strong()) locations_.read(access, pointers);
}

void SharedShadow::store(const Access& access, const std::byte* values) {
  std::byte* const shared = access.warp.block->shared;
  if (is_contiguous(access)) {
    const std::uint64_t first = access.addresses[0];
    std::memcpy(shared + first, values, std::size_t{access.bytes} * kLanes);
    set_bits(written_.data(), first, std::uint64_t{access.bytes} * kLanes);
    return;
  }
  for_lanes(access.active, [&](int lane) {
    const auto i = static_cast<std::size_t>(lane);
    std::memcpy(shared + access.addresses[i], values + i * access.bytes, access.bytes);
    set_bits(written_.data(), access.addresses[i], access.bytes);
  });
}

void SharedShadow::mark(const Access& access) {
  for_lanes(access.active, [&](int lane) {
    set_bits(written_.data(), access.addresses[static_cast<std::size_t>(lane)], access.bytes);
  });
}

void SharedShadow::write(const Access& access, const std::byte* values) {
  if (!check_races_) return store(access, values);
  begin(access);
  const Party now = party_of(access);
  const bool is_strong = access.is_strong();
  for_lanes(access.active, [&](int lane) {
    const auto i = static_cast<std::size_t>(lane);
    const std::byte* const value = values + i * access.bytes;
    if (is_strong) {
      locations_.store(access, lane, access.warp.block->shared + access.addresses[i], value);
    }
    report(visit_write(access, lane, now, value), access, lane);
    std::memcpy(access.warp.block->shared + access.addresses[i], value, access.bytes);
    set_bits(written_.data(), access.addresses[i], access.bytes);
  });
}

void SharedShadow::update(const Access& access) {
  if (access.reads_old) check_initialised(access);
  if (!check_races_) return mark(access);
  begin(access);
  const Party now = party_of(access);
  for_lanes(access.active, [&](int lane) {
    report(visit_write(access, lane, now, nullptr), access, lane);
    set_bits(written_.data(), access.addresses[static_cast<std::size_t>(lane)], access.bytes);
  });
  if (!access.is_mbarrier) locations_.update(access);
}

void SharedShadow::claim(const Access& access) {
  if (!check_races_) return;
  begin(access);
  const Party now = party_of(access);
  for_lanes(access.active,
            [&](int lane) { report(visit_write(access, lane, now, nullptr), access, lane); });
}

void SharedShadow::land(const Access& access, const std::byte* values) {
  if (!check_races_) return store(access, values);
  begin(access);
  const Party now = party_of(access);
  for_lanes(access.active, [&](int lane) {
    const auto i = static_cast<std::size_t>(lane);
    (void)visit_write(access, lane, now, nullptr);
    std::memcpy(access.warp.block->shared + access.addresses[i], values + i * access.bytes,
                access.bytes);
    set_bits(written_.data(), access.addresses[i], access.bytes);
  });
}

void SharedShadow::land_bulk(const BlockState& block, std::uint32_t offset,
                             std::span<const std::byte> bytes, std::uint32_t clock) {
  std::copy(bytes.begin(), bytes.end(), block.shared + offset);
  set_bits(written_.data(), offset, bytes.size());
  if (!check_races_) return;
  const Party writer{clock, static_cast<std::uint16_t>(kCopyThread), 0};
  const std::uint64_t last = (offset + bytes.size() - 1) >> granule_shift_;
  for (std::uint64_t i = offset >> granule_shift_; i <= last; ++i) cells_[i].writer = writer;
}

}  // namespace warpmind::simulator
