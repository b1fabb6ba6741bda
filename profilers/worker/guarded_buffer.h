#pragma once
/// \file
/// A device buffer between two red zones.

#include "profilers/worker/fill_patterns.h"

#include <optional>
#include <string>
#include <vector>

namespace warpmind::profilers {

/// [red zone][data, aligned to 256 bytes][red zone], in one allocation that is reused when it is
/// large enough. The zone after the data starts at its very last byte plus one.
class GuardedBuffer {
 public:
  /// Gives the buffer a name and a size and refills both zones. Asynchronous on `stream`.
  /// Errors: external_failure naming the buffer when the device has no such memory.
  [[nodiscard]] Result<void> resize(const FillPatterns& patterns, std::string name,
                                    std::size_t bytes, cudaStream_t stream);

  /// An allocation of just `bytes`, zones and contents unwritten.
  [[nodiscard]] Result<void> resize_bare(std::string name, std::size_t bytes);

  [[nodiscard]] std::byte* data() const { return memory_.get() + zone_bytes_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  UniqueDeviceMemory memory_;
  std::size_t capacity_ = 0;  ///< of the data
  std::size_t bytes_ = 0;
  std::size_t zone_bytes_ = kRedZoneBytes;  ///< 0: bare
  std::string name_;
};

/// Reads the zones of all `buffers` back. Waits for `stream`.
/// Returns a sentence like "64 bytes past y overwritten, first at +0", or nullopt.
[[nodiscard]] Result<std::optional<std::string>> find_damage(
    const FillPatterns& patterns, const std::vector<const GuardedBuffer*>& buffers,
    cudaStream_t stream);

}  // namespace warpmind::profilers
