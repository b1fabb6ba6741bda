#pragma once
/// \file
/// The size of one launch, as numbers.

#include <array>
#include <cstdint>

namespace warpmind {

/// What plans evaluate to, runners and the simulator launch, recorders see and counters report.
struct LaunchShape {
  std::array<std::uint32_t, 3> grid{1, 1, 1};   ///< blocks
  std::array<std::uint32_t, 3> block{1, 1, 1};  ///< threads
  std::uint32_t shared_bytes = 0;               ///< dynamic shared memory, unless said otherwise
  bool operator==(const LaunchShape&) const = default;

  [[nodiscard]] LaunchShape& shape() { return *this; }
  [[nodiscard]] const LaunchShape& shape() const { return *this; }
};

}  // namespace warpmind
