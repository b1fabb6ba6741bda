#pragma once
/// \file
/// What a launch can be short of, and how long each lasts it.

#include "base/enum_names.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace warpmind::simulator {

enum class Resource : std::uint8_t {
  issue,    ///< schedulers
  fma,      ///< FP32 lanes (integer multiplies take them, too)
  imad,     ///< integer multiply-add
  alu,      ///< integer, logic, comparisons
  half,     ///< packed 16-bit arithmetic
  special,  ///< MUFU and conversions
  fp64,
  tensor,
  lsu,     ///< load/store units: global, shared, shuffles
  shared,  ///< the part of `lsu` that is shared memory; not added again
  l2,
  dram,
  latency,   ///< one warp's chain of dependences, times the waves
  atomics,   ///< turns that atomics on one address take
  barrier,   ///< warps that arrive at barriers
  dispatch,  ///< blocks handed out to multiprocessors
};
inline constexpr std::size_t kResources = 16;

}  // namespace warpmind::simulator

namespace warpmind {
WARPMIND_ENUM_NAMES(simulator::Resource, {simulator::Resource::issue, "issue"},
                    {simulator::Resource::fma, "fma"}, {simulator::Resource::imad, "imad"},
                    {simulator::Resource::alu, "alu"}, {simulator::Resource::half, "half"},
                    {simulator::Resource::special, "special"}, {simulator::Resource::fp64, "fp64"},
                    {simulator::Resource::tensor, "tensor"}, {simulator::Resource::lsu, "lsu"},
                    {simulator::Resource::shared, "shared"}, {simulator::Resource::l2, "l2"},
                    {simulator::Resource::dram, "dram"}, {simulator::Resource::latency, "latency"},
                    {simulator::Resource::atomics, "atomics"},
                    {simulator::Resource::barrier, "barrier"},
                    {simulator::Resource::dispatch, "dispatch"});
}  // namespace warpmind

namespace warpmind::simulator {

/// A number for each resource.
class PerResource {
 public:
  [[nodiscard]] double& operator[](Resource resource) {
    return values_[static_cast<std::size_t>(resource)];
  }
  [[nodiscard]] double operator[](Resource resource) const {
    return values_[static_cast<std::size_t>(resource)];
  }
  bool operator==(const PerResource&) const = default;

 private:
  std::array<double, kResources> values_{};
};

}  // namespace warpmind::simulator
