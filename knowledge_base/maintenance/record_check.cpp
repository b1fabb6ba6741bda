#include "knowledge_base/maintenance/record_check.h"

#include "knowledge_base/insights/insight_codec.h"
#include "knowledge_base/job_records.h"
#include "knowledge_base/key_codec.h"
#include "knowledge_base/maintenance/projection_check.h"
#include "knowledge_base/packs/claim_log_records.h"
#include "knowledge_base/queue_agenda.h"
#include "knowledge_base/queue_records.h"
#include "knowledge_base/record_codec.h"
#include "knowledge_base/retrieval/lift_codec.h"
#include "knowledge_base/spending.h"

#include <cstdint>
#include <optional>
#include <utility>

namespace warpmind::knowledge_base {
namespace {

using References = std::vector<Reference>;

/// The kind byte of a key.
char kind_of(std::string_view key) { return key.empty() ? '\0' : key.front(); }

Error unknown_kind(Family family) {
  return {Errc::corrupt_data, "a key of family " + std::string(name_of(family)) +
                                  " is of a kind that this build does not know"};
}

/// Episode and position in the key of a step or measurement.
Result<std::pair<std::int64_t, std::size_t>> place_in_key(std::string_view key) {
  constexpr std::size_t kNumberEnd = 1 + 8;
  constexpr std::size_t kBytes = kNumberEnd + 4;
  const auto episode = number_in_key(key.substr(0, kNumberEnd));
  if (key.size() != kBytes || !episode) {
    return fail(Errc::corrupt_data, "the key of a step has another shape");
  }
  std::size_t position = 0;
  for (const char c : key.substr(kNumberEnd)) {
    position = (position << 8U) | static_cast<unsigned char>(c);
  }
  return std::pair(*episode, position);
}

std::string step_text(std::int64_t episode, std::size_t position) {
  return "step " + std::to_string(position) + " of episode " + std::to_string(episode);
}

Result<References> check_step(std::string_view key, std::string_view value) {
  WARPMIND_TRY(const auto place, place_in_key(key));
  WARPMIND_TRY(const auto stored, decode_step(value));
  const auto text = step_text(place.first, place.second);
  References found;
  found.push_back({Family::episodes, episode_key(place.first), "the episode of " + text});
  found.push_back({Family::kernels, kernel_key(stored.kernel), "the kernel of " + text});
  if (stored.measured) {
    found.push_back({Family::measurements, measurement_key(place.first, place.second),
                     "the measurement of " + text});
  }
  return found;
}

Result<References> check_measurement(std::string_view key, std::string_view value) {
  WARPMIND_TRY(const auto place, place_in_key(key));
  WARPMIND_TRY(const auto measurement, decode_measurement(value));
  (void)measurement;
  return References{{Family::steps, step_key(place.first, place.second),
                     "the measured " + step_text(place.first, place.second)}};
}

Result<References> check_transcript(std::string_view key, std::string_view value) {
  WARPMIND_TRY(const auto place, place_in_key(key));
  WARPMIND_TRY(const auto transcript, decode_transcript(value));
  (void)transcript;
  return References{{Family::episodes, episode_key(place.first),
                     "the episode of the transcript of " + step_text(place.first, place.second)}};
}

Result<References> check_episode(std::string_view key, std::string_view value) {
  WARPMIND_TRY(const auto stored, decode_episode(value));
  const auto number = number_in_key(key);
  if (!number || number_of(stored.episode.id) != number) {
    return fail(Errc::corrupt_data, "episode " + stored.episode.id.str() + " lies at another key");
  }
  References found;
  for (std::int64_t i = 0; i < stored.referenced_steps; ++i) {
    const auto position = static_cast<std::size_t>(i);
    found.push_back({Family::steps, step_key(*number, position), step_text(*number, position)});
  }
  if (stored.episode.split != Split::heldout) {
    found.push_back({Family::tasks, task_key(stored.episode.task),
                     "the task of episode " + stored.episode.id.str()});
  }
  return found;
}

Result<References> check_series(std::string_view value) {
  WARPMIND_TRY(const auto series, decode_series(value));
  const auto number = number_of(series.current);
  if (!number) return fail(Errc::corrupt_data, "a series of jobs names no job");
  return References{{Family::jobs, job_key(*number), "the newest job of a series"}};
}

Result<References> check_job(std::string_view key, std::string_view value) {
  const auto number = number_in_key(key);
  if (kind_of(key) == '\2') {
    WARPMIND_TRY(const auto same, decode_number(value));
    if (number != same) return fail(Errc::corrupt_data, "a key of unfinished jobs is damaged");
    return References{{Family::jobs, job_key(same), "unfinished job " + job_id(same).str()}};
  }
  if (is_draft_key(key)) {
    WARPMIND_TRY(const auto draft, decode_draft(value));
    const EpisodeId& id = draft.episode.id;
    if (number != number_of(id)) {
      return fail(Errc::corrupt_data, "the draft of " + id.str() + " lies at another key");
    }
    return References{{Family::jobs, unfinished_job_key(*number), "the unfinished job of a draft"}};
  }
  if (kind_of(key) == '\4') {
    const auto night = night_in_key(key);
    if (!night) return fail(Errc::corrupt_data, "a key of the jobs of a night is damaged");
    return References{{Family::jobs, job_key(night->second),
                       "job " + job_id(night->second).str() + " of the night " + night->first}};
  }
  WARPMIND_TRY(const auto stored, decode_job(value));
  if (!number || number_of(stored.job.id) != number) {
    return fail(Errc::corrupt_data, "job " + stored.job.id.str() + " lies at another key");
  }
  References found;
  if (stored.episode) {
    const auto episode = number_of(*stored.episode);
    if (!episode) return fail(Errc::corrupt_data, stored.job.id.str() + " names no episode id");
    found.push_back(
        {Family::episodes, episode_key(*episode), "the episode of job " + stored.job.id.str()});
  }
  if (is_unfinished(stored.job.state)) {
    found.push_back({Family::jobs, unfinished_job_key(*number),
                     "the mark of unfinished job " + stored.job.id.str()});
  }
  return found;
}

Result<References> check_task(std::string_view key, std::string_view value) {
  References found;
  if (kind_of(key) == '\2') {
    WARPMIND_TRY(const auto best, decode_best_kernel(value));
    found.push_back(
        {Family::kernels, kernel_key(best.kernel), "remembered kernel " + best.kernel.str()});
    if (const auto episode = number_of(best.episode)) {
      found.push_back({Family::episodes, episode_key(*episode),
                       "the episode of remembered kernel " + best.kernel.str()});
    }
  } else if (kind_of(key) == '\3') {
    WARPMIND_TRY(const auto count, decode_number(value));
    (void)count;
  } else {
    WARPMIND_TRY(const auto task, decode_task(value));
    if (key != task_key(task.id)) {
      return fail(Errc::corrupt_data, "task " + task.id.str() + " lies at another key");
    }
  }
  return found;
}

Result<References> check_kernel(std::string_view key, std::string_view value) {
  WARPMIND_TRY(const auto kernel, decode_kernel(value));
  if (key != kernel_key(id_of(kernel))) {
    return fail(Errc::corrupt_data, "kernel " + id_of(kernel).str() + " lies at another key");
  }
  return References{};
}

template <class T>
Result<References> without_references(const Result<T>& decoded) {
  if (!decoded) return fail(decoded.error());
  return References{};
}

Result<References> check_meta(std::string_view key, std::string_view value) {
  if (key == schema_key()) return without_references(decode_number(value));
  if (key == state_key()) return without_references(decode_state(value));
  if (key == log_era_key()) return without_references(decode_number(value));
  if (key.starts_with(heard_prefix())) return without_references(decode_heard(value));
  return fail(unknown_kind(Family::meta));
}

}  // namespace

Result<std::vector<Reference>> check_record(Family family, std::string_view key,
                                            std::string_view value) {
  switch (family) {
    case Family::tasks: return check_task(key, value);
    case Family::kernels: return check_kernel(key, value);
    case Family::measurements: return check_measurement(key, value);
    case Family::steps: return check_step(key, value);
    case Family::episodes: return check_episode(key, value);
    case Family::jobs: return check_job(key, value);
    case Family::log: return without_references(decode_log(value));
    case Family::meta: return check_meta(key, value);
    case Family::posteriors:
      return is_record_key(key) ? without_references(decode_posterior(value))
                                : without_references(decode_lift(value));
    case Family::techniques: return check_techniques(key, value);
    case Family::insights: return check_insights(key, value);
    case Family::edges: return check_edges(key, value);
    case Family::embeddings: return check_embeddings(key, value);
    case Family::terms: return check_terms(value);
    case Family::facts: return without_references(decode_fact(value));
    case Family::budgets:
      if (key == queue_rules_key()) return without_references(decode_queue_rules(value));
      if (key.starts_with(series_prefix())) return check_series(value);
      if (key.starts_with(proposal_prefix())) return without_references(decode_proposal(value));
      return without_references(decode_spending(value));
    case Family::transcripts: return check_transcript(key, value);
  }
  return fail(unknown_kind(family));
}

}  // namespace warpmind::knowledge_base
