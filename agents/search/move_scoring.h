#pragma once
/// \file
/// What is expected of an edit before it is tried: the proposer's guess, corrected by what the base
/// measured over such guesses before.

#include "agents/search/search_policy.h"
#include "base/model/advice.h"

namespace warpmind::agents {

/// What was measured of the very parameters takes the place of what is known of their technique.
/// Without measurements the guess stands: claims that nobody measured move nothing.
[[nodiscard]] ScoredMove scored(const Move& move, const Advice& advice);

/// What is expected of `move`, as the prediction of its candidate: gains as factors, 80 % interval.
struct Prediction {
  double gain = 1;
  double low = 1;
  double high = 1;
};
[[nodiscard]] Prediction prediction_of(const ScoredMove& move);

}  // namespace warpmind::agents
