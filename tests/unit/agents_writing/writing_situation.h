#pragma once
/// \file
/// An episode on a real task, made by hand up to its third step, and models to ask.

#include "agents/llm/language_model.h"
#include "agents/proposer.h"
#include "base/model/technique.h"
#include "config/prompt_library.h"

#include <deque>
#include <string>
#include <vector>

namespace warpmind::agents::writing {

/// tasks/row_softmax_f16 on an H200: a baseline, an edit that did not build, one that gained.
struct Situation {
  Situation();

  [[nodiscard]] ProposalContext context() const {
    return {task, task.kernel, bottleneck, advice, device, steps, 0};
  }
  /// After step 2 comes one that ended so.
  void add_failed_step(Outcome outcome, bool repaired = false);

  Task task;
  DeviceSpec device;
  Bottleneck bottleneck;
  Advice advice;
  std::vector<Technique> cards;
  std::vector<Step> steps;
};

/// An answer to a request for a candidate: the task's kernel with another body.
[[nodiscard]] std::string good_answer(const Situation& situation,
                                      const std::string& technique = "two_rows");

/// Gives the answers one after the other and keeps the requests.
class ListModel final : public llm::LanguageModel {
 public:
  explicit ListModel(std::deque<Result<llm::ModelReply>> answers) : answers_(std::move(answers)) {}

  [[nodiscard]] std::string name() const override { return "list"; }
  [[nodiscard]] Result<llm::ModelReply> complete(const llm::ModelRequest& request,
                                                 std::stop_token stop) override;

  std::vector<llm::ModelRequest> requests;

 private:
  std::deque<Result<llm::ModelReply>> answers_;
};

[[nodiscard]] llm::ModelReply reply_of(std::string text);

[[nodiscard]] const config::PromptLibrary& built_in_prompts();

}  // namespace warpmind::agents::writing
