// Drafts of episodes: a record of their own shape, read in that of older builds too.

#include "base/codec/model_json.h"
#include "knowledge_base/record_codec.h"
#include "knowledge_base/sealed_json.h"

#include <utility>

namespace warpmind::knowledge_base {
namespace {

using nlohmann::json;

json json_of_turn(const Turn& turn) {
  json value{{"kind", turn.kind},
             {"end", turn.end},
             {"edited", turn.edited},
             {"technique", turn.technique},
             {"parameters", turn.parameters},
             {"step", turn.step}};
  if (turn.spending != ModelSpending{}) value["spending"] = turn.spending;
  return value;
}

Result<Turn> turn_of(const json& value) {
  if (!value.is_object()) return fail(Errc::corrupt_data, "a turn of a stored draft is no object");
  Turn turn;
  WARPMIND_TRY(turn.kind, member(value, "kind", turn.kind));
  WARPMIND_TRY(turn.end, member(value, "end", turn.end));
  WARPMIND_TRY(turn.edited, member(value, "edited", turn.edited));
  WARPMIND_TRY(turn.technique, member(value, "technique", turn.technique));
  WARPMIND_TRY(turn.parameters, member(value, "parameters", turn.parameters));
  WARPMIND_TRY(turn.step, member(value, "step", turn.step));
  WARPMIND_TRY(turn.spending, member(value, "spending", turn.spending));
  return turn;
}

}  // namespace

Result<std::string> encode_draft(const Draft& draft) {
  json turns = json::array();
  for (const auto& turn : draft.turns) turns.push_back(json_of_turn(turn));
  return seal({{"episode", draft.episode},
               {"epoch", draft.epoch},
               {"turns", std::move(turns)},
               {"cost", draft.cost},
               {"job_spent", draft.job_spent}},
              "draft");
}

Result<Draft> decode_draft(std::string_view bytes) {
  WARPMIND_TRY(const auto record, open_json(bytes, "draft"));
  Draft draft;
  if (!record.contains("episode")) {  // of a build that kept the episode alone
    WARPMIND_TRY(draft.episode, codec::from_json<Episode>(record, "stored draft"));
    return draft;
  }
  WARPMIND_TRY(draft.episode, member(record, "episode", draft.episode));
  WARPMIND_TRY(draft.epoch, member(record, "epoch", draft.epoch));
  WARPMIND_TRY(draft.cost, member(record, "cost", draft.cost));
  WARPMIND_TRY(draft.job_spent, member(record, "job_spent", draft.job_spent));
  const auto turns = record.find("turns");
  if (turns == record.end()) return draft;
  if (!turns->is_array())
    return fail(Errc::corrupt_data, "the turns of a stored draft are no list");
  for (const auto& value : *turns) {
    WARPMIND_TRY(auto turn, turn_of(value));
    draft.turns.push_back(std::move(turn));
  }
  return draft;
}

}  // namespace warpmind::knowledge_base
