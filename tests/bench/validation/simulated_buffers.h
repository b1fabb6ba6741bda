#pragma once
/// \file
/// The buffers of one family at one size, in simulated device memory.

#include "profilers/simulator/memory/device_memory.h"
#include "tests/bench/validation/buffer_data.h"
#include "tests/bench/validation/point_table.h"

#include <cstdint>
#include <string>
#include <vector>

namespace warpmind::validation {

class SimulatedBuffers {
 public:
  /// Allocates and fills the buffers of `point`. `memory` outlives them.
  /// Errors: unavailable when `memory` is full.
  [[nodiscard]] static Result<SimulatedBuffers> create(const Point& point,
                                                       simulator::DeviceMemory& memory);
  SimulatedBuffers(SimulatedBuffers&& other) noexcept;
  SimulatedBuffers& operator=(SimulatedBuffers&& other) noexcept;
  SimulatedBuffers(const SimulatedBuffers&) = delete;
  SimulatedBuffers& operator=(const SimulatedBuffers&) = delete;
  ~SimulatedBuffers();

  /// Whether `point` uses just these: the same family and size.
  [[nodiscard]] bool fit(const Point& point) const;
  [[nodiscard]] const std::vector<std::uint64_t>& addresses() const { return addresses_; }
  /// Zeroes the outputs, which kernels may add to.
  void clear_outputs();
  /// Over all output buffers.
  [[nodiscard]] Checksum checksum() const;

 private:
  explicit SimulatedBuffers(simulator::DeviceMemory& memory) : memory_(&memory) {}
  void release() noexcept;

  simulator::DeviceMemory* memory_;
  std::vector<Buffer> buffers_;
  std::string family_;
  std::vector<std::uint64_t> addresses_;
};

}  // namespace warpmind::validation
