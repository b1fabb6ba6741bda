#include "agents/writing/model_critic.h"

#include "agents/writing/critique_parser.h"
#include "agents/writing/episode_digest.h"
#include "agents/writing/model_call.h"

#include <utility>

namespace warpmind::agents::writing {

Result<EpisodeCritique> ModelCritic::of_episode(const Task& task, const Episode& episode,
                                                const std::vector<RetrievedInsight>& insights,
                                                std::stop_token stop) {
  llm::ModelRequest request;
  request.purpose = "critique";
  WARPMIND_TRY(request.system, prompts_.render("critique_system", {}));
  WARPMIND_TRY(std::string question,
               prompts_.render("critique", critique_slots(task, episode, insights)));
  request.messages = {{llm::Speaker::user, std::move(question)}};
  if (options_.structured) {
    request.schema_name = "critique";
    request.schema = critique_schema();
  }
  request.max_output_tokens = options_.max_output_tokens;

  CallLog log;
  ParsedCritique parsed;
  const auto accept = [&](const std::string& text) -> Result<void> {
    WARPMIND_TRY(parsed, parse_critique(text));
    return {};
  };
  WARPMIND_TRY(const AskOutcome asked,
               ask(model_, prompts_, std::move(request), accept, log, std::move(stop)));
  if (!asked.refused.empty()) {
    return fail(Errc::external_failure, "the critique could not be used: " + asked.refused);
  }
  EpisodeCritique critique;
  critique.claims = std::move(parsed.claims);
  critique.deltas = std::move(parsed.deltas);
  critique.spending = log.spending;
  critique.exchanges = std::move(log.exchanges);
  return critique;
}

}  // namespace warpmind::agents::writing
