#include "profilers/simulator/checks/global_shadow.h"

#include <algorithm>
#include <cstring>

namespace warpmind::simulator {
namespace {

/// The part of device memory that is told written from not written as a whole.
constexpr unsigned kPageShift = 16;

/// Who the threads behind a cell are.
constexpr std::uint32_t kOneThread = 0;
constexpr std::uint32_t kMixed = 1;         ///< several of one block, on different bytes
constexpr std::uint32_t kSeveralLanes = 2;  ///< readers of the same bytes, one warp
constexpr std::uint32_t kSeveralWarps = 3;  ///< readers of the same bytes

/// Places of the fields in half a cell, from the lowest bit; see Party::pack().
constexpr unsigned kStrongShift = 2;
constexpr unsigned kBlocksShift = 3;
constexpr unsigned kBytesShift = 4;
constexpr unsigned kThreadShift = 8;
constexpr unsigned kTimeShift = 18;
constexpr unsigned kBlockShift = 38;
constexpr unsigned kLaunchShift = 58;
constexpr unsigned kTimeBits = 20;
static_assert(kLastTime == (1U << kTimeBits) - 1);
constexpr std::uint64_t kSeveralField = 3;
constexpr std::uint64_t kStrongField = std::uint64_t{1} << kStrongShift;
constexpr std::uint64_t kBlocksField = std::uint64_t{1} << kBlocksShift;
constexpr std::uint64_t kBytesField = std::uint64_t{15} << kBytesShift;
constexpr std::uint64_t kWarpField = std::uint64_t{31} << (kThreadShift + 5);
constexpr std::uint64_t kTimeField = std::uint64_t{kLastTime} << kTimeShift;
constexpr std::uint64_t kBlockField = std::uint64_t{kBlockMask} << kBlockShift;
constexpr std::uint64_t kLaunchField = std::uint64_t{63} << kLaunchShift;

/// The readers in `cell` and one more, `now`, where that is easily said; 0 = it is not. `floor` is
/// the time of the block's last barrier, in the place of the time.
std::uint64_t joined_easily(std::uint64_t cell, std::uint64_t now, std::uint64_t floor) {
  const std::uint64_t differs = cell ^ now;
  if ((differs & (kLaunchField | kBytesField | kStrongField)) != 0) return 0;
  if ((cell & kBlocksField) != 0) return now | kBlocksField | kSeveralWarps;
  if ((differs & kBlockField) != 0) return 0;
  if ((cell & kTimeField) < floor) return now;  // those before are behind the barrier
  const std::uint64_t several = cell & kSeveralField;
  if (several == kMixed) return (differs & kTimeField) == 0 ? cell : 0;
  if (several == kSeveralWarps) return now | kSeveralWarps;
  if ((differs & (kTimeField | kWarpField)) != 0) return 0;
  return now | kSeveralLanes;  // another lane of the warp
}

}  // namespace

/// Half a cell, unpacked.
struct GlobalShadow::Party {
  std::uint32_t launch = 0;  ///< 0 = nobody
  std::uint32_t block = 0;   ///< block_number()
  std::uint32_t time = 0;    ///< time_in_block()
  std::uint32_t thread = 0;
  std::uint32_t bytes = 0;  ///< mask
  std::uint32_t strong = 0;
  std::uint32_t blocks = 0;  ///< readers of several blocks
  std::uint32_t several = kOneThread;

  [[nodiscard]] static Party unpack(std::uint64_t cell) {
    const auto field = [cell](unsigned shift, unsigned bits) {
      return static_cast<std::uint32_t>(cell >> shift & ((std::uint64_t{1} << bits) - 1));
    };
    Party out;
    out.several = field(0, 2);
    out.strong = field(kStrongShift, 1);
    out.blocks = field(kBlocksShift, 1);
    out.bytes = field(kBytesShift, 4);
    out.thread = field(kThreadShift, 10);
    out.time = field(kTimeShift, kTimeBits);
    out.block = field(kBlockShift, 20);
    out.launch = field(kLaunchShift, 6);
    return out;
  }

  [[nodiscard]] std::uint64_t pack() const {
    return std::uint64_t{launch} << kLaunchShift | std::uint64_t{block} << kBlockShift |
           std::uint64_t{time} << kTimeShift | std::uint64_t{thread} << kThreadShift |
           std::uint64_t{bytes} << kBytesShift | std::uint64_t{strong} << kStrongShift |
           std::uint64_t{blocks} << kBlocksShift | several;
  }

