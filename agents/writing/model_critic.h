#pragma once
/// \file
/// The critic that asks a language model what an episode taught. Steps are reviewed by rule: the
/// numbers are there, and a question for each of them would cost more than a candidate.

#include "agents/gradient/critic.h"
#include "agents/llm/language_model.h"
#include "config/prompt_library.h"

#include <cstdint>
#include <string>

namespace warpmind::agents::writing {

struct CritiqueOptions {
  bool structured = false;  ///< the endpoint holds answers to a JSON Schema
  std::int64_t max_output_tokens = 8'192;
};

/// Threads: as the model.
class ModelCritic final : public Critic {
 public:
  /// All must outlive the critic; `steps` reviews the steps.
  ModelCritic(llm::LanguageModel& model, const config::PromptLibrary& prompts, const Critic& steps,
              CritiqueOptions options = {})
      : model_(model), prompts_(prompts), steps_(steps), options_(options) {}

  [[nodiscard]] std::string name() const override { return "llm"; }
  [[nodiscard]] Gradient of_step(const StepView& view) const override {
    return steps_.of_step(view);
  }
  /// Claims as the model makes them, bounded in form only. Errors: those of the model;
  /// external_failure when two answers could not be read.
  [[nodiscard]] Result<EpisodeCritique> of_episode(const Task& task, const Episode& episode,
                                                   const std::vector<RetrievedInsight>& insights,
                                                   std::stop_token stop) override;

 private:
  llm::LanguageModel& model_;
  const config::PromptLibrary& prompts_;
  const Critic& steps_;
  CritiqueOptions options_;
};

}  // namespace warpmind::agents::writing
