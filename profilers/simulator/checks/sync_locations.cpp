#include "profilers/simulator/checks/sync_locations.h"

#include <algorithm>
#include <cstring>

namespace warpmind::simulator {
namespace {

bool is_release(const Access& access) { return (access.instruction.option & kRelease) != 0; }
bool is_wide(const Access& access) { return (access.instruction.option & kWideScope) != 0; }

Moment moment_of(const Access& access, int lane) {
  const Warp& warp = access.warp;
  return {block_number(*warp.block), warp.index * kLanes + static_cast<std::uint32_t>(lane),
          time_in_block(*warp.block, warp.stamp)};
}

std::uint64_t address_of(const Access& access, int lane) {
  return access.addresses[static_cast<std::size_t>(lane)];
}

}  // namespace

SyncLocations::Location* SyncLocations::find(std::uint64_t address) {
  if (locations_.empty()) return nullptr;
  const auto at = locations_.find(address);
  return at == locations_.end() ? nullptr : &at->second;
}

/// `location` is null where nothing is known of the address yet.
void SyncLocations::publish(const Access& access, int lane, Location* location, bool adds) {
  Warp& warp = access.warp;
  BlockOrder& order = *warp.block->order;
  const std::uint32_t block = block_number(*warp.block);
  const Knowledge near = order.published(warp, lane, is_release(access), Reach::block);
  Knowledge wide;
  if (is_wide(access)) {
    wide = is_release(access) ? near : order.published(warp, lane, false, Reach::device);
  }
  if (location == nullptr) {
    if (near == nullptr && wide == nullptr) return;
    location = &locations_[address_of(access, lane)];
  }
  const bool keeps_near = adds && location->near_block == block;
  location->near = keeps_near ? joined(location->near, near) : near;
  location->near_block = block;
  location->wide = adds ? joined(location->wide, wide) : wide;
}

void SyncLocations::take(const Access& access, int lane, const Location& location) {
  Warp& warp = access.warp;
  BlockOrder& order = *warp.block->order;
  const bool acquires = access.is_atomic || (access.instruction.option & kAcquire) != 0;
  const auto tell = [&](const Knowledge& what, Reach from) {
    if (acquires) {
      order.learn(warp, lane, what);
    } else {
      order.learn_at_fence(warp, lane, what, from);
    }
  };
  const bool is_near = location.near_block == block_number(*warp.block);
  if (is_near) tell(location.near, Reach::block);
  if (is_wide(access)) tell(location.wide, Reach::device);
}

void SyncLocations::store(const Access& access, int lane, const std::byte* memory,
                          const std::byte* value) {
  Location* location = find(address_of(access, lane));
  if (location == nullptr && access.bytes <= kMostBytes && locations_.size() < kMostLocations) {
    location = &locations_[address_of(access, lane)];
  }
  publish(access, lane, location, false);
  if (location == nullptr) return;
  location->bytes = access.bytes <= kMostBytes ? access.bytes : 0;
  location->seen.clear();
  if (location->bytes == 0) return;
  std::memcpy(location->before.data(), memory, location->bytes);
  std::memcpy(location->after.data(), value, location->bytes);
  location->written = moment_of(access, lane);
}

void SyncLocations::update(const Access& access) {
  for_lanes(access.active, [&](int lane) {
    Location* const location = find(address_of(access, lane));
    if (location != nullptr) take(access, lane, *location);
    publish(access, lane, location, true);
  });
}

bool SyncLocations::sees_before(const Access& access, int lane, Location& location,
                                const std::byte* memory) {
  const Warp& warp = access.warp;
  if (location.bytes == 0 || location.bytes != access.bytes) return false;
  // Somebody else has written since, with an atomic or a weak store.
  if (std::memcmp(location.after.data(), memory, location.bytes) != 0) return false;
  const BlockOrder& order = *warp.block->order;
  if (order.is_before(location.written, warp, lane)) return false;
  if (location.seen.size() >= kMostSeers) return false;
  const bool has_seen =
      std::any_of(location.seen.begin(), location.seen.end(),
                  [&](const Moment& reader) { return order.is_before(reader, warp, lane); });
  if (has_seen) return false;
  location.seen.push_back(moment_of(access, lane));
  access.warp.launch->late_reads.insert(
      access.warp.program().info[access.instruction.index].source_line);
  return true;
}

void SyncLocations::read(const Access& access, std::array<std::byte*, kLanes>& pointers) {
  if (locations_.empty()) return;
  for_lanes(access.active, [&](int lane) {
    Location* const location = find(address_of(access, lane));
    if (location == nullptr) return;
    std::byte*& pointer = pointers[static_cast<std::size_t>(lane)];
    if (sees_before(access, lane, *location, pointer)) {
      pointer = location->before.data();
    } else {
      take(access, lane, *location);
    }
  });
}

}  // namespace warpmind::simulator