  [[nodiscard]] bool same_block(const Party& other) const { return block == other.block; }
  [[nodiscard]] std::uint32_t warp() const { return thread / kLanes; }
};

GlobalShadow::GlobalShadow(DeviceMemory& memory)
    : memory_(&memory),
      cells_(memory.race_shadow()),
      launch_(memory.next_race_launch()),
      written_pages_(DeviceMemory::kReserved >> kPageShift) {}

/// Of the warp's first lane, without bytes.
GlobalShadow::Party GlobalShadow::party_of(const Access& access) const {
  const Warp& warp = access.warp;
  Party out;
  out.launch = launch_;
  out.block = block_number(*warp.block);
  out.time = time_in_block(*warp.block, warp.stamp);
  out.thread = warp.index * kLanes;
  out.strong = access.is_strong() ? 1 : 0;
  return out;
}

/// `now` is a thread of `warp`.
GlobalShadow::Finding GlobalShadow::conflict(const Party& earlier, const Party& now,
                                             const Warp& warp) const {
  if (earlier.launch != now.launch || (earlier.bytes & now.bytes) == 0) return Finding::none;
  if (earlier.strong != 0 && now.strong != 0) return Finding::none;
  const BlockOrder& order = *warp.block->order;
  const Moment access{earlier.block, earlier.thread, earlier.time};
  const int lane = static_cast<int>(now.thread % kLanes);
  bool is_ordered = false;
  if (earlier.several == kMixed) {
    is_ordered = earlier.same_block(now) || order.is_block_known(access, warp, lane);
  } else if (earlier.several == kSeveralLanes) {
    is_ordered = order.are_before(access, warp, lane);
  } else {
    is_ordered = order.is_before(access, warp, lane);
  }
  if (earlier.several == kSeveralWarps && !order.has_messages()) {
    // Of several only the last one is known; barriers alone order them all, or none.
    const std::uint32_t floor = time_in_block(*warp.block, warp.block->floor);
    is_ordered = is_ordered && earlier.blocks == 0 && earlier.time < floor;
  }
  return is_ordered ? Finding::none : Finding::race;
}

GlobalShadow::Party GlobalShadow::joined_reader(const Party& before, const Party& now) {
  if (before.launch != now.launch) return now;
  Party out = now;
  if (before.strong == 0) out.strong = 0;
  if (!before.same_block(now) || before.blocks != 0) {
    if (before.bytes != now.bytes) return out;
    out.several = kSeveralWarps;
    out.blocks = 1;
    return out;
  }
  const bool alone = before.several == kOneThread && before.thread == now.thread;
  if (before.bytes != now.bytes) {
    out.bytes |= before.bytes;
    out.several = alone ? kOneThread : kMixed;
    return out;
  }
  if (alone || before.several == kMixed) {
    out.several = before.several;
  } else if (before.several == kSeveralWarps || before.warp() != now.warp()) {
    out.several = kSeveralWarps;
  } else if (before.time == now.time) {
    out.several = kSeveralLanes;
  }
  return out;
}

GlobalShadow::Party GlobalShadow::joined_writer(const Party& before, const Party& now) {
  if (before.launch != now.launch || !before.same_block(now) || (before.bytes & ~now.bytes) == 0) {
    return now;
  }
  Party out = now;
  const bool alone = before.several == kOneThread && before.thread == now.thread;
  out.several = alone ? kOneThread : kMixed;
  out.bytes |= before.bytes;
  out.strong |= before.strong;
  return out;
}

GlobalShadow::Finding GlobalShadow::visit_read(std::uint64_t* cell, const Party& now,
                                               const Warp& warp) {
  const Party reader = Party::unpack(cell[1]);
  // As in joined_easily(): readers before the block's last barrier are behind it.
  const bool is_behind = reader.launch == now.launch && reader.same_block(now) &&
                         reader.blocks == 0 && reader.bytes == now.bytes &&
                         reader.time < floor_ >> kTimeShift;
  cell[1] = (is_behind ? now : joined_reader(reader, now)).pack();
  return conflict(Party::unpack(cell[0]), now, warp);
}

GlobalShadow::Finding GlobalShadow::visit_write(std::uint64_t* cell, const Party& now,
                                                const Warp& warp, bool is_same_value) {
  const Party writer = Party::unpack(cell[0]);
  Finding found = conflict(writer, now, warp);
  if (found != Finding::none && is_same_value) {
    found = Finding::same_value;
  } else if (found == Finding::none) {
    found = conflict(Party::unpack(cell[1]), now, warp);
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
  if (cell[1] == now) return true;
  const std::uint64_t both = joined_easily(cell[1], now, floor_);
  if (both == 0) return false;
  cell[1] = both;
  return true;
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
    const Finding found =
        is_write ? visit_write(cell, now, access.warp, same) : visit_read(cell, now, access.warp);
    if (found <= worst) continue;
    worst = found;
    other = !is_write || conflict(writer, now, access.warp) != Finding::none ? writer : reader;
  }
  if (worst != Finding::none) report(worst, access, lane, other);
}

void GlobalShadow::report(Finding finding, const Access& access, int lane, const Party& other) {
  const CheckKind kind =
      finding == Finding::race ? CheckKind::global_race : CheckKind::same_value_race;
  const std::uint64_t address = access.addresses[static_cast<std::size_t>(lane)];
  access.warp.launch->checks->report(kind, access.warp, access.instruction, lane, address, [&] {
    const bool is_far = other.blocks != 0 || other.block != block_number(*access.warp.block);
    const std::string who = "thread " + std::to_string(other.thread) +
                            (other.several == kOneThread ? "" : " and others") + " of " +
                            (is_far ? "block " + std::to_string(other.block) : "this block");
    if (finding == Finding::same_value) {
      return describe(access) + ", the value that " + who + " stored there";
    }
    return describe(access) + ", which conflicts with " + who +
           (is_far ? ": nothing orders the two blocks" : " since the last barrier");
  });
}

/// Any write of the launch is one too many.
void GlobalShadow::visit_non_coherent(const Access& access) {
  const auto page_of = [&](std::uint64_t address) {
    return (address - memory_->base()) >> kPageShift;
  };
  const std::uint64_t first_page = page_of(access.extent.low);
  const std::uint64_t last_page = page_of(access.extent.high + access.bytes - 1);
  if (first_page == last_page && !written_pages_[first_page]) return;
  for_lanes(access.active, [&](int lane) {
    const std::uint64_t address = access.addresses[static_cast<std::size_t>(lane)];
    if (!written_pages_[page_of(address)]) return;
    const std::uint64_t first = (address - memory_->base()) / 4;
    const std::uint32_t words = access.bytes <= 4 ? 1 : access.bytes / 4;
    const std::uint32_t part =
        access.bytes >= 4 ? 15U : ((1U << access.bytes) - 1) << (address & 3U);
    for (std::uint32_t i = 0; i < words; ++i) {
      const Party writer = Party::unpack(cells_[(first + i) * 2]);
      if (writer.launch != launch_ || (writer.bytes & part) == 0) continue;
      access.warp.launch->checks->report(
          CheckKind::global_race, access.warp, access.instruction, lane, address, [&] {
            return describe(access) +
                   " through the read-only cache (__ldg, or const __restrict__)" +
                   " of what thread " + std::to_string(writer.thread) + " of block " +
                   std::to_string(writer.block) + " has written in this launch";
          });
      return;
    }
  });
}

void GlobalShadow::mark_pages(const Access& access) {
  for_lanes(access.active, [&](int lane) {
    const std::uint64_t first = access.addresses[static_cast<std::size_t>(lane)] - memory_->base();
    written_pages_[first >> kPageShift] = true;
  });
}

std::uint64_t GlobalShadow::begin(const Access& access) {
  const BlockState& block = *access.warp.block;
  floor_ = std::uint64_t{time_in_block(block, block.floor)} << kTimeShift;
  return party_of(access).pack();
}

void GlobalShadow::read(const Access& access, std::array<std::byte*, kLanes>& pointers) {
  if (access.instruction.non_coherent) {
    visit_non_coherent(access);
    return;
  }
  const std::uint64_t now = begin(access);
  for_lanes(access.active, [&](int lane) { visit(access, lane, now, nullptr); });
  if (access.is_strong()) locations_.read(access, pointers);
}

void GlobalShadow::write(const Access& access, const std::byte* values) {
  const std::uint64_t now = begin(access);
  const bool is_strong = access.is_strong();
  mark_pages(access);
  for_lanes(access.active, [&](int lane) {
    const auto i = static_cast<std::size_t>(lane);
    const std::byte* const value = values + i * access.bytes;
    std::byte* const memory = memory_->host(access.addresses[i]);
    if (is_strong) locations_.store(access, lane, memory, value);
    visit(access, lane, now, value);
    std::memcpy(memory, value, access.bytes);
  });
}

void GlobalShadow::update(const Access& access) {
  const std::uint64_t now = begin(access);
  mark_pages(access);
  for_lanes(access.active, [&](int lane) { visit(access, lane, now, nullptr); });
  locations_.update(access);
}

}  // namespace warpmind::simulator
