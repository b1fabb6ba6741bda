#pragma once
/// \file
/// Records of insights, read alike inside a change and from an open base.

#include "base/result.h"
#include "knowledge_base/change_set.h"
#include "knowledge_base/database.h"
#include "knowledge_base/insights/insight_codec.h"
#include "knowledge_base/insights/insight_fold.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpmind::knowledge_base {

/// Where records are read. What it was made of must outlive it.
struct RecordReader {
  std::function<Result<std::optional<std::string>>(Family, const std::string& key)> get;
  /// Keys and values with a prefix, in order; stops after `most` of them.
  std::function<Result<std::map<std::string, std::string>>(Family, const std::string& prefix,
                                                           std::size_t most)>
      entries;
};
inline constexpr std::size_t kAllEntries = static_cast<std::size_t>(-1);

[[nodiscard]] RecordReader reading(const ChangeSet& change);
/// Of one consistent state when `snapshot` is given.
[[nodiscard]] RecordReader reading(const Database& database,
                                   const rocksdb::Snapshot* snapshot = nullptr);

[[nodiscard]] Result<std::optional<StoredInsight>> load_insight(const RecordReader& reader,
                                                                const InsightId& id);
/// Errors: not_found.
[[nodiscard]] Result<StoredInsight> require_insight(const RecordReader& reader,
                                                    const InsightId& id);
[[nodiscard]] Result<InsightEvent> load_event(const RecordReader& reader, std::int64_t sequence,
                                              std::size_t position);
/// All events that concern it, up to change `last`.
[[nodiscard]] Result<std::vector<LoggedEvent>> load_history(
    const RecordReader& reader, const InsightId& id,
    std::int64_t last = std::numeric_limits<std::int64_t>::max());
[[nodiscard]] Result<std::vector<StoredSource>> load_sources(const RecordReader& reader);
[[nodiscard]] Result<StoredSource> load_source(const RecordReader& reader, const std::string& name);
/// Those that were quarantined after change `last`.
[[nodiscard]] Distrusted distrusted_among(
    const std::vector<StoredSource>& sources,
    std::int64_t last = std::numeric_limits<std::int64_t>::max());

}  // namespace warpmind::knowledge_base
