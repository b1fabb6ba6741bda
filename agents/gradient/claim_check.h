#pragma once
/// \file
/// Holds what a critic claims against what was measured. Nothing that a model wrote is believed:
/// the numbers of the cited steps decide.

#include "base/model/episode.h"

#include <vector>

namespace warpmind::agents {

/// Fills `refused` of every claim that does not stand:
///   - it cites no step, a step that is not there, the given kernel, or a remembered kernel;
///   - it names another technique, parameters or bottleneck than a step that it cites had;
///   - its sign contradicts a cited measurement: "helps" of a step that did not gain, "does not
///     help" of one with a confirmed gain;
///   - the effect that it claims is not finite, or of the other sign than its kind;
///   - every step that it cites says nothing (inconclusive, blocked, unjudgeable).
/// Pure.
void check_claims(const Episode& episode, std::vector<CritiqueClaim>& claims);

/// Fills `refused` of every delta that does not stand: it rests on no claim or on a refused one,
/// names an insight that no step was shown, lacks what its kind needs, or merges an insight with
/// itself.
void check_deltas(const Episode& episode, const std::vector<CritiqueClaim>& claims,
                  std::vector<Delta>& deltas);

}  // namespace warpmind::agents
