#include "tests/bench/validation/simulated_buffers.h"

#include <cstring>
#include <utility>

namespace warpmind::validation {
namespace {

std::size_t bytes_of(const Buffer& buffer) {
  return static_cast<std::size_t>(buffer.elements) * size_in_bytes(buffer.dtype);
}

}  // namespace

Result<SimulatedBuffers> SimulatedBuffers::create(const Point& point,
                                                  simulator::DeviceMemory& memory) {
  SimulatedBuffers out(memory);
  out.buffers_ = point.buffers;
  out.family_ = point.family;
  for (std::size_t i = 0; i < point.buffers.size(); ++i) {
    const Buffer& buffer = point.buffers[i];
    const std::uint64_t address = memory.allocate(bytes_of(buffer));
    if (address == 0) {
      return fail(Errc::unavailable, "no simulated memory for " + buffer.name + " of " + point.id);
    }
    out.addresses_.push_back(address);
    const std::string bytes = initial_bytes(buffer, i);
    std::memcpy(memory.host(address), bytes.data(), bytes.size());
    memory.mark_written(address, bytes.size());
  }
  return out;
}

SimulatedBuffers::SimulatedBuffers(SimulatedBuffers&& other) noexcept
    : memory_(other.memory_),
      buffers_(std::move(other.buffers_)),
      family_(std::move(other.family_)),
      addresses_(std::exchange(other.addresses_, {})) {}

SimulatedBuffers& SimulatedBuffers::operator=(SimulatedBuffers&& other) noexcept {
  if (this == &other) return *this;
  release();
  memory_ = other.memory_;
  buffers_ = std::move(other.buffers_);
  family_ = std::move(other.family_);
  addresses_ = std::exchange(other.addresses_, {});
  return *this;
}

SimulatedBuffers::~SimulatedBuffers() { release(); }

void SimulatedBuffers::release() noexcept {
  for (const std::uint64_t address : addresses_) (void)memory_->release(address);
  addresses_.clear();
}

bool SimulatedBuffers::fit(const Point& point) const {
  return point.family == family_ && point.buffers == buffers_;
}

void SimulatedBuffers::clear_outputs() {
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (buffers_[i].output) std::memset(memory_->host(addresses_[i]), 0, bytes_of(buffers_[i]));
  }
}

Checksum SimulatedBuffers::checksum() const {
  Checksum total;
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (!buffers_[i].output) continue;
    const auto* const bytes = reinterpret_cast<const char*>(memory_->host(addresses_[i]));
    const Checksum one = checksum_of({bytes, bytes_of(buffers_[i])}, buffers_[i].dtype);
    total.sum += one.sum;
    total.weighted += one.weighted;
    total.magnitude += one.magnitude;
  }
  return total;
}

}  // namespace warpmind::validation
