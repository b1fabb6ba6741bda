#include "knowledge_base/episode_projection.h"

#include "knowledge_base/fault_points.h"
#include "knowledge_base/graph/projection.h"
#include "knowledge_base/key_codec.h"
#include "knowledge_base/record_codec.h"
#include "knowledge_base/retrieval/projection.h"

#include <utility>

namespace warpmind::knowledge_base {
namespace {

Result<PosteriorCounts> load_counts(const ChangeSet& change, const std::string& key) {
  WARPMIND_TRY(const auto bytes, change.get(Family::posteriors, key));
  if (!bytes) return PosteriorCounts{};
  return decode_posterior(*bytes);
}

/// Adds to all levels; returns the counts of the technique at the narrowest one.
Result<PosteriorCounts> learn(ChangeSet& change, const Evidence& evidence) {
  PosteriorCounts narrowest;
  const PosteriorKey technique = chain_of(evidence.scope).back();
  for (const auto& level : keys_of(evidence)) {
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
    if (level == technique) narrowest = counts;
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

}  // namespace

EpisodeFacts facts_of(const Episode& episode) {
  EpisodeFacts facts;
  if (episode.split == Split::heldout) return facts;
  facts.kernels = kernel_ids(episode);
  facts.evidence = evidence_of(episode);
  facts.offer = best_offer(episode, facts.kernels);
  return facts;
}

Result<ProjectedEpisode> project_episode(ChangeSet& change, const Episode& episode,
                                         EpisodeFacts facts) {
  ProjectedEpisode projected;
  if (episode.split == Split::heldout) return projected;
  WARPMIND_CHECK(count_episode(change, episode));
  if (facts.offer) {
    WARPMIND_CHECK(remember_best(change, episode.task, std::move(*facts.offer)));
  }
  WARPMIND_TRY(projected.lessons, learn_all(change, facts.evidence));
  if (fault::seeded(SeededBug::credited_twice)) {
    WARPMIND_TRY(projected.lessons, learn_all(change, facts.evidence));
  }
  WARPMIND_CHECK(project_graph(change, episode, facts.kernels));
  WARPMIND_TRY(projected.harmful, project_exposures(change, episode));
  return projected;
}

}  // namespace warpmind::knowledge_base
