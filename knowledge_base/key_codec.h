#pragma once
/// \file
/// The only place where keys are built and parsed.
///
/// A key is a kind byte (fixed prefix: which sort of record within its family), then fields.
/// Numbers are big-endian, so that the order of keys is the order of numbers. Text fields are
/// escaped (0x00 and 0x01) and end with 0x00 unless they come last.

#include "base/ids.h"
#include "base/model/measurement.h"
#include "knowledge_base/posterior.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace warpmind::knowledge_base {

/// "j-0000000007" <-> 7. nullopt for a text of another shape.
[[nodiscard]] JobId job_id(std::int64_t number);
[[nodiscard]] std::optional<std::int64_t> number_of(const JobId& id);
[[nodiscard]] std::optional<std::int64_t> number_of(const EpisodeId& id);

[[nodiscard]] std::string task_key(const TaskId& id);
[[nodiscard]] std::string best_kernel_prefix(const TaskId& task, Provider provider);
[[nodiscard]] std::string best_kernel_key(const TaskId& task, Provider provider,
                                          std::string_view device);
[[nodiscard]] std::string episode_count_key(const TaskId& task, Provider provider);
[[nodiscard]] std::string kernel_key(const KernelId& id);
[[nodiscard]] std::string step_key(std::int64_t episode, std::size_t position);
[[nodiscard]] std::string measurement_key(std::int64_t episode, std::size_t position);
/// Family transcripts: those of a step, or, at the position after the last step, of the critique.
[[nodiscard]] std::string transcript_key(std::int64_t episode, std::size_t position);
[[nodiscard]] std::string episode_key(std::int64_t number);
[[nodiscard]] std::string posterior_key(const PosteriorKey& key);
/// Family edges: statistics of a transition; clusters of performance states by class; the cluster
/// that a step was put into.
[[nodiscard]] std::string edge_key(const EdgeKey& key);
[[nodiscard]] std::string edge_prefix(EdgeLevel level);
[[nodiscard]] std::string edge_prefix(EdgeLevel level, Provider provider);
[[nodiscard]] std::string cluster_key(BottleneckClass bottleneck, std::string_view id);
[[nodiscard]] std::string cluster_prefix(BottleneckClass bottleneck);
[[nodiscard]] std::string cluster_prefix();
[[nodiscard]] std::string step_cluster_key(std::int64_t episode, std::size_t position);
/// Lift counts of an insight (family posteriors).
[[nodiscard]] std::string lift_key(const InsightId& id);
[[nodiscard]] std::string lift_prefix();
[[nodiscard]] std::string job_key(std::int64_t number);
[[nodiscard]] std::string job_prefix();
[[nodiscard]] std::string unfinished_job_key(std::int64_t number);
[[nodiscard]] std::string unfinished_job_prefix();
/// Family jobs: the episode of an unfinished job so far.
[[nodiscard]] std::string draft_key(std::int64_t number);
[[nodiscard]] bool is_draft_key(std::string_view key);
/// Family jobs: a job that ran in `night`; the jobs of a night in the order of their numbers.
[[nodiscard]] std::string night_job_key(std::string_view night, std::int64_t number);
[[nodiscard]] std::string night_prefix(std::string_view night);
/// Of all nights, in the order of their names.
[[nodiscard]] std::string nights_prefix();
/// Night and number in a night_job_key(). nullopt if the key has another shape.
[[nodiscard]] std::optional<std::pair<std::string, std::int64_t>> night_in_key(
    std::string_view key);
[[nodiscard]] std::string log_key(std::int64_t sequence);
[[nodiscard]] std::string log_prefix();
/// Family budgets: a day counted from 1970-01-01, UTC.
[[nodiscard]] std::string spending_key(std::int64_t day);
/// Family budgets: the rules of the queue.
[[nodiscard]] std::string queue_rules_key();
/// Family budgets: a series of jobs, by the number of its first.
[[nodiscard]] std::string series_key(std::int64_t number);
[[nodiscard]] std::string series_prefix();
/// Family budgets: a job that the queue proposed, by its subject.
[[nodiscard]] std::string proposal_key(std::string_view subject);
[[nodiscard]] std::string proposal_prefix();
/// Family insights: the insight as it stands; the events that made it, by change and position
/// within the change; which events concern an insight; what is known of a source.
[[nodiscard]] std::string insight_key(const InsightId& id);
[[nodiscard]] std::string insight_prefix();
[[nodiscard]] std::string insight_event_key(std::int64_t sequence, std::size_t position);
[[nodiscard]] std::string insight_event_prefix(std::int64_t sequence);
[[nodiscard]] std::string insight_history_key(const InsightId& id, std::int64_t sequence,
                                              std::size_t position);
