#pragma once
/// \file
/// Rewards of turns, as Kevin (arXiv 2507.11948) defines them.

#include <span>
#include <vector>

namespace warpmind::agents {

inline constexpr double kCorrectReward = 0.3;
inline constexpr double kDiscount = 0.4;

/// 0.3 + `speedup` (time of the given kernel / time of this one) of a right kernel, 0 of any other;
/// a cheat is not right.
[[nodiscard]] constexpr double turn_score(bool is_right, double speedup) {
  return is_right ? kCorrectReward + speedup : 0;
}

/// For each turn t the sum over i ≥ t of discount^(i - t) × score i.
[[nodiscard]] std::vector<double> discounted_returns(std::span<const double> scores,
                                                     double discount = kDiscount);

}  // namespace warpmind::agents
