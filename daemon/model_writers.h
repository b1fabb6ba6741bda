#pragma once
/// \file
/// Who writes the candidates of a job: the built-in proposer, a recording, or a language model with
/// its prompts, budgets and ledgers put together.

#include "agents/episode_service.h"
#include "base/clock.h"
#include "config/settings.h"
#include "knowledge_base/knowledge_base.h"

#include <memory>

namespace warpmind::daemon {

class ModelWriters {
 public:
  /// Takes the key out of the environment. The references must outlive it. Errors:
  /// invalid_argument for prompts that cannot be read.
  [[nodiscard]] static Result<std::unique_ptr<ModelWriters>> create(
      knowledge_base::KnowledgeBase& base, const config::Settings& settings, const Clock& clock);
  ~ModelWriters();
  ModelWriters(const ModelWriters&) = delete;
  ModelWriters& operator=(const ModelWriters&) = delete;

  /// For `request.proposer`; for "llm" the model that `request.model` names: the endpoint's when
  /// empty, "rules:FILE", "replay:FILE", "record:FILE" (the endpoint, written down), or another
  /// model of the endpoint. Errors: invalid_argument, not_found.
  [[nodiscard]] Result<agents::Writers> make(const JobRequest& request);

 private:
  struct Parts;
  explicit ModelWriters(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace warpmind::daemon
