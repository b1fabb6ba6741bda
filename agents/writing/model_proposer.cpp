#include "agents/writing/model_proposer.h"

#include "agents/writing/answer_parser.h"
#include "agents/writing/prompt_material.h"
#include "agents/writing/situation_text.h"
#include "agents/writing/task_text.h"
#include "agents/writing/technique_choice.h"
#include "base/model/verdict_reading.h"
#include "base/sequence.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace warpmind::agents::writing {
namespace {

constexpr double kFreeFormGain = 1.1;             // behind a technique with a better reason
constexpr std::int64_t kCandidatesOfKernel = 16;  // then no free form is offered any more

using config::SlotType;
using config::SlotValues;

bool is_repair(const Step& step) {
  return std::any_of(step.exchanges.begin(), step.exchanges.end(),
                     [](const Exchange& each) { return each.purpose == "repair"; });
}

/// How often the newest candidate was repaired already. Steps on other kernels may stand between.
std::int64_t repairs_so_far(const ProposalContext& context) {
  std::int64_t count = 0;
  const std::int64_t edited = context.steps.back().edited;
  for (auto step = context.steps.rbegin(); step != context.steps.rend(); ++step) {
    if (step->edited != edited) continue;
    if (!is_repair(*step)) break;
    ++count;
  }
  return count;
}

/// Candidates made from the kernel so far, without their repairs.
std::int64_t candidates_of(const ProposalContext& context) {
  return std::count_if(context.steps.begin(), context.steps.end(), [&](const Step& step) {
    return step.index > 0 && step.edited == static_cast<std::int64_t>(context.edited) &&
           !is_repair(step);
  });
}

std::string wanted_text(const Move& move) {
  if (move.technique == kFreeForm) {
    // Which attempt it is only tells moves apart.
    return "The one edit that you expect to gain most here, unlike those that were tried.";
  }
  return "Apply " + name_of_edit(move.technique, move.parameters) +
         ". If it cannot be applied to this kernel, apply the one technique that you expect to "
         "gain "
         "most, and name that.";
}

}  // namespace

std::vector<std::string> ModelProposer::techniques() const {
  std::vector<std::string> names;
  for (const auto& card : cards_) names.push_back(card.name);
  names.emplace_back(kFreeForm);
  return names;
}

std::vector<Move> ModelProposer::moves(const ProposalContext& context) const {
  std::vector<Move> all = technique_moves(cards_, context);
  // Every candidate is in the next prompt, so asking again is another question.
  const std::int64_t before = candidates_of(context);
  if (before < kCandidatesOfKernel) {
    all.push_back({std::string(kFreeForm),
                   before == 0 ? "" : "attempt=" + std::to_string(before + 1), kFreeFormGain});
  }
  return all;
}

std::string ModelProposer::known_technique(const std::string& said) const {
  for (const auto& card : cards_) {
    const bool alias = contains(card.aliases, said);
    if (card.name == said || alias) return card.name;
  }
  return std::string(kFreeForm);
}

Result<llm::ModelRequest> ModelProposer::request_for(const ProposalContext& context,
                                                     std::string purpose,
                                                     std::string question) const {
  llm::ModelRequest request;
  request.purpose = std::move(purpose);
  WARPMIND_TRY(std::string contract,
               prompts_.render(options_.structured ? "answer_structured" : "answer_fenced", {}));
  WARPMIND_TRY(
      request.system,
      prompts_.render("system", {{"answer_contract", {SlotType::text, std::move(contract)}}}));
  WARPMIND_TRY(std::string task,
               prompts_.render("task", task_slots(context.task, context.device,
                                                  fitting_cards(cards_, context.device))));
  request.messages = {{llm::Speaker::user, std::move(task)},
                      {llm::Speaker::user, std::move(question)}};
  if (options_.structured) {
    request.schema_name = "candidate";
    request.schema = candidate_schema();
  }
  request.max_output_tokens = options_.max_output_tokens;
  return request;
}

