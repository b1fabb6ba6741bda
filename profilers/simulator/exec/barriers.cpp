#include "profilers/simulator/exec/barriers.h"

#include "profilers/simulator/checks/block_order.h"

#include <bit>

namespace warpmind::simulator {
namespace {

// Instruction::option of a barrier, as control_opcodes.cpp sets it.
constexpr std::uint16_t kArrive = 1;
constexpr std::uint16_t kReducePopulation = 2;
constexpr std::uint16_t kReduceAnd = 3;
constexpr std::uint16_t kReduceOr = 4;

/// Lanes of a warp count as a whole: hardware rounds thread counts up to warps.
constexpr std::uint32_t kWarpThreads = kLanes;

Mask votes_of(Warp& warp) {
  const Instruction& at = *warp.waiting_at;
  const Mask value = predicate(warp, at.c);
  return (at.option2 != 0 ? ~value : value) & warp.waiting_lanes;
}

}  // namespace

void Barriers::arrive(Warp& warp) {
  if (warp.waiting_at->option != kArrive) return;
  if (warp.block->order != nullptr) warp.block->order->arrive(warp.barrier, warp);
  arrived_[warp.barrier] += kWarpThreads;
  warp.status = WarpStatus::ready;
}

bool Barriers::open(BlockState& block) {
  std::array<std::uint32_t, kCount> waiting{};
  std::array<std::uint32_t, kCount> expected{};
  std::uint32_t live = 0;
  for (const Warp& warp : block.warps) {
    if (warp.status != WarpStatus::done) live += kWarpThreads;
    if (warp.status != WarpStatus::at_barrier) continue;
    waiting[warp.barrier] += kWarpThreads;
    expected[warp.barrier] = warp.barrier_expected;
  }
  bool opened = false;
  for (std::uint32_t id = 0; id < kCount; ++id) {
    if (waiting[id] == 0) continue;
    // Threads that have left no longer count for a barrier of the whole block.
    const std::uint32_t needed = expected[id] == 0 ? live : expected[id];
    if (waiting[id] + arrived_[id] < needed) continue;
    if (block.order != nullptr) {
      block.order->open(block, id, waiting[id] == live && arrived_[id] == 0);
    }
    release(block, id);
    opened = true;
  }
  return opened;
}

void Barriers::release(BlockState& block, std::uint32_t barrier) {
  std::uint32_t population = 0;
  bool all = true;
  bool any = false;
  for (Warp& warp : block.warps) {
    if (warp.status != WarpStatus::at_barrier || warp.barrier != barrier) continue;
    if (warp.waiting_at->option < kReducePopulation) continue;
    const Mask votes = votes_of(warp);
    population += static_cast<std::uint32_t>(std::popcount(votes));
    all = all && votes == warp.waiting_lanes;
    any = any || votes != 0;
  }
  for (Warp& warp : block.warps) {
    if (warp.status != WarpStatus::at_barrier || warp.barrier != barrier) continue;
    const Instruction& at = *warp.waiting_at;
    const Mask lanes_there = warp.waiting_lanes;
    if (at.option == kReducePopulation) {
      auto* const out = lanes<std::uint32_t>(warp, at.d);
      for (int lane = 0; lane < kLanes; ++lane) {
        if ((lanes_there >> lane & 1U) != 0) out[lane] = population;
      }
    } else if (at.option == kReduceAnd || at.option == kReduceOr) {
      Mask& out = predicate(warp, at.d);
      const bool value = at.option == kReduceAnd ? all : any;
      out = value ? out | lanes_there : out & ~lanes_there;
    }
    warp.status = WarpStatus::ready;
  }
  arrived_[barrier] = 0;
}

}  // namespace warpmind::simulator