[[nodiscard]] std::string insight_history_prefix(const InsightId& id);
[[nodiscard]] std::string insight_history_prefix();
[[nodiscard]] std::string source_key(std::string_view source);
[[nodiscard]] std::string source_prefix();
/// Which insights a source has to do with; what an insight is near to (`place` is a hash that
/// knowledge_base/insights makes); counters; devices that were measured.
[[nodiscard]] std::string source_insight_key(std::string_view source, const InsightId& id);
[[nodiscard]] std::string source_insight_prefix(std::string_view source);
[[nodiscard]] std::string source_insight_prefix();
[[nodiscard]] std::string near_insight_key(std::uint64_t place, const InsightId& id);
[[nodiscard]] std::string near_insight_prefix(std::uint64_t place);
[[nodiscard]] std::string near_insight_prefix();
[[nodiscard]] std::string insight_count_key(std::string_view name);
[[nodiscard]] std::string insight_count_prefix();
[[nodiscard]] std::string measured_device_key(std::string_view device);
[[nodiscard]] std::string measured_device_prefix();
/// The text at the end of a key that starts with `prefix`: the id of a near insight, the name of a
/// counter.
[[nodiscard]] std::string text_after(std::string_view prefix, std::string_view key);
[[nodiscard]] std::string technique_key(std::string_view name);
[[nodiscard]] std::string technique_prefix();
/// The version of a technique that change `sequence` replaced.
[[nodiscard]] std::string technique_history_key(std::string_view name, std::int64_t sequence);
[[nodiscard]] std::string technique_history_prefix(std::string_view name);
/// Family techniques: a skill that came with a pack; the source in such a key.
[[nodiscard]] std::string skill_key(std::string_view name, std::string_view source);
[[nodiscard]] std::string skill_prefix();
[[nodiscard]] std::string skill_prefix(std::string_view name);
[[nodiscard]] std::string source_in_skill_key(std::string_view key);
[[nodiscard]] std::string fact_key(std::string_view subject, std::string_view name);
[[nodiscard]] std::string fact_prefix(std::string_view subject);  ///< empty subject = all
/// Family embeddings: entry of the search catalogue; vector of a space.
[[nodiscard]] std::string catalogue_key(std::int64_t document);
[[nodiscard]] std::string catalogue_prefix();
[[nodiscard]] std::string vector_key(std::uint8_t space, std::int64_t document);
[[nodiscard]] std::string vector_prefix(std::uint8_t space);
/// Family terms: postings of a term by bucket of documents.
[[nodiscard]] std::string postings_key(std::string_view term, std::int64_t bucket);
[[nodiscard]] std::string postings_prefix(std::string_view term);
[[nodiscard]] std::string schema_key();
[[nodiscard]] std::string state_key();
/// Family meta: how far another base was heard; which era of its own log this base speaks of.
[[nodiscard]] std::string heard_key(std::string_view node);
[[nodiscard]] std::string heard_prefix();
[[nodiscard]] std::string log_era_key();

/// The number at the end of a job, unfinished-job or log key. nullopt if the key has another shape.
[[nodiscard]] std::optional<std::int64_t> number_in_key(std::string_view key);

/// The two numbers at the end of an insight history key.
[[nodiscard]] std::optional<std::pair<std::int64_t, std::size_t>> event_in_history_key(
    std::string_view key);

/// Whether a key holds a record (kind 1), and not a secondary key or a counter.
[[nodiscard]] bool is_record_key(std::string_view key);

}  // namespace warpmind::knowledge_base
