#pragma once
/// \file
/// Who writes textual gradients: a critic says what a step, or a whole episode, taught. Feedback
/// only; what it claims is held against the measurements by code (claim_check.h), and what it asks
/// of the base passes the gate.

#include "agents/proposer.h"
#include "base/model/episode.h"
#include "base/result.h"

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace warpmind::agents {

/// One judged step. The references must outlive the call.
struct StepView {
  const Task& task;
  const DeviceSpec& device;
  const Step& edited;                    ///< whose kernel was edited
  const Step& step;                      ///< the newest; its `gradient` is what is asked for
  std::optional<Bottleneck> after = {};  ///< of the candidate, when it was profiled
};

/// What a critic says of an episode, before any check.
struct EpisodeCritique {
  std::vector<CritiqueClaim> claims;
  std::vector<Delta> deltas;  ///< on insights that were shown, and on technique cards
  ModelSpending spending = {};
  std::vector<Exchange> exchanges = {};
};

class Critic {
 public:
  virtual ~Critic() = default;

  [[nodiscard]] virtual std::string name() const = 0;
  /// Critique of one step, for whoever writes the next one. Never fails: numbers are always there.
  [[nodiscard]] virtual Gradient of_step(const StepView& view) const = 0;
  /// Critique of a finished episode; `insights` are those that its steps were shown.
  /// Errors: cancelled; unavailable and external_failure of a language model.
  [[nodiscard]] virtual Result<EpisodeCritique> of_episode(
      const Task& task, const Episode& episode, const std::vector<RetrievedInsight>& insights,
      std::stop_token stop) = 0;
};

}  // namespace warpmind::agents
