#include "knowledge_base/write_back.h"

#include "knowledge_base/fault_points.h"
#include "knowledge_base/insights/critique.h"
#include "knowledge_base/insights/insight_writer.h"
#include "knowledge_base/job_records.h"
#include "knowledge_base/key_codec.h"
#include "knowledge_base/lease_fence.h"
#include "knowledge_base/record_codec.h"

namespace warpmind::knowledge_base {
namespace {

constexpr std::size_t kMostSteps = 100'000;

/// Adds a record that several episodes may share, unless it is there.
Result<bool> add_once(ChangeSet& change, Family family, const std::string& key, std::string bytes) {
  WARPMIND_TRY(const auto stored, change.get(family, key));
  if (stored) return false;
  change.add(family, key, std::move(bytes));
  return true;
}

Result<void> write_records(ChangeSet& change, PreparedEpisode& prepared,
                           WriteBackReceipt& receipt) {
  for (auto& [id, bytes] : prepared.kernels) {
    WARPMIND_TRY(const bool added,
                 add_once(change, Family::kernels, kernel_key(id), std::move(bytes)));
    if (added) ++receipt.kernels;
  }
  for (std::size_t i = 0; i < prepared.steps.size(); ++i) {
    change.add(Family::steps, step_key(prepared.number, i), std::move(prepared.steps[i]));
    ++receipt.steps;
  }
  for (auto& [position, bytes] : prepared.measurements) {
    change.add(Family::measurements, measurement_key(prepared.number, position), std::move(bytes));
    ++receipt.measurements;
  }
  for (auto& [position, bytes] : prepared.transcripts) {
    change.add(Family::transcripts, transcript_key(prepared.number, position), std::move(bytes));
  }
  return {};
}

/// What the episode says, in the projections and as insights; `ids` gets those it touched.
Result<void> teach(ChangeSet& change, const Episode& episode, EpisodeFacts facts,
                   WriteBackReceipt& receipt, std::vector<std::string>& ids) {
  WARPMIND_TRY(auto projected, project_episode(change, episode, std::move(facts)));
  receipt.lessons = std::move(projected.lessons);
  InsightWriter writer(change);
  WARPMIND_TRY(const auto harmful, writer.quarantine_harmful(projected.harmful, episode.finished));
  // The critic's words first: what the steps teach then confirms them.
  WARPMIND_TRY(const auto reflected, apply_critique(change, writer, episode));
  WARPMIND_TRY(const auto learned, learn_insights(writer, episode));
  receipt.lessons.insert(receipt.lessons.end(), harmful.begin(), harmful.end());
  receipt.lessons.insert(receipt.lessons.end(), reflected.begin(), reflected.end());
  receipt.lessons.insert(receipt.lessons.end(), learned.begin(), learned.end());
  for (const auto& id : writer.touched()) ids.push_back(id.str());
  return {};
}

/// Steps, kernels and measurements of their own, as an episode that teaches has them.
Result<void> prepare_parts(const Episode& episode, PreparedEpisode& prepared) {
  const auto& ids = prepared.facts.kernels;
  for (std::size_t i = 0; i < episode.steps.size(); ++i) {
    const Step& step = episode.steps[i];
    WARPMIND_TRY(auto bytes, encode_step(step, ids[i]));
    prepared.steps.push_back(std::move(bytes));
    if (step.verdict.measurement) {
      WARPMIND_TRY(prepared.measurements[i], encode_measurement(*step.verdict.measurement));
    }
    auto& kernel = prepared.kernels[ids[i]];
    if (kernel.empty()) {
      WARPMIND_TRY(kernel, encode_kernel(step.candidate.kernel));
    }
    if (step.exchanges.empty()) continue;
    WARPMIND_TRY(prepared.transcripts[i], encode_transcript(step.exchanges));
  }
  if (!episode.critique.empty()) {
    WARPMIND_TRY(prepared.transcripts[episode.steps.size()], encode_transcript(episode.critique));
  }
  return {};
}

}  // namespace

std::int64_t PreparedEpisode::bytes() const {
  std::size_t sum = record.size() + task.size();
  for (const auto& step : steps) sum += step.size();
  for (const auto& [position, measurement] : measurements) sum += measurement.size();
  for (const auto& [id, kernel] : kernels) sum += kernel.size();
  for (const auto& [position, transcript] : transcripts) sum += transcript.size();
  return static_cast<std::int64_t>(sum);
}

Result<PreparedEpisode> prepare(const Episode& episode, const Job& job) {
  const auto number = number_of(episode.id);
  if (!number) {
    return fail(Errc::invalid_argument,
                "episode id '" + episode.id.str() + "' is not e- and the ten digits of its job");
  }
  if (episode.steps.size() > kMostSteps) {
    return fail(Errc::invalid_argument, "episode " + episode.id.str() + " has " +
                                            std::to_string(episode.steps.size()) +
                                            " steps, the limit is " + std::to_string(kMostSteps));
  }
  PreparedEpisode prepared;
  prepared.number = *number;
  WARPMIND_TRY(prepared.record, encode_episode(episode));
  if (episode.split == Split::heldout) return prepared;
  prepared.facts = facts_of(episode);
  WARPMIND_CHECK(prepare_parts(episode, prepared));
  WARPMIND_TRY(prepared.task, encode_task(job.request.task));
  return prepared;
}

Result<WriteBackReceipt> write_back(ChangeSet& change, PreparedEpisode prepared,
                                    const Episode& episode, const Job& job) {
  if (is_unfinished(job.state)) {
    return fail(Errc::invalid_argument, "job " + job.id.str() + " cannot end in state " +
                                            std::string(warpmind::name_of(job.state)) +
                                            "; use done or cancelled");
  }
  const std::string key = episode_key(prepared.number);
  WARPMIND_TRY(const auto stored, change.get(Family::episodes, key));
  if (stored) {
    return fail(Errc::conflict, "episode " + episode.id.str() + " is already in the base");
  }
  WARPMIND_TRY(auto ended, load_job(change, job.id));
  if (ended.episode && !fault::seeded(SeededBug::unfenced_commit)) {
    return fail(Errc::conflict,
                "job " + job.id.str() + " already ended with episode " + ended.episode->str());
  }
  if (!fault::seeded(SeededBug::unfenced_commit)) {
    WARPMIND_CHECK(require_lease(ended.job, job));
  }
  std::vector<std::string> ids{episode.id.str(), job.id.str()};
  WriteBackReceipt receipt;
  receipt.sequence = change.sequence();
  change.add(Family::episodes, key, std::move(prepared.record));
  ++change.state().episodes_by_outcome[std::string(warpmind::name_of(episode.outcome))];
  if (episode.split != Split::heldout) {
    WARPMIND_CHECK(write_records(change, prepared, receipt));
    WARPMIND_TRY(const bool new_task,
                 add_once(change, Family::tasks, task_key(episode.task), std::move(prepared.task)));
    (void)new_task;
    WARPMIND_CHECK(teach(change, episode, std::move(prepared.facts), receipt, ids));
  }
  take_bookkeeping(ended.job, job);
  ended.job.receipt = receipt;
  ended.episode = episode.id;
  if (!fault::seeded(SeededBug::two_batches)) WARPMIND_CHECK(save_job(change, ended));
  change.describe("episode", std::move(ids));
  return receipt;
}

}  // namespace warpmind::knowledge_base
