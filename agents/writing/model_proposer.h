#pragma once
/// \file
/// The proposer that asks a language model: renders a prompt, reads the answer strictly, and has
/// failed candidates repaired. Prompts and limits: docs/writing.md.

#include "agents/llm/language_model.h"
#include "agents/proposer.h"
#include "agents/writing/model_call.h"
#include "base/model/technique.h"
#include "config/prompt_library.h"

#include <cstdint>
#include <string>
#include <vector>

namespace warpmind::agents::writing {

/// The technique of a candidate that follows no card.
inline constexpr std::string_view kFreeForm = "free_form";

struct WritingOptions {
  bool structured = false;  ///< the endpoint holds answers to a JSON Schema
  std::int64_t max_output_tokens = 16'384;
  std::int64_t repairs = 2;  ///< of one candidate, one after the other
};

/// Threads: write() and repair() may be called from several at once.
class ModelProposer final : public Proposer {
 public:
  /// `model` and `prompts` must outlive the proposer. `cards` are the techniques that it offers.
  ModelProposer(llm::LanguageModel& model, const config::PromptLibrary& prompts,
                std::vector<Technique> cards, WritingOptions options = {})
      : model_(model), prompts_(prompts), cards_(std::move(cards)), options_(options) {}

  [[nodiscard]] std::string name() const override { return "llm"; }
  [[nodiscard]] std::vector<std::string> techniques() const override;
  /// The best techniques for the bottleneck by memory and cards, at most 8, then free_form, which
  /// can be asked for again after each candidate, until a kernel has had 16.
  [[nodiscard]] std::vector<Move> moves(const ProposalContext& context) const override;
  /// Errors: those of the model, of which cancelled, unavailable and external_failure are the
  /// caller's to expect.
  [[nodiscard]] Result<Writing> write(const Move& move, const ProposalContext& context,
                                      std::stop_token stop) override;
  /// Candidates that did not build, were wrong, crashed or timed out; not those that cheated.
  [[nodiscard]] Result<Writing> repair(const ProposalContext& context,
                                       std::stop_token stop) override;

 private:
  [[nodiscard]] Result<llm::ModelRequest> request_for(const ProposalContext& context,
                                                      std::string purpose,
                                                      std::string question) const;
  [[nodiscard]] Result<Writing> candidate_from(llm::ModelRequest request, const Move& meant,
                                               const ProposalContext& context,
                                               std::stop_token stop);
  [[nodiscard]] std::string known_technique(const std::string& said) const;

  llm::LanguageModel& model_;
  const config::PromptLibrary& prompts_;
  std::vector<Technique> cards_;
  WritingOptions options_;
};

}  // namespace warpmind::agents::writing
