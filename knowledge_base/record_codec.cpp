// Drafts of episodes: a record of their own shape, read in that of older builds too.
#include "knowledge_base/record_codec.h"

#include "base/codec/json_guard.h"
#include "base/codec/model_json.h"
#include "knowledge_base/sealed_json.h"
#include "knowledge_base/source_blob.h"

#include <charconv>
#include <utility>

namespace warpmind::knowledge_base {
namespace {

using nlohmann::json;

template <class T>
Result<T> open_as(std::string_view bytes, std::string_view what) {
  WARPMIND_TRY(const auto value, open_json(bytes, what));
  return codec::from_json<T>(value, "stored " + std::string(what));
}

Result<Digest> digest_member(const json& object, const char* name) {
  WARPMIND_TRY(const auto text, member<std::string>(object, name, {}));
  return digest_from_hex(text);
}

}  // namespace

Result<Digest> digest_from_hex(std::string_view text) {
  Digest digest{};
  if (text.size() != digest.size() * 2) {
    return fail(Errc::corrupt_data,
                "stored digest has " + std::to_string(text.size()) + " characters instead of 64");
  }
  for (std::size_t i = 0; i < digest.size(); ++i) {
    const std::string_view pair = text.substr(2 * i, 2);
    const auto [end, error] = std::from_chars(pair.data(), pair.data() + 2, digest.at(i), 16);
    if (error != std::errc{} || end != pair.data() + 2) {
      return fail(Errc::corrupt_data, "stored digest holds something else than hex digits");
    }
  }
  return digest;
}

Result<std::string> encode_task(const Task& task) {
  json payload(task);
  payload.erase("kernel");  // the baseline of every episode has it; ids do not depend on it
  return seal(payload, "task");
}
Result<Task> decode_task(std::string_view bytes) { return open_as<Task>(bytes, "task"); }

Result<std::string> encode_kernel(const Kernel& kernel) {
  json header(kernel);
  header.erase("source");
  WARPMIND_TRY(auto bytes, seal(header, "kernel"));
  // [version][header length][header][zstd frame]: the source stays byte for byte what it was, also
  // where it is no UTF-8.
  WARPMIND_TRY(const auto packed, pack_source(std::string_view(bytes).substr(1), kernel.source));
  bytes.resize(1);
  return bytes + packed;
}

Result<Kernel> decode_kernel(std::string_view bytes) {
  WARPMIND_TRY(const auto payload, unseal(bytes, "kernel"));
  WARPMIND_TRY(auto parts, unpack_source(payload));
  WARPMIND_TRY(const auto header, codec::parse_json(parts.header));
  WARPMIND_TRY(auto kernel, codec::from_json<Kernel>(header, "stored kernel"));
  kernel.source = std::move(parts.source);
  return kernel;
}

Result<std::string> encode_measurement(const Measurement& measurement) {
  return seal(json(measurement), "measurement");
}
Result<Measurement> decode_measurement(std::string_view bytes) {
  return open_as<Measurement>(bytes, "measurement");
}

Result<std::string> encode_transcript(const std::vector<Exchange>& exchanges) {
  return seal(json{{"exchanges", exchanges}}, "transcript");
}
Result<std::vector<Exchange>> decode_transcript(std::string_view bytes) {
  WARPMIND_TRY(const auto payload, open_json(bytes, "transcript"));
  return member<std::vector<Exchange>>(payload, "exchanges", {});
}

Result<std::string> encode_step(const Step& step, const KernelId& kernel) {
  json payload(step);
  payload.erase("exchanges");
  payload["candidate"].erase("kernel");
  payload["verdict"].erase("measurement");
  payload["kernel"] = kernel.str();
  payload["measured"] = step.verdict.measurement.has_value();
  return seal(payload, "step");
}

Result<StoredStep> decode_step(std::string_view bytes) {
  WARPMIND_TRY(const auto payload, open_json(bytes, "step"));
  StoredStep stored;
  WARPMIND_TRY(stored.step, codec::from_json<Step>(payload, "stored step"));
  WARPMIND_TRY(const auto kernel, member<std::string>(payload, "kernel", {}));
  stored.kernel = KernelId(kernel);
  WARPMIND_TRY(stored.measured, member(payload, "measured", false));
  return stored;
}

Result<std::string> encode_episode(const Episode& episode) {
  json payload(episode);
  if (episode.split != Split::heldout) {
    payload["referenced_steps"] = episode.steps.size();
    payload.erase("steps");
    payload.erase("critique");
  }
  return seal(payload, "episode");
}

Result<StoredEpisode> decode_episode(std::string_view bytes) {
  WARPMIND_TRY(const auto payload, open_json(bytes, "episode"));
  StoredEpisode stored;
  WARPMIND_TRY(stored.episode, codec::from_json<Episode>(payload, "stored episode"));
  WARPMIND_TRY(stored.referenced_steps, member<std::int64_t>(payload, "referenced_steps", 0));
  return stored;
}

Result<std::string> encode_job(const StoredJob& stored) {
  json payload(stored.job);
  payload.erase("episode");
  if (stored.episode) payload["episode_id"] = stored.episode->str();
  return seal(payload, "job");
}

Result<StoredJob> decode_job(std::string_view bytes) {
  WARPMIND_TRY(const auto payload, open_json(bytes, "job"));
  StoredJob stored;
  WARPMIND_TRY(stored.job, codec::from_json<Job>(payload, "stored job"));
  WARPMIND_TRY(const auto episode, member<std::string>(payload, "episode_id", {}));
  if (!episode.empty()) stored.episode = EpisodeId(episode);
  return stored;
}

Result<std::string> encode_best_kernel(const BestKernel& best) {
  return seal({{"kernel", best.kernel},
               {"baseline", best.baseline},
               {"episode", best.episode},
               {"provider", best.provider},
               {"device", best.device},
               {"architecture", best.architecture},
               {"speedup", best.speedup},
               {"techniques", best.techniques},
               {"median_ns", best.median_ns},
               {"workload", best.workload},
               {"harness", best.harness}},
              "remembered kernel");
}

Result<BestKernel> decode_best_kernel(std::string_view bytes) {
  WARPMIND_TRY(const auto payload, open_json(bytes, "remembered kernel"));
  BestKernel best;
  WARPMIND_TRY(best.kernel, member(payload, "kernel", best.kernel));
  WARPMIND_TRY(best.baseline, member(payload, "baseline", best.baseline));
  WARPMIND_TRY(best.episode, member(payload, "episode", best.episode));
  WARPMIND_TRY(best.provider, member(payload, "provider", best.provider));
  WARPMIND_TRY(best.device, member(payload, "device", best.device));
  WARPMIND_TRY(best.architecture, member(payload, "architecture", best.architecture));
  WARPMIND_TRY(best.speedup, member(payload, "speedup", best.speedup));
  WARPMIND_TRY(best.techniques, member(payload, "techniques", best.techniques));
  WARPMIND_TRY(best.median_ns, member(payload, "median_ns", best.median_ns));
  WARPMIND_TRY(best.workload, member(payload, "workload", best.workload));
  WARPMIND_TRY(best.harness, member(payload, "harness", best.harness));
  return best;
}

Result<std::string> encode_posterior(const PosteriorCounts& counts) {
  return seal(json_of(counts), "posterior");
}

Result<PosteriorCounts> decode_posterior(std::string_view bytes) {
  WARPMIND_TRY(const auto payload, open_json(bytes, "posterior"));
  return counts_of(payload);
}

Result<std::string> encode_log(const LogRecord& record) {
  return seal({{"kind", record.kind},
               {"at", record.at},
               {"ids", record.ids},
               {"digest", to_hex(record.digest)},
               {"chain", to_hex(record.chain)}},
              "log record");
}

Result<LogRecord> decode_log(std::string_view bytes) {
  WARPMIND_TRY(const auto payload, open_json(bytes, "log record"));
  LogRecord record;
  WARPMIND_TRY(record.kind, member(payload, "kind", record.kind));
  WARPMIND_TRY(record.at, member(payload, "at", record.at));
  WARPMIND_TRY(record.ids, member(payload, "ids", record.ids));
  WARPMIND_TRY(record.digest, digest_member(payload, "digest"));
  WARPMIND_TRY(record.chain, digest_member(payload, "chain"));
  return record;
}

Result<std::string> encode_state(const StoreState& state) {
  return seal({{"last_sequence", state.last_sequence},
               {"next_job", state.next_job},
               {"chain", to_hex(state.chain)},
               {"records", state.records},
               {"episodes_by_outcome", state.episodes_by_outcome},
               {"base_id", state.base_id},
               {"next_document", state.next_document},
               {"seed_version", state.seed_version},
               {"rebuild_position", state.rebuild_position}},
              "state");
}

Result<StoreState> decode_state(std::string_view bytes) {
  WARPMIND_TRY(const auto payload, open_json(bytes, "state"));
  StoreState state;
  WARPMIND_TRY(state.last_sequence, member(payload, "last_sequence", state.last_sequence));
  WARPMIND_TRY(state.next_job, member(payload, "next_job", state.next_job));
  WARPMIND_TRY(state.chain, digest_member(payload, "chain"));
  WARPMIND_TRY(state.records, member(payload, "records", state.records));
  WARPMIND_TRY(state.episodes_by_outcome,
               member(payload, "episodes_by_outcome", state.episodes_by_outcome));
  WARPMIND_TRY(state.base_id, member(payload, "base_id", state.base_id));
  WARPMIND_TRY(state.next_document, member(payload, "next_document", state.next_document));
  WARPMIND_TRY(state.seed_version, member(payload, "seed_version", state.seed_version));
  WARPMIND_TRY(state.rebuild_position, member(payload, "rebuild_position", state.rebuild_position));
  return state;
}

Result<std::string> encode_number(std::int64_t value) { return seal({{"value", value}}, "number"); }

Result<std::int64_t> decode_number(std::string_view bytes) {
  WARPMIND_TRY(const auto payload, open_json(bytes, "number"));
  return member<std::int64_t>(payload, "value", 0);
}

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
