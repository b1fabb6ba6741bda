#include "profilers/simulator/checks/global_shadow.h"

#include <algorithm>
#include <cstring>

namespace warpmind::simulator {
namespace {

constexpr std::uint32_t kBlockMask = (1U << 20U) - 1;
constexpr std::uint32_t kWarpEpochMask = 63;
/// Stands for the epoch where readers are of several blocks; real ones are below.
constexpr std::uint32_t kManyBlocks = 2047;
constexpr std::uint32_t kManyReleases = 15;

/// Who the threads behind a cell are.
constexpr std::uint32_t kOneThread = 0;
constexpr std::uint32_t kMixed = 1;         ///< several of one block, on different bytes
constexpr std::uint32_t kSeveralLanes = 2;  ///< readers of the same bytes, one warp
constexpr std::uint32_t kSeveralWarps = 3;  ///< readers of the same bytes

/// Places of the fields in half a cell, from the lowest bit; see Party::pack().
constexpr unsigned kReleasesShift = 2;
constexpr unsigned kStrongShift = 6;
constexpr unsigned kBytesShift = 7;
constexpr unsigned kThreadShift = 11;
constexpr unsigned kWarpEpochShift = 21;
constexpr unsigned kEpochShift = 27;
constexpr unsigned kBlockShift = 38;
constexpr unsigned kLaunchShift = 58;
constexpr std::uint64_t kSeveralField = 3;
constexpr std::uint64_t kReleasesField = std::uint64_t{15} << kReleasesShift;
constexpr std::uint64_t kStrongField = std::uint64_t{1} << kStrongShift;
constexpr std::uint64_t kBytesField = std::uint64_t{15} << kBytesShift;
constexpr std::uint64_t kEpochField = std::uint64_t{2047} << kEpochShift;
constexpr std::uint64_t kBlockField = std::uint64_t{kBlockMask} << kBlockShift;
constexpr std::uint64_t kLaunchField = std::uint64_t{63} << kLaunchShift;

/// Whether one more reader `now` changes nothing about the readers in `cell`.
bool absorbs(std::uint64_t cell, std::uint64_t now) {
  if (cell == now) return true;
  if ((cell & kSeveralField) == kMixed) {
    // Several threads of the block on parts of the word: one more changes nothing.
    const bool same = ((cell ^ now) & (kLaunchField | kBlockField | kEpochField | kStrongField |
                                       kReleasesField)) == 0;
    return same && (now & kBytesField & ~cell) == 0;
  }
  if ((cell & kSeveralField) == kSeveralLanes) {
    // Lanes of one warp on the same bytes: another one changes nothing.
    constexpr std::uint64_t kLaneField = std::uint64_t{31} << kThreadShift;
    return ((cell ^ now) & ~(kLaneField | kSeveralField)) == 0;
  }
  if ((cell & kSeveralField) != kSeveralWarps) return false;
  const std::uint64_t differs = cell ^ now;
  const bool same_kind = (differs & (kLaunchField | kBytesField | kStrongField)) == 0;
  if ((cell & kEpochField) == std::uint64_t{kManyBlocks} << kEpochShift) return same_kind;
  return same_kind && (differs & (kBlockField | kEpochField | kReleasesField)) == 0;
}

}  // namespace

/// Half a cell, unpacked.
struct GlobalShadow::Party {
  std::uint32_t launch = 0;  ///< 0 = nobody
  std::uint32_t block = 0;   ///< low 20 bits: blocks that far apart are taken for one
  std::uint32_t epoch = 0;   ///< of the block
  std::uint32_t warp_epoch = 0;
  std::uint32_t thread = 0;
  std::uint32_t bytes = 0;  ///< mask
  std::uint32_t strong = 0;
  std::uint32_t releases = 0;  ///< of the block before the access
  std::uint32_t several = kOneThread;

  [[nodiscard]] static Party unpack(std::uint64_t cell) {
    const auto field = [cell](unsigned shift, unsigned bits) {
      return static_cast<std::uint32_t>(cell >> shift & ((std::uint64_t{1} << bits) - 1));
    };
    Party out;
    out.several = field(0, 2);
    out.releases = field(kReleasesShift, 4);
    out.strong = field(kStrongShift, 1);
    out.bytes = field(kBytesShift, 4);
    out.thread = field(kThreadShift, 10);
    out.warp_epoch = field(kWarpEpochShift, 6);
    out.epoch = field(kEpochShift, 11);
    out.block = field(kBlockShift, 20);
    out.launch = field(kLaunchShift, 6);
    return out;
  }

