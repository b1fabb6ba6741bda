#include "profilers/simulator/checks/async_copies.h"

#include "profilers/simulator/checks/block_order.h"
#include "profilers/simulator/checks/shared_shadow.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace warpmind::simulator {

AsyncCopies::WarpCopies& AsyncCopies::warp_copies(const Warp& warp) {
  if (warps_.size() <= warp.index) warps_.resize(warp.index + std::size_t{1});
  return warps_[warp.index];
}

void AsyncCopies::start_block() {
  for (WarpCopies& warp : warps_) {
    warp.batches.clear();
    warp.open.fill(0);
  }
  bulk_.clear();
  if (copies_ > 0) std::fill(pending_.begin(), pending_.end(), std::uint16_t{0});
  copies_ = 0;
}

void AsyncCopies::count(std::uint32_t offset, std::uint32_t bytes, int change) {
  const std::size_t end = (std::size_t{offset} + bytes + kWord - 1) / kWord;
  if (end > pending_.size()) pending_.resize(end);
  for (std::size_t word = offset / kWord; word < end; ++word) {
    pending_[word] = static_cast<std::uint16_t>(pending_[word] + change);
  }
}

void AsyncCopies::issue(const Access& access,
                        const std::array<std::byte, kMostBytes * kLanes>& values) {
  WarpCopies& copies = warp_copies(access.warp);
  Batch& batch = copies.batches.emplace_back();
  batch.instruction = &access.instruction;
  batch.left = access.active;
  batch.bytes = access.bytes;
  batch.groups = copies.open;
  batch.values = values;
  for_lanes(access.active, [&](int lane) {
    const auto i = static_cast<std::size_t>(lane);
    batch.offsets[i] = static_cast<std::uint32_t>(access.addresses[i]);
    count(batch.offsets[i], batch.bytes, 1);
    ++copies_;
  });
}

void AsyncCopies::commit(const Warp& warp, Mask active) {
  Groups& open = warp_copies(warp).open;
  for_lanes(active, [&](int lane) { ++open[static_cast<std::size_t>(lane)]; });
}

void AsyncCopies::land(Warp& warp, Batch& batch, Mask lanes) {
  batch.left &= ~lanes;
  const BlockState& block = *warp.block;
  Access access{warp, *batch.instruction, lanes, batch.bytes, true};
  std::array<std::byte, kMostBytes * kLanes> packed;  // NOLINT: filled for `lanes`
  for_lanes(lanes, [&](int lane) {
    const auto i = static_cast<std::size_t>(lane);
    access.addresses[i] = batch.offsets[i];
    count(batch.offsets[i], batch.bytes, -1);
    --copies_;
    std::memcpy(packed.data() + i * batch.bytes, batch.values.data() + i * kMostBytes, batch.bytes);
  });
  if (block.shadow != nullptr) {
    block.shadow->land(access, packed.data());
    return;
  }
  for_lanes(lanes, [&](int lane) {
    const auto i = static_cast<std::size_t>(lane);
    std::memcpy(block.shared + batch.offsets[i], packed.data() + i * batch.bytes, batch.bytes);
  });
}

void AsyncCopies::wait(Warp& warp, Mask active, std::uint32_t keep) {
  WarpCopies& copies = warp_copies(warp);
  for (Batch& batch : copies.batches) {
    Mask landing = 0;
    for_lanes(batch.left & active, [&](int lane) {
      const auto i = static_cast<std::size_t>(lane);
      if (std::uint64_t{batch.groups[i]} + keep < copies.open[i]) landing |= Mask{1} << lane;
    });
    if (landing != 0) land(warp, batch, landing);
  }
  std::erase_if(copies.batches, [](const Batch& batch) { return batch.left == 0; });
}

void AsyncCopies::wait_all(Warp& warp, Mask active) {
  commit(warp, active);
  wait(warp, active, 0);
}

void AsyncCopies::issue_bulk(const Warp& warp, int lane, std::uint32_t offset,
                             std::vector<std::byte> values, std::uint32_t mbarrier) {
  count(offset, static_cast<std::uint32_t>(values.size()), 1);
  ++copies_;
  bulk_.push_back({warp.index * kLanes + static_cast<std::uint32_t>(lane), offset, mbarrier,
                   std::move(values)});
}

std::uint32_t AsyncCopies::land_bulk(BlockState& block, std::uint32_t mbarrier) {
  if (bulk_.empty()) return 0;
  std::uint32_t landed = 0;
  std::uint32_t clock = block.clock;
  for (const BulkCopy& copy : bulk_) {
    if (copy.mbarrier != mbarrier) continue;
    const auto bytes = static_cast<std::uint32_t>(copy.values.size());
    if (landed == 0 && block.order != nullptr) clock = block.order->land_at(mbarrier, block);
    count(copy.offset, bytes, -1);
    --copies_;
    landed += bytes;
    if (block.shadow != nullptr) {
      block.shadow->land_bulk(block, copy.offset, copy.values, clock);
    } else {
      std::copy(copy.values.begin(), copy.values.end(), block.shared + copy.offset);
    }
  }
  std::erase_if(bulk_, [&](const BulkCopy& copy) { return copy.mbarrier == mbarrier; });
  return landed;
}

std::string AsyncCopies::owner_of(std::uint64_t offset, std::uint32_t bytes) const {
  for (const BulkCopy& copy : bulk_) {
    if (offset < copy.offset + copy.values.size() && copy.offset < offset + bytes) {
      return "cp.async.bulk of thread " + std::to_string(copy.thread);
    }
  }
  for (std::size_t w = 0; w < warps_.size(); ++w) {
    for (const Batch& batch : warps_[w].batches) {
      for (std::size_t i = 0; i < kLanes; ++i) {
        if ((batch.left >> i & 1U) == 0) continue;
        const std::uint64_t first = batch.offsets[i];
        if (offset < first + batch.bytes && first < offset + bytes) {
          return "cp.async of thread " + std::to_string(w * kLanes + i);
        }
      }
    }
  }
  return "cp.async of some thread";
}

Mask AsyncCopies::check(const Access& access) {
  Mask early = 0;
  for_lanes(access.active, [&](int lane) {
    const std::uint64_t offset = access.addresses[static_cast<std::size_t>(lane)];
    const std::size_t end =
        std::min<std::size_t>((offset + access.bytes + kWord - 1) / kWord, pending_.size());
    bool is_pending = false;
    for (std::size_t word = offset / kWord; word < end; ++word) {
      is_pending = is_pending || pending_[word] != 0;
    }
    if (!is_pending) return;
    early |= Mask{1} << lane;
    access.warp.launch->checks->report(
        CheckKind::async_not_waited, access.warp, access.instruction, lane, offset, [&] {
          return describe(access) + " at offset " + std::to_string(offset) + ", where a " +
                 owner_of(offset, access.bytes) + " has not been waited for";
        });
  });
  return early;
}

}  // namespace warpmind::simulator
