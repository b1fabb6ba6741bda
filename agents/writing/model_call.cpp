#include "agents/writing/model_call.h"

#include "agents/llm/scripted/request_hash.h"
#include "agents/writing/quoted_text.h"

#include <utility>

namespace warpmind::agents::writing {
namespace {

constexpr int kAttempts = 2;
constexpr std::size_t kShownAnswerBytes = 64UL << 10;  // of a refused answer, to its author
constexpr std::size_t kReasonBytes = 1000;

void add(CallLog& log, const llm::ModelRequest& request, const llm::ModelReply& reply) {
  ModelSpending& sum = log.spending;
  sum.add(reply.usage);
  ++sum.calls;
  sum.reasoning_tokens += reply.usage.reasoning_tokens;
  sum.micro_usd += reply.usage.micro_usd;
  sum.seconds += reply.seconds;
  log.exchanges.push_back({request.purpose, reply.model, llm::hash_of(request),
                           request.messages.empty() ? "" : request.messages.back().text,
                           reply.reasoning, reply.text});
}

std::string refusal_of(const llm::ModelRequest& request, const llm::ModelReply& reply,
                       const AcceptAnswer& accept) {
  if (reply.stop == llm::StopReason::length) {
    return "the answer was cut at the output limit of " +
           std::to_string(request.max_output_tokens) + " tokens; answer shorter";
  }
  const auto accepted = accept(reply.text);
  return accepted ? "" : accepted.error().message;
}

/// The same conversation, with the answer and why it could not be used.
Result<llm::ModelRequest> asked_again(const config::PromptLibrary& prompts,
                                      llm::ModelRequest request, const llm::ModelReply& reply,
                                      const std::string& refused) {
  std::string answer = quoted_text(reply.text, kShownAnswerBytes);
  if (answer.empty()) answer = "(no answer)";  // servers refuse an empty message
  WARPMIND_TRY(
      std::string text,
      prompts.render("reask",
                     {{"reason", {config::SlotType::data, quoted_text(refused, kReasonBytes)}}}));
  request.messages.push_back({llm::Speaker::assistant, std::move(answer)});
  request.messages.push_back({llm::Speaker::user, std::move(text)});
  return request;
}

}  // namespace

Result<AskOutcome> ask(llm::LanguageModel& model, const config::PromptLibrary& prompts,
                       llm::ModelRequest request, const AcceptAnswer& accept, CallLog& log,
                       std::stop_token stop) {
  AskOutcome outcome;
  for (int attempt = 1; attempt <= kAttempts; ++attempt) {
    auto reply = model.complete(request, stop);
    if (!reply) {
      if (attempt == 1 || reply.error().code == Errc::cancelled) return fail(reply.error());
      outcome.refused += "; asked again: " + reply.error().message;
      return outcome;
    }
    add(log, request, *reply);
    outcome.model = reply->model;
    if (reply->stop == llm::StopReason::refusal) {
      outcome.refused = "the model would not answer";
      return outcome;
    }
    outcome.refused = refusal_of(request, *reply, accept);
    if (outcome.refused.empty() || attempt == kAttempts) return outcome;
    WARPMIND_TRY(request, asked_again(prompts, std::move(request), *reply, outcome.refused));
  }
  return outcome;
}

}  // namespace warpmind::agents::writing
