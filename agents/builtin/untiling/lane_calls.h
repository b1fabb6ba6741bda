#pragma once
/// \file
/// Functions of CUDA's headers on values of the threads of a block.

#include "agents/builtin/untiling/lane_vector.h"

#include <optional>
#include <string>
#include <vector>

namespace warpmind::agents::builtin {

/// What a function about which nothing is known gives; `nothing` where an argument is no number.
[[nodiscard]] LaneVector image_of(const std::string& name, const std::vector<LaneVector>& arguments,
                                  std::size_t lanes);
/// Of a function that is arithmetic: conversions, extremes, fused multiply-adds; else nullopt.
[[nodiscard]] std::optional<LaneVector> value_of_call(const std::string& name,
                                                      const std::vector<LaneVector>& arguments);

}  // namespace warpmind::agents::builtin
