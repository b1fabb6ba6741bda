#pragma once
/// \file
/// Fast random numbers for large inputs. Seeds are secret; the numbers need no such strength.

#include <array>
#include <cstdint>

namespace warpmind::profilers {

/// SplitMix64 (Steele, Lea, Flood 2014).
class SplitMix {
 public:
  explicit SplitMix(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9U;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EBU;
    return mixed ^ (mixed >> 31U);
  }
  /// In [0, 1).
  double unit() { return static_cast<double>(next() >> 11U) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

/// The inverse of the standard normal distribution function; relative error below 2e-9
/// (P. J. Acklam's rational approximation). `probability` in (0, 1).
[[nodiscard]] double normal_quantile(double probability);

/// Standard normal numbers by inversion: quantiles in a table, straight lines between them, and
/// the formula itself in the two outermost cells.
class NormalQuantiles {
 public:
  NormalQuantiles();
  [[nodiscard]] double draw(SplitMix& random) const;

 private:
  static constexpr std::size_t kCells = 4096;
  std::array<double, kCells> quantiles_{};  ///< [k] = quantile of k / kCells; [0] is not used
};

}  // namespace warpmind::profilers
