#include "profilers/worker/guarded_buffer.h"

#include "profilers/worker/simulator_hooks.h"

#include <algorithm>
#include <cstring>

namespace warpmind::profilers {
namespace {

std::optional<std::string> describe(const FillPatterns& patterns, const std::byte* before,
                                    const std::byte* after, const std::string& name) {
  const auto& zone = patterns.zone();
  for (const bool past : {true, false}) {
    const std::byte* seen = past ? after : before;
    if (std::memcmp(seen, zone.data(), kRedZoneBytes) == 0) continue;
    std::size_t count = 0;
    std::size_t nearest = 0;  // distance from the data, in bytes
    for (std::size_t i = 0; i < kRedZoneBytes; ++i) {
      if (seen[i] == zone[i]) continue;
      if (count == 0 || !past) nearest = past ? i : kRedZoneBytes - i;
      ++count;
    }
    return std::to_string(count) + " bytes " + (past ? "past " : "before ") + name +
           " overwritten, nearest at " + (past ? "+" : "-") + std::to_string(nearest);
  }
  return std::nullopt;
}

}  // namespace

Result<void> GuardedBuffer::resize(const FillPatterns& patterns, std::string name,
                                   std::size_t bytes, cudaStream_t stream) {
  name_ = std::move(name);
  if (!memory_ || bytes > capacity_ || zone_bytes_ == 0) {
    memory_.reset();
    zone_bytes_ = kRedZoneBytes;
    capacity_ = 0;
    const std::size_t total = kRedZoneBytes + (bytes + 255) / 256 * 256 + kRedZoneBytes;
    WARPMIND_TRY(memory_, allocate_device(total, name_));
    capacity_ = bytes;
  }
  bytes_ = bytes;
  restrict_access(memory_.get(), kRedZoneBytes, bytes_);
  WARPMIND_CHECK(patterns.fill_zone(memory_.get(), stream));
  return patterns.fill_zone(data() + bytes_, stream);
}

Result<void> GuardedBuffer::resize_bare(std::string name, std::size_t bytes) {
  name_ = std::move(name);
  memory_.reset();
  zone_bytes_ = 0;
  WARPMIND_TRY(memory_, allocate_device(std::max<std::size_t>(bytes, 1), name_));
  capacity_ = bytes;
  bytes_ = bytes;
  restrict_access(memory_.get(), 0, bytes_);
  return {};
}

Result<std::optional<std::string>> find_damage(const FillPatterns& patterns,
                                               const std::vector<const GuardedBuffer*>& buffers,
                                               cudaStream_t stream) {
  if (buffers.empty()) return std::optional<std::string>();
  std::vector<std::byte> zones(buffers.size() * 2 * kRedZoneBytes);
  std::byte* to = zones.data();
  for (const GuardedBuffer* buffer : buffers) {
    for (const std::byte* from :
         {static_cast<const std::byte*>(buffer->data() - kRedZoneBytes),
          static_cast<const std::byte*>(buffer->data() + buffer->bytes())}) {
      WARPMIND_CHECK(
          cuda_check(cudaMemcpyAsync(to, from, kRedZoneBytes, cudaMemcpyDeviceToHost, stream),
                     "reading the red zones of " + buffer->name()));
      to += kRedZoneBytes;
    }
  }
  WARPMIND_CHECK(cuda_check(cudaStreamSynchronize(stream), "reading red zones"));
  const std::byte* seen = zones.data();
  for (const GuardedBuffer* buffer : buffers) {
    auto found = describe(patterns, seen, seen + kRedZoneBytes, buffer->name());
    if (found) return found;
    seen += 2 * kRedZoneBytes;
  }
  return std::optional<std::string>();
}

}  // namespace warpmind::profilers