  [[nodiscard]] std::uint64_t pack() const {
    return std::uint64_t{launch} << kLaunchShift | std::uint64_t{block} << kBlockShift |
           std::uint64_t{epoch} << kEpochShift | std::uint64_t{warp_epoch} << kWarpEpochShift |
           std::uint64_t{thread} << kThreadShift | std::uint64_t{bytes} << kBytesShift |
           std::uint64_t{strong} << kStrongShift | std::uint64_t{releases} << kReleasesShift |
           several;
  }

  [[nodiscard]] bool same_block(const Party& other) const { return block == other.block; }
  [[nodiscard]] std::uint32_t warp() const { return thread / kLanes; }
};

GlobalShadow::GlobalShadow(DeviceMemory& memory)
    : memory_(&memory), cells_(memory.race_shadow()), launch_(memory.next_race_launch()) {}

/// Of the warp's first lane, without bytes.
GlobalShadow::Party GlobalShadow::party_of(const Access& access) const {
  const Warp& warp = access.warp;
  Party out;
  out.launch = launch_;
  out.block = static_cast<std::uint32_t>(warp.block->linear) & kBlockMask;
  out.epoch = warp.block->epoch % kManyBlocks;
  out.warp_epoch = warp.epoch & kWarpEpochMask;
  out.thread = warp.index * kLanes;
  out.strong = access.is_strong() ? 1 : 0;
  if (!orderings_.empty()) {
    const auto at = orderings_.find(out.block);
    const std::size_t releases = at == orderings_.end() ? 0 : at->second.releases.size();
    out.releases = static_cast<std::uint32_t>(std::min<std::size_t>(releases, kManyReleases));
  }
  return out;
}

bool GlobalShadow::is_ordered(const Party& earlier, const Party& now) const {
  const auto reader = orderings_.find(now.block);
  if (reader == orderings_.end() || reader->second.acquired == 0) return false;
  if (earlier.several == kSeveralWarps && earlier.epoch == kManyBlocks) return true;
  const auto writer = orderings_.find(earlier.block);
  if (writer == orderings_.end()) return false;
  const auto& releases = writer->second.releases;
  const bool is_wide = !earlier.same_block(now);
  // After many releases the count is lost: any release does.
  for (std::size_t i = earlier.releases == kManyReleases ? 0 : earlier.releases;
       i < releases.size(); ++i) {
    if ((!is_wide || releases[i].second) && releases[i].first <= reader->second.acquired) {
      return true;
    }
  }
  return false;
}

GlobalShadow::Finding GlobalShadow::conflict(const Party& earlier, const Party& now) const {
  if (earlier.launch != now.launch || (earlier.bytes & now.bytes) == 0) return Finding::none;
  if (earlier.strong != 0 && now.strong != 0) return Finding::none;
  const bool many_blocks = earlier.several == kSeveralWarps && earlier.epoch == kManyBlocks;
  if (earlier.same_block(now) && !many_blocks) {
    if (earlier.epoch != now.epoch) return Finding::none;
    if (earlier.several == kMixed) return Finding::none;
    if (earlier.several == kOneThread && earlier.thread == now.thread) return Finding::none;
    const bool one_warp = earlier.several != kSeveralWarps && earlier.warp() == now.warp();
    if (one_warp && earlier.warp_epoch != now.warp_epoch) return Finding::none;
  }
  return is_ordered(earlier, now) ? Finding::none : Finding::race;
}

GlobalShadow::Party GlobalShadow::joined_reader(const Party& before, const Party& now) {
  if (before.launch != now.launch) return now;
  const bool many_blocks = before.several == kSeveralWarps && before.epoch == kManyBlocks;
  Party out = now;
  if (before.strong == 0) out.strong = 0;
  if (!before.same_block(now) || many_blocks) {
    if (before.bytes != now.bytes) return now;
    out.several = kSeveralWarps;
    out.epoch = kManyBlocks;
    return out;
  }
  if (before.bytes != now.bytes) {
    const bool alone = before.several == kOneThread && before.thread == now.thread &&
                       before.epoch == now.epoch && before.warp_epoch == now.warp_epoch;
    out.bytes |= before.bytes;
    out.several = alone ? kOneThread : kMixed;
    return out;
  }
  if (before.epoch != now.epoch) return out;
  if (before.several == kMixed) {
    out.several = kMixed;
  } else if (before.several == kSeveralWarps || before.warp() != now.warp()) {
    out.several = kSeveralWarps;
  } else if (before.warp_epoch == now.warp_epoch &&
             (before.several == kSeveralLanes || before.thread != now.thread)) {
    out.several = kSeveralLanes;
  }
  return out;
}

GlobalShadow::Party GlobalShadow::joined_writer(const Party& before, const Party& now) {
  if (before.launch != now.launch || !before.same_block(now) || (before.bytes & ~now.bytes) == 0) {
    return now;
  }
  Party out = now;
  const bool alone = before.several == kOneThread && before.thread == now.thread &&
                     before.epoch == now.epoch && before.warp_epoch == now.warp_epoch;
  out.several = alone ? kOneThread : kMixed;
  out.bytes |= before.bytes;
  out.strong |= before.strong;
  return out;
}

GlobalShadow::Finding GlobalShadow::visit_read(std::uint64_t* cell, const Party& now) {
  const Party reader = Party::unpack(cell[1]);
  cell[1] = joined_reader(reader, now).pack();
  return conflict(Party::unpack(cell[0]), now);
}

GlobalShadow::Finding GlobalShadow::visit_write(std::uint64_t* cell, const Party& now,
                                                bool is_same_value) {
  const Party writer = Party::unpack(cell[0]);
  Finding found = conflict(writer, now);
  if (found != Finding::none && is_same_value) {
    found = Finding::same_value;
  } else if (found == Finding::none) {
    found = conflict(Party::unpack(cell[1]), now);
  }
  cell[0] = joined_writer(writer, now).pack();
  return found;
}

/// The common case of a read: nobody wrote in this launch but perhaps the thread itself.
bool GlobalShadow::passes_read(std::uint64_t* cell, std::uint64_t now) const {
  if (cell[0] >> kLaunchShift == launch_ && cell[0] != now) return false;
  if (cell[1] >> kLaunchShift != launch_) {
    cell[1] = now;
    return true;
  }
  return absorbs(cell[1], now);
}

/// The common case of a write: the launch left the word alone but perhaps the thread itself.
bool GlobalShadow::passes_write(std::uint64_t* cell, std::uint64_t now) const {
  if (cell[0] >> kLaunchShift == launch_ && cell[0] != now) return false;
  if (cell[1] >> kLaunchShift == launch_ && cell[1] != now) return false;
  cell[0] = now;
  return true;
}

/// `warp` = the packed party of the warp's first lane, without bytes; `value` = what will be
/// stored, null for reads and atomics.
void GlobalShadow::visit(const Access& access, int lane, std::uint64_t warp,
                         const std::byte* value) {
  const std::uint64_t first = access.addresses[static_cast<std::size_t>(lane)] - memory_->base();
  const std::uint32_t words = access.bytes <= 4 ? 1 : access.bytes / 4;
  const bool is_write = access.is_store || access.is_atomic;
  const auto part = static_cast<std::uint32_t>(
      access.bytes >= 4 ? 15U : ((1U << access.bytes) - 1) << (first & 3U));
  const std::uint64_t packed =
      warp | std::uint64_t{part} << kBytesShift | static_cast<std::uint64_t>(lane) << kThreadShift;
  bool passes = true;
  for (std::uint32_t i = 0; i < words; ++i) {
    std::uint64_t* const cell = cells_ + (first / 4 + i) * 2;
    if (is_write ? !passes_write(cell, packed) : !passes_read(cell, packed)) passes = false;
  }
  if (!passes) visit_slowly(access, lane, value, Party::unpack(packed));
}

/// Words that passed before pass again: they hold this very access.
void GlobalShadow::visit_slowly(const Access& access, int lane, const std::byte* value,
                                const Party& now) {
  const std::uint64_t address = access.addresses[static_cast<std::size_t>(lane)];
  const std::uint64_t first = (address - memory_->base()) / 4;
  const std::uint32_t words = access.bytes <= 4 ? 1 : access.bytes / 4;
  const std::uint32_t step = std::min(access.bytes, 4U);
  const bool is_write = access.is_store || access.is_atomic;
  Finding worst = Finding::none;
  Party other;
  for (std::uint32_t i = 0; i < words; ++i) {
    std::uint64_t* const cell = cells_ + (first + i) * 2;
    const Party writer = Party::unpack(cell[0]);
    const Party reader = Party::unpack(cell[1]);
    const bool same = value != nullptr && std::memcmp(memory_->host(address) + i * std::size_t{4},
                                                      value + i * std::size_t{4}, step) == 0;
    const Finding found = is_write ? visit_write(cell, now, same) : visit_read(cell, now);
    if (found <= worst) continue;
    worst = found;
    other = !is_write || conflict(writer, now) != Finding::none ? writer : reader;
  }
  if (worst != Finding::none) report(worst, access, lane, other);
}

void GlobalShadow::report(Finding finding, const Access& access, int lane, const Party& other) {
  const CheckKind kind =
      finding == Finding::race ? CheckKind::global_race : CheckKind::same_value_race;
  const std::uint64_t address = access.addresses[static_cast<std::size_t>(lane)];
  access.warp.launch->checks->report(kind, access.warp, access.instruction, lane, address, [&] {
    const auto block = static_cast<std::uint32_t>(access.warp.block->linear) & kBlockMask;
    const bool many_blocks = other.several == kSeveralWarps && other.epoch == kManyBlocks;
    const bool is_far = many_blocks || other.block != block;
    const std::string who = "thread " + std::to_string(other.thread) +
                            (other.several == kOneThread ? "" : " and others") + " of " +
                            (is_far ? "block " + std::to_string(other.block) : "this block");
    if (finding == Finding::same_value) {
      return describe(access) + ", the value that " + who + " stored there";
    }
    return describe(access) + ", which conflicts with " + who +
           (is_far ? ": nothing orders blocks of one launch" : " since the last barrier");
  });
}

void GlobalShadow::read(const Access& access) {
  if (access.instruction.non_coherent) return;
  const std::uint64_t now = party_of(access).pack();
  for_lanes(access.active, [&](int lane) { visit(access, lane, now, nullptr); });
  if (access.is_strong()) acquire(access.warp);
}

void GlobalShadow::write(const Access& access, const std::byte* values) {
  const std::uint16_t option = access.instruction.option;
  if ((option & kRelease) != 0) release(access.warp, (option & kWideScope) != 0);
  const std::uint64_t now = party_of(access).pack();
  for_lanes(access.active, [&](int lane) {
    const auto i = static_cast<std::size_t>(lane);
    const std::byte* const value = values + i * access.bytes;
    visit(access, lane, now, value);
    std::memcpy(memory_->host(access.addresses[i]), value, access.bytes);
  });
}

void GlobalShadow::update(const Access& access) {
  const std::uint16_t option = access.instruction.option;
  if ((option & kRelease) != 0) release(access.warp, (option & kWideScope) != 0);
  const std::uint64_t now = party_of(access).pack();
  for_lanes(access.active, [&](int lane) { visit(access, lane, now, nullptr); });
  acquire(access.warp);
}

void GlobalShadow::release(const Warp& warp, bool is_wide) {
  auto& releases = orderings_[static_cast<std::uint32_t>(warp.block->linear) & kBlockMask].releases;
  ++time_;
  // Beyond what a cell can count, the newest of each scope are enough.
  if (releases.size() > std::size_t{2} * kManyReleases) {
    releases[kManyReleases + (is_wide ? 0 : 1)] = {time_, is_wide};
    return;
  }
  releases.emplace_back(time_, is_wide);
}

void GlobalShadow::acquire(const Warp& warp) {
  orderings_[static_cast<std::uint32_t>(warp.block->linear) & kBlockMask].acquired = time_;
}

}  // namespace warpmind::simulator
