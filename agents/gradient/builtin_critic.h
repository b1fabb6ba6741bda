#pragma once
/// \file
/// The critic without a model: words made of numbers, by rule. The same episode gives the same
/// critique, byte for byte.

#include "agents/gradient/critic.h"

namespace warpmind::agents {

class BuiltinCritic final : public Critic {
 public:
  [[nodiscard]] std::string name() const override { return "builtin critic"; }
  [[nodiscard]] Gradient of_step(const StepView& view) const override;
  /// Per technique and bottleneck: a positive claim of its best confirmed gain; a negative one of
  /// two tries or more without any. Per technique that gained at one bottleneck and at another one
  /// did not: a precondition. No deltas but the additions of preconditions: what its other claims
  /// say, write-back learns from the steps themselves.
  [[nodiscard]] Result<EpisodeCritique> of_episode(const Task& task, const Episode& episode,
                                                   const std::vector<RetrievedInsight>& insights,
                                                   std::stop_token stop) override;
};

}  // namespace warpmind::agents
