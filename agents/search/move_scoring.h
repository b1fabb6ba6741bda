#pragma once
/// \file
/// What is expected of an edit before it is tried: the proposer's guess, what the base has measured
/// of the technique and of its parameters, and what the shown insights say of the very edit.

#include "agents/search/search_policy.h"
#include "base/model/advice.h"

#include <string>

namespace warpmind::agents {

/// Guess and evidence are weighed like measurements: the guess counts as two, an insight by its
/// state (insight_advice.h). What the base measured of the very parameters takes the place of what
/// it knows of their technique; either counts as many as there are, and less where its interval is
/// wide. Of a technique without parameters the narrowest evidence counts as many as it has.
/// `previous` is the technique that made the kernel, empty for the given one.
[[nodiscard]] ScoredMove scored(const Move& move, const Advice& advice,
                                const std::string& previous);

/// What is expected of `move`, as the prediction of its candidate: gains as factors, 80 % interval.
struct Prediction {
  double gain = 1;
  double low = 1;
  double high = 1;
};
[[nodiscard]] Prediction prediction_of(const ScoredMove& move);

}  // namespace warpmind::agents
