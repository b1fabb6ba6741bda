#pragma once
/// \file
/// The only loop: baseline → bottleneck → advice → move → candidate → verdict → step, until the
/// budget is spent.

#include "agents/episode_service.h"
#include "agents/insight_advice.h"
#include "agents/proposer.h"
#include "base/model/episode.h"

#include <memory>

namespace warpmind::agents {

/// What an episode works with. The references must outlive the runner.
struct EpisodeParts {
  profilers::KernelLab& lab;
  const knowledge_base::KnowledgeStore& store;  ///< read only: the write-back comes after the loop
  Proposer& proposer;
  const config::DeviceTable& devices;
  const Clock& clock;
  MemoryUse memory = {};
};

class EpisodeRunner {
 public:
  explicit EpisodeRunner(EpisodeParts parts) : parts_(parts) {}

  /// Runs one episode. A bad baseline ends it with that outcome. A stop ends it with the steps so
  /// far once the baseline is in. Errors: cancelled before the baseline; what lab and store refuse.
  [[nodiscard]] Result<Episode> run(const Job& job, const RunControl& control);

 private:
  struct State;

  [[nodiscard]] Result<void> judge_baseline(State& state);
  [[nodiscard]] Result<void> try_remembered(State& state);
  [[nodiscard]] Result<bool> try_next_move(State& state);
  [[nodiscard]] Result<void> judge_candidate(State& state, Candidate candidate);
  [[nodiscard]] Result<void> refresh_advice(State& state);
  [[nodiscard]] Result<void> recall(State& state);
  [[nodiscard]] Result<void> compare_best(State& state);
  void report(const State& state, std::string line) const;

  EpisodeParts parts_;
};

}  // namespace warpmind::agents
