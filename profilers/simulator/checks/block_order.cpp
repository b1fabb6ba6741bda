#include "profilers/simulator/checks/block_order.h"

#include "profilers/simulator/memory/access.h"

#include <algorithm>

namespace warpmind::simulator {
namespace {

constexpr std::array kReaches = {Reach::block, Reach::device};

constexpr std::size_t index_of(Reach reach) { return static_cast<std::size_t>(reach); }

std::uint32_t thread_of(const Warp& warp, int lane) {
  return warp.index * kLanes + static_cast<std::uint32_t>(lane);
}

}  // namespace

void BlockOrder::start_block(BlockState& block) {
  warps_.resize(block.warps.size());
  if (was_used_) {
    for (WarpOrder& warp : warps_) warp.lanes.fill({});
    arrived_.fill({});
    phases_.clear();
  }
  is_uneven_ = was_used_ = has_messages_ = false;
  if (block.clock > kMostClock) block.clock = 1;
  block.first_clock = block.clock;
  block.floor = ++block.clock;  // what earlier blocks did in shared memory lies before it
  for (Warp& warp : block.warps) {
    warp.stamp = warp.floor = block.floor;
    warp.is_uneven = false;
  }
}

void BlockOrder::Together::join(const Together& other) {
  known = joined(known, other.known);
  for (std::size_t i = 0; i < fenced.size(); ++i) fenced[i] = joined(fenced[i], other.fenced[i]);
}

BlockOrder::Together BlockOrder::gather(const Warp& warp, Mask lanes) const {
  Together all;
  const std::uint32_t block = block_number(*warp.block);
  for_lanes(lanes, [&](int lane) {
    const Lane& one = lane_of(warp, lane);
    if (one.known != all.known) all.known = joined(all.known, one.known);
    for (std::size_t i = 0; i < one.fenced.size(); ++i) {
      if (one.fenced[i] != all.fenced[i]) all.fenced[i] = joined(all.fenced[i], one.fenced[i]);
    }
  });
  for (const Reach reach : kReaches) {
    const std::size_t i = index_of(reach);
    std::uint32_t least = kLastTime;
    for_lanes(lanes, [&](int lane) { least = std::min(least, lane_of(warp, lane).fenced_at[i]); });
    if (lanes != warp.live) least = 0;
    VectorClock own;
    own.raise(VectorClock::of_warp(block, warp.index), least);
    for_lanes(lanes, [&](int lane) {
      const std::uint32_t at = lane_of(warp, lane).fenced_at[i];
      if (at > least) own.raise(VectorClock::of_thread(block, thread_of(warp, lane)), at);
    });
    if (own.latest_of(block) == 0) continue;
    all.fenced[i] = joined(all.fenced[i], std::make_shared<VectorClock>(std::move(own)));
  }
  return all;
}

/// `what` has all that the lanes know.
void BlockOrder::spread(Warp& warp, Mask lanes, const Together& what) {
  for_lanes(lanes, [&](int lane) {
    Lane& one = warps_[warp.index].lanes[static_cast<std::size_t>(lane)];
    if (one.known != what.known) one.known = what.known;
    for (std::size_t i = 0; i < what.fenced.size(); ++i) {
      if (one.fenced[i] != what.fenced[i]) one.fenced[i] = what.fenced[i];
    }
  });
}

void BlockOrder::note_meeting(Warp& warp, Mask lanes) {
  auto& met = warps_[warp.index].met;
  if (met == nullptr) met = std::make_unique<std::array<Times, kLanes>>();
  Times latest{};
  for_lanes(lanes, [&](int lane) {
    const Times& own = (*met)[static_cast<std::size_t>(lane)];
    for (std::size_t i = 0; i < kLanes; ++i) latest[i] = std::max(latest[i], own[i]);
  });
  for_lanes(lanes, [&](int lane) { latest[static_cast<std::size_t>(lane)] = warp.stamp; });
  for_lanes(lanes, [&](int lane) { (*met)[static_cast<std::size_t>(lane)] = latest; });
}

void BlockOrder::meet(Warp& warp, Mask lanes) {
  warp.stamp = ++warp.block->clock;
  const bool is_whole = lanes == warp.live;
  if (is_whole) {
    warp.floor = warp.stamp;
  } else {
    note_meeting(warp, lanes);
  }
  if (!warp.is_uneven) return;
  spread(warp, lanes, gather(warp, lanes));
  warp.is_uneven = !is_whole;
}

Knowledge BlockOrder::floors_of(const Warp& warp, const Knowledge& known) {
  const BlockState& block = *warp.block;
  const std::uint32_t number = block_number(block);
  VectorClock floors;
  floors.raise(VectorClock::of_block(number), time_in_block(block, block.floor));
  if (warp.floor > block.floor) {
    floors.raise(VectorClock::of_warp(number, warp.index), time_in_block(block, warp.floor));
  }
  return joined(known, std::make_shared<VectorClock>(std::move(floors)));
}

void BlockOrder::arrive(std::uint32_t barrier, Warp& warp) {
  meet(warp, warp.live);
  Together all = gather(warp, warp.live);
  all.known = floors_of(warp, all.known);
  arrived_[barrier].join(all);
  warp.stamp = ++warp.block->clock;
  is_uneven_ = was_used_ = true;
}

void BlockOrder::open_whole(BlockState& block) {
  block.floor = ++block.clock;
  for (Warp& warp : block.warps) warp.stamp = warp.floor = block.floor;
  if (!is_uneven_) return;
  Together all;
  std::array<std::uint32_t, 2> least{kLastTime, kLastTime};
  const std::uint32_t number = block_number(block);
  for (const Warp& warp : block.warps) {
    if (warp.live == 0) continue;
    all.join(gather(warp, warp.live));
  }
  for (const Warp& warp : block.warps) {
    if (warp.live == 0) continue;
    for (std::size_t i = 0; i < least.size(); ++i) {
      const VectorClock::Key key = VectorClock::of_warp(number, warp.index);
      least[i] = std::min(least[i], all.fenced[i] == nullptr ? 0 : all.fenced[i]->at(key));
    }
  }
  for (std::size_t i = 0; i < least.size(); ++i) {
    if (least[i] == 0) continue;
    VectorClock whole;
    whole.raise(VectorClock::of_block(number), least[i]);
    all.fenced[i] = joined(all.fenced[i], std::make_shared<VectorClock>(std::move(whole)));
  }
  for (Warp& warp : block.warps) {
    spread(warp, warp.live, all);
    warp.is_uneven = false;
  }
  is_uneven_ = false;
}

void BlockOrder::open(BlockState& block, std::uint32_t barrier, bool is_whole) {
  if (is_whole) {
    open_whole(block);
    return;
  }
  Together all = std::move(arrived_[barrier]);
  arrived_[barrier] = {};
  const auto waits = [&](const Warp& warp) {
    return warp.status == WarpStatus::at_barrier && warp.barrier == barrier;
  };
  for (Warp& warp : block.warps) {
    if (!waits(warp)) continue;
    meet(warp, warp.live);
    Together own = gather(warp, warp.live);
    own.known = floors_of(warp, own.known);
    all.join(own);
  }
  for (Warp& warp : block.warps) {
    if (!waits(warp)) continue;
    spread(warp, warp.live, all);
    warp.stamp = ++block.clock;
  }
  is_uneven_ = was_used_ = has_messages_ = true;
}

void BlockOrder::fence(Warp& warp, Mask lanes, Reach reach) {
  const BlockState& block = *warp.block;
  warp.stamp = ++warp.block->clock;
  Knowledge before;
  Knowledge ready;
  for_lanes(lanes, [&](int lane) {
    Lane& one = warps_[warp.index].lanes[static_cast<std::size_t>(lane)];
    for (const Reach each : kReaches) {
      if (each > reach) continue;
      Knowledge& unfenced = one.unfenced[index_of(each)];
      if (unfenced == nullptr) continue;
      one.known = joined(one.known, unfenced);
      unfenced = nullptr;
      has_messages_ = true;
    }
    if (ready == nullptr || one.known != before) {
      before = one.known;
      ready = floors_of(warp, before);
    }
    for (const Reach each : kReaches) {
      if (each > reach) continue;
      one.fenced[index_of(each)] = joined(one.fenced[index_of(each)], ready);
      one.fenced_at[index_of(each)] = time_in_block(block, warp.stamp);
    }
  });
  warp.is_uneven = is_uneven_ = was_used_ = true;
}

/// Ends what other threads can know of the warp so far.
Knowledge BlockOrder::known_now(Warp& warp, int lane) {
  BlockState& block = *warp.block;
  const std::uint32_t number = block_number(block);
  warp.stamp = ++block.clock;
  VectorClock own;
  own.raise(VectorClock::of_thread(number, thread_of(warp, lane)),
            time_in_block(block, warp.stamp));
  if (const auto& met = warps_[warp.index].met) {
    const Times& times = (*met)[static_cast<std::size_t>(lane)];
    for (int other = 0; other < kLanes; ++other) {
      const std::uint32_t clock = times[static_cast<std::size_t>(other)];
      if (clock <= warp.floor) continue;
      own.raise(VectorClock::of_thread(number, thread_of(warp, other)),
                time_in_block(block, clock));
    }
  }
  return joined(floors_of(warp, lane_of(warp, lane).known),
                std::make_shared<VectorClock>(std::move(own)));
}

Knowledge BlockOrder::published(Warp& warp, int lane, bool is_release, Reach reach) {
  if (is_release) return known_now(warp, lane);
  const Lane& one = lane_of(warp, lane);
  const std::uint32_t at = one.fenced_at[index_of(reach)];
  if (at == 0) return one.fenced[index_of(reach)];
  VectorClock own;
  own.raise(VectorClock::of_thread(block_number(*warp.block), thread_of(warp, lane)), at);
  return joined(one.fenced[index_of(reach)], std::make_shared<VectorClock>(std::move(own)));
}

void BlockOrder::learn(Warp& warp, int lane, const Knowledge& what) {
  if (what == nullptr) return;
  Lane& one = warps_[warp.index].lanes[static_cast<std::size_t>(lane)];
  one.known = joined(one.known, what);
  warp.is_uneven = is_uneven_ = was_used_ = has_messages_ = true;
}

void BlockOrder::learn_at_fence(Warp& warp, int lane, const Knowledge& what, Reach from) {
  if (what == nullptr) return;
  Knowledge& waiting =
      warps_[warp.index].lanes[static_cast<std::size_t>(lane)].unfenced[index_of(from)];
  waiting = joined(waiting, what);
  was_used_ = true;
}

void BlockOrder::begin_phases(std::uint32_t mbarrier) {
  phases_[mbarrier] = {};
  was_used_ = true;
}

void BlockOrder::arrive_at(std::uint32_t mbarrier, Warp& warp, Mask lanes) {
  Knowledge& arriving = phases_[mbarrier].arriving;
  was_used_ = true;
  if (lanes != warp.live) {
    for_lanes(lanes, [&](int lane) { arriving = joined(arriving, known_now(warp, lane)); });
    return;
  }
  // All lanes: as one.
  BlockState& block = *warp.block;
  warp.stamp = ++block.clock;
  VectorClock own;
  own.raise(VectorClock::of_block(block_number(block)), time_in_block(block, block.floor));
  own.raise(VectorClock::of_warp(block_number(block), warp.index),
            time_in_block(block, warp.stamp));
  arriving = joined(arriving, std::make_shared<VectorClock>(std::move(own)));
  for_lanes(lanes, [&](int lane) { arriving = joined(arriving, lane_of(warp, lane).known); });
}

std::uint32_t BlockOrder::land_at(std::uint32_t mbarrier, BlockState& block) {
  const std::uint32_t written = ++block.clock;
  VectorClock own;
  own.raise(VectorClock::of_warp(block_number(block), kCopyThread / kLanes),
            time_in_block(block, ++block.clock));
  Knowledge& arriving = phases_[mbarrier].arriving;
  arriving = joined(arriving, std::make_shared<VectorClock>(std::move(own)));
  was_used_ = true;
  return written;
}

void BlockOrder::complete_phase(std::uint32_t mbarrier) {
  Phases& phases = phases_[mbarrier];
  phases.completed = joined(phases.completed, phases.arriving);
  phases.arriving = nullptr;
}

void BlockOrder::pass(std::uint32_t mbarrier, Warp& warp, Mask lanes) {
  const auto at = phases_.find(mbarrier);
  if (at == phases_.end()) return;
  for_lanes(lanes, [&](int lane) { learn(warp, lane, at->second.completed); });
}

bool BlockOrder::is_before(const Moment& access, const Warp& warp, int lane) const {
  const BlockState& block = *warp.block;
  if (access.block == block_number(block)) {
    if (access.thread == thread_of(warp, lane)) return true;
    if (const auto& met = warps_[warp.index].met;
        met != nullptr && access.thread / kLanes == warp.index) {
      const std::uint32_t clock = (*met)[static_cast<std::size_t>(lane)][access.thread % kLanes];
      if (clock > warp.floor && access.time < time_in_block(block, clock)) return true;
    }
  }
  if (is_warp_before(access, warp, lane)) return true;
  const Knowledge& known = lane_of(warp, lane).known;
  return known != nullptr &&
         access.time < known->at(VectorClock::of_thread(access.block, access.thread));
}

bool BlockOrder::is_warp_before(const Moment& access, const Warp& warp, int lane) const {
  if (access.time >= kLastTime) return true;
  const BlockState& block = *warp.block;
  const std::uint32_t other = access.thread / kLanes;
  if (access.block == block_number(block)) {
    if (access.time < time_in_block(block, block.floor)) return true;
    if (other == warp.index && access.time < time_in_block(block, warp.floor)) return true;
  }
  const Knowledge& known = lane_of(warp, lane).known;
  if (known == nullptr) return false;
  return access.time < known->at(VectorClock::of_block(access.block)) ||
         access.time < known->at(VectorClock::of_warp(access.block, other));
}

bool BlockOrder::are_before(const Moment& last, const Warp& warp, int lane) const {
  if (is_warp_before(last, warp, lane)) return true;
  // The others are taken to do as the last one does.
  const BlockState& block = *warp.block;
  const bool is_own = last.block == block_number(block) && last.thread == thread_of(warp, lane);
  if (!is_own) return is_before(last, warp, lane);
  const auto& met = warps_[warp.index].met;
  if (met == nullptr) return false;
  const Times& times = (*met)[static_cast<std::size_t>(lane)];
  const std::uint32_t latest = *std::max_element(times.begin(), times.end());
  return latest > warp.floor && last.time < time_in_block(block, latest);
}

bool BlockOrder::is_block_known(const Moment& access, const Warp& warp, int lane) const {
  const Knowledge& known = lane_of(warp, lane).known;
  return access.time >= kLastTime ||
         (known != nullptr && access.time < known->latest_of(access.block));
}

}  // namespace warpmind::simulator
