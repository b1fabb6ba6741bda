#pragma once
/// \file
/// Every column family of the base, in one table. The store creates all of them at once, those that
/// no code writes yet too, so that a later build finds them and needs no migration.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace warpmind::knowledge_base {

/// The order is that of the table below; numbers never reach the disk, names do.
enum class Family : std::uint8_t {
  tasks,
  kernels,
  measurements,
  steps,
  episodes,
  techniques,
  insights,
  edges,
  posteriors,
  embeddings,
  terms,
  jobs,
  budgets,
  transcripts,
  facts,
  log,
  meta,
};

enum class Lifetime : std::uint8_t {
  persistent,   ///< the truth: lost when deleted
  rebuildable,  ///< a projection of persistent families
};

enum class RecordCodec : std::uint8_t {
  json,         ///< JSON of base/codec/model_json.h
  zstd_source,  ///< JSON header and zstd-compressed source
  binary,       ///< fixed layout, described beside its code in retrieval/
  none,         ///< not written by this build
};

struct FamilySpec {
  Family family;
  std::string_view name;  ///< stable: the name on disk
  Lifetime lifetime;
  RecordCodec codec;
  std::string_view purpose;
};

inline constexpr std::array<FamilySpec, 17> kColumnFamilies{{
    {Family::tasks, "tasks", Lifetime::persistent, RecordCodec::json,
     "tasks that episodes ran on; the best kernel by task, provider and device"},
    {Family::kernels, "kernels", Lifetime::persistent, RecordCodec::zstd_source,
     "kernels by content id"},
    {Family::measurements, "measurements", Lifetime::persistent, RecordCodec::json,
     "confirmed times, by episode and step"},
    {Family::steps, "steps", Lifetime::persistent, RecordCodec::json,
     "what was tried and what the lab said; append-only"},
    {Family::episodes, "episodes", Lifetime::persistent, RecordCodec::json,
     "one record an episode; refers to its steps"},
    {Family::techniques, "techniques", Lifetime::persistent, RecordCodec::json,
     "named optimisations with preconditions and parameters"},
    {Family::insights, "insights", Lifetime::persistent, RecordCodec::json,
     "scoped claims about techniques with their evidence"},
    {Family::edges, "edges", Lifetime::rebuildable, RecordCodec::json,
     "statistics of technique order by bottleneck and device"},
    {Family::posteriors, "posteriors", Lifetime::rebuildable, RecordCodec::json,
     "sufficient statistics of gain and feasibility by technique, bottleneck and device"},
    {Family::embeddings, "embeddings", Lifetime::rebuildable, RecordCodec::binary,
     "vectors for search by similarity"},
    {Family::terms, "terms", Lifetime::rebuildable, RecordCodec::binary, "inverted index of texts"},
    {Family::jobs, "jobs", Lifetime::persistent, RecordCodec::json,
     "submitted tasks with budget and state; which of them are unfinished"},
    {Family::budgets, "budgets", Lifetime::persistent, RecordCodec::json,
     "tokens and money that language models took, by day"},
    {Family::transcripts, "transcripts", Lifetime::persistent, RecordCodec::json,
     "requests to language models and their answers"},
    {Family::facts, "facts", Lifetime::persistent, RecordCodec::json,
     "exact facts on hardware and toolchain"},
    {Family::log, "log", Lifetime::persistent, RecordCodec::json,
     "one record a change: sequence, kind, ids, digest, chain"},
    {Family::meta, "meta", Lifetime::persistent, RecordCodec::json,
     "schema version; counters and the newest sequence"},
}};

/// Position of a family in kColumnFamilies.
[[nodiscard]] constexpr std::size_t index_of(Family family) {
  return static_cast<std::size_t>(family);
}

[[nodiscard]] constexpr std::string_view name_of(Family family) {
  return kColumnFamilies.at(index_of(family)).name;
}

namespace detail {
constexpr bool table_is_in_enumerator_order() {
  for (std::size_t i = 0; i < kColumnFamilies.size(); ++i) {
    if (index_of(kColumnFamilies.at(i).family) != i) return false;
  }
  return true;
}
static_assert(table_is_in_enumerator_order(), "kColumnFamilies must be in the order of Family");
}  // namespace detail

}  // namespace warpmind::knowledge_base
