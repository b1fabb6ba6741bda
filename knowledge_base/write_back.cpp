#include "knowledge_base/write_back.h"

#include "knowledge_base/job_records.h"
#include "knowledge_base/key_codec.h"
#include "knowledge_base/record_codec.h"

namespace warpmind::knowledge_base {
namespace {

constexpr std::size_t kMostSteps = 100'000;

Result<PosteriorCounts> load_counts(const ChangeSet& change, const std::string& key) {
  WARPMIND_TRY(const auto bytes, change.get(Family::posteriors, key));
  if (!bytes) return PosteriorCounts{};
  return decode_posterior(*bytes);
}

/// Adds to all levels of the chain; returns the counts of the narrowest one.
Result<PosteriorCounts> learn(ChangeSet& change, const Evidence& evidence) {
  PosteriorCounts narrowest;
  for (const auto& level : chain_of(evidence.scope)) {
    const std::string key = posterior_key(level);
    WARPMIND_TRY(auto counts, load_counts(change, key));
    const bool known = !counts.empty();
    add(counts, evidence);
    WARPMIND_TRY(auto bytes, encode_posterior(counts));
    if (known) {
      change.put(Family::posteriors, key, std::move(bytes));
    } else {
      change.add(Family::posteriors, key, std::move(bytes));
    }
    narrowest = counts;
  }
  return narrowest;
}

/// One lesson a technique and bottleneck, in the order first tried, with the final numbers.
Result<std::vector<std::string>> learn_all(ChangeSet& change, const std::vector<Evidence>& all) {
  std::vector<std::pair<PosteriorScope, PosteriorCounts>> touched;
  for (const auto& evidence : all) {
    WARPMIND_TRY(const auto counts, learn(change, evidence));
    const auto key = chain_of(evidence.scope).back();
    auto found = touched.begin();
    while (found != touched.end() && chain_of(found->first).back() != key) ++found;
    if (found == touched.end()) {
      touched.emplace_back(evidence.scope, counts);
    } else {
      found->second = counts;
    }
  }
  std::vector<std::string> lessons;
  lessons.reserve(touched.size());
  for (const auto& [scope, counts] : touched) lessons.push_back(lesson_of(scope, counts));
  return lessons;
}

Result<void> count_episode(ChangeSet& change, const Episode& episode) {
  const std::string key = episode_count_key(episode.task, episode.provider);
  WARPMIND_TRY(const auto bytes, change.get(Family::tasks, key));
  std::int64_t seen = 0;
  if (bytes) {
    WARPMIND_TRY(seen, decode_number(*bytes));
  }
  WARPMIND_TRY(auto counted, encode_number(seen + 1));
  change.put(Family::tasks, key, std::move(counted));
  return {};
}

Result<void> remember_best(ChangeSet& change, const TaskId& task, BestOffer offer) {
  const Provider provider = offer.best.provider;
  WARPMIND_TRY(const auto stored, change.values(Family::tasks, best_kernel_prefix(task, provider)));
  std::vector<BestKernel> known;
  for (const auto& bytes : stored) {
    WARPMIND_TRY(auto decoded, decode_best_kernel(bytes));
    known.push_back(std::move(decoded));
  }
  const BestKernel best = with_inherited_techniques(std::move(offer), known);
  for (const auto& old : known) {
    if (old.device == best.device && !replaces(best, old)) return {};
  }
  WARPMIND_TRY(auto bytes, encode_best_kernel(best));
  change.put(Family::tasks, best_kernel_key(task, provider, best.device), std::move(bytes));
  return {};
}

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
  return {};
}

/// Steps, kernels and measurements of their own, as an episode that teaches has them.
Result<void> prepare_parts(const Episode& episode, PreparedEpisode& prepared) {
  const auto ids = kernel_ids(episode);
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
  }
  prepared.evidence = evidence_of(episode);
  prepared.offer = best_offer(episode, ids);
  return {};
}

}  // namespace

std::int64_t PreparedEpisode::bytes() const {
  std::size_t sum = record.size() + task.size();
  for (const auto& step : steps) sum += step.size();
  for (const auto& [position, measurement] : measurements) sum += measurement.size();
  for (const auto& [id, kernel] : kernels) sum += kernel.size();
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
  if (ended.episode) {
    return fail(Errc::conflict,
                "job " + job.id.str() + " already ended with episode " + ended.episode->str());
  }
  WriteBackReceipt receipt;
  receipt.sequence = change.sequence();
  change.add(Family::episodes, key, std::move(prepared.record));
  ++change.state().episodes_by_outcome[std::string(warpmind::name_of(episode.outcome))];
  if (episode.split != Split::heldout) {
    WARPMIND_CHECK(write_records(change, prepared, receipt));
    WARPMIND_TRY(const bool new_task,
                 add_once(change, Family::tasks, task_key(episode.task), std::move(prepared.task)));
    (void)new_task;
    WARPMIND_CHECK(count_episode(change, episode));
    if (prepared.offer) {
      WARPMIND_CHECK(remember_best(change, episode.task, std::move(*prepared.offer)));
    }
    WARPMIND_TRY(receipt.lessons, learn_all(change, prepared.evidence));
  }
  ended.job.state = job.state;
  ended.job.attempts = job.attempts;
  ended.job.error = job.error;
  ended.job.receipt = receipt;
  ended.episode = episode.id;
  WARPMIND_CHECK(save_job(change, ended));
  change.describe("episode", {episode.id.str(), job.id.str()});
  return receipt;
}

}  // namespace warpmind::knowledge_base