Result<Writing> ModelProposer::candidate_from(llm::ModelRequest request, const Move& meant,
                                              const ProposalContext& context,
                                              std::stop_token stop) {
  CallLog log;
  std::optional<Candidate> answer;
  const auto accept = [&](const std::string& text) -> Result<void> {
    WARPMIND_TRY(answer, parse_answer(text, context.kernel, context.task));
    return {};
  };
  WARPMIND_TRY(const AskOutcome asked,
               ask(model_, prompts_, std::move(request), accept, log, std::move(stop)));
  Writing writing;
  writing.spending = log.spending;
  writing.exchanges = std::move(log.exchanges);
  if (!asked.refused.empty() || !answer) {
    writing.note = name_of_edit(meant.technique, meant.parameters) + ": " + asked.refused;
    return writing;
  }
  answer->parent = id_of(context.kernel);
  answer->proposer = name();
  answer->technique = known_technique(answer->technique);
  answer->model = asked.model;
  writing.candidate = std::move(answer);
  return writing;
}

Result<Writing> ModelProposer::write(const Move& move, const ProposalContext& context,
                                     std::stop_token stop) {
  if (context.kernel.source.size() > kCandidateSourceLimit) {
    Writing none;
    none.note = "the kernel's source has " + std::to_string(context.kernel.source.size()) +
                " bytes; an answer may have " + std::to_string(kCandidateSourceLimit);
    return none;
  }
  SlotValues slots = kernel_slots(context);
  WARPMIND_TRY(std::string feedback,
               prompts_.render("feedback_performance", performance_slots(context)));
  slots["feedback"] = {SlotType::text, std::move(feedback)};
  slots["wanted"] = {SlotType::line, wanted_text(move)};
  WARPMIND_TRY(std::string question, prompts_.render("step", slots));
  WARPMIND_TRY(llm::ModelRequest request, request_for(context, "proposal", std::move(question)));
  return candidate_from(std::move(request), move, context, std::move(stop));
}

Result<Writing> ModelProposer::repair(const ProposalContext& context, std::stop_token stop) {
  Writing none;
  if (context.steps.empty()) return none;
  const Step& step = context.steps.back();
  const Outcome outcome = step.verdict.outcome;
  const bool unbuilt = outcome == Outcome::build_failed;
  const bool wrong = is_failure(outcome) && !unbuilt && outcome != Outcome::cheating;
  if (!unbuilt && !wrong) return none;
  if (repairs_so_far(context) >= options_.repairs) {
    none.note = "repaired " + std::to_string(options_.repairs) + " times already";
    return none;
  }
  const Candidate& candidate = step.candidate;
  WARPMIND_TRY(std::string feedback,
               prompts_.render("feedback_correctness", correctness_slots(context)));
  SlotValues slots{
      {"kernel_source", {SlotType::code, context.kernel.source}},
      {"launch_plan", {SlotType::data, describe_plan(context.kernel)}},
      {"technique", {SlotType::line, name_of_edit(candidate.technique, candidate.parameters)}},
      {"candidate_source", {SlotType::code, candidate.kernel.source}},
      {"candidate_plan", {SlotType::data, describe_plan(candidate.kernel)}},
      {"feedback", {SlotType::text, std::move(feedback)}}};
  slots[unbuilt ? "diagnostics" : "findings"] = {
      SlotType::data, unbuilt ? diagnostics_of(step.verdict) : findings_of(step.verdict)};
  WARPMIND_TRY(std::string question,
               prompts_.render(unbuilt ? "repair_build" : "repair_result", slots));
  WARPMIND_TRY(llm::ModelRequest request, request_for(context, "repair", std::move(question)));
  const Move meant{candidate.technique, candidate.parameters, 1};
  return candidate_from(std::move(request), meant, context, std::move(stop));
}

}  // namespace warpmind::agents::writing
