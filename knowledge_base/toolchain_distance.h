#pragma once
/// \file
/// How far two toolchains are apart, and how much less the evidence of one says about the other.

#include "base/model/posterior_counts.h"

#include <string_view>

namespace warpmind::knowledge_base {

/// Releases between two toolkits: minor releases within a major one, 4 for each major release
/// crossed, 1/4 for a patch. 0 where one of them is unknown.
[[nodiscard]] double toolkit_distance(std::string_view a, std::string_view b);
/// Branches between two drivers, which are numbered in fives; 1/4 within a branch. 1 where they
/// differ but are no versions that can be compared; 0 where one of them is unknown.
[[nodiscard]] double driver_distance(std::string_view a, std::string_view b);

inline constexpr double kVariancePerToolkit = 0.15;
inline constexpr double kVariancePerDriver = 0.05;
/// However old the evidence: the interval of ln(gain) at most doubles.
inline constexpr double kMostVarianceFactor = 4;

/// By what the variance of a prediction is multiplied when its evidence was last seen under `seen`
/// and the question is about `now`: 1 for the same toolchain, at most kMostVarianceFactor.
[[nodiscard]] double variance_factor(const Toolchain& seen, const Toolchain& now);

}  // namespace warpmind::knowledge_base
