#include "knowledge_base/insights/record_reader.h"

#include "knowledge_base/key_codec.h"

namespace warpmind::knowledge_base {

RecordReader reading(const ChangeSet& change) {
  RecordReader reader;
  reader.get = [&change](Family family, const std::string& key) { return change.get(family, key); };
  reader.entries = [&change](Family family, const std::string& prefix,
                             std::size_t most) -> Result<std::map<std::string, std::string>> {
    WARPMIND_TRY(auto found, change.entries(family, prefix));
    while (found.size() > most) found.erase(std::prev(found.end()));
    return found;
  };
  return reader;
}

RecordReader reading(const Database& database, const rocksdb::Snapshot* snapshot) {
  RecordReader reader;
  reader.get = [&database, snapshot](Family family, const std::string& key) {
    return database.get(family, key, snapshot);
  };
  reader.entries = [&database, snapshot](
                       Family family, const std::string& prefix,
                       std::size_t most) -> Result<std::map<std::string, std::string>> {
    std::map<std::string, std::string> found;
    const Database::Range range{family, prefix, ScanOrder::ascending, snapshot};
    WARPMIND_CHECK(database.scan(
        range, [&found, most](std::string_view key, std::string_view value) -> Result<bool> {
          if (found.size() < most) found.emplace(key, value);
          return found.size() < most;
        }));
    return found;
  };
  return reader;
}

Result<std::optional<StoredInsight>> load_insight(const RecordReader& reader, const InsightId& id) {
  WARPMIND_TRY(const auto bytes, reader.get(Family::insights, insight_key(id)));
  if (!bytes) return std::optional<StoredInsight>();
  WARPMIND_TRY(auto stored, decode_stored_insight(*bytes));
  return std::optional<StoredInsight>(std::move(stored));
}

Result<StoredInsight> require_insight(const RecordReader& reader, const InsightId& id) {
  WARPMIND_TRY(auto stored, load_insight(reader, id));
  if (!stored) return fail(Errc::not_found, "there is no insight " + id.str());
  return std::move(*stored);
}

Result<InsightEvent> load_event(const RecordReader& reader, std::int64_t sequence,
                                std::size_t position) {
  WARPMIND_TRY(const auto bytes,
               reader.get(Family::insights, insight_event_key(sequence, position)));
  if (!bytes) {
    return fail(Errc::corrupt_data, "event " + std::to_string(position) + " of change " +
                                        std::to_string(sequence) + " is missing");
  }
  return decode_event(*bytes);
}

Result<std::vector<LoggedEvent>> load_history(const RecordReader& reader, const InsightId& id,
                                              std::int64_t last) {
  WARPMIND_TRY(const auto entries,
               reader.entries(Family::insights, insight_history_prefix(id), kAllEntries));
  std::vector<LoggedEvent> history;
  history.reserve(entries.size());
  for (const auto& [key, value] : entries) {
    const auto place = event_in_history_key(key);
    if (!place) return fail(Errc::corrupt_data, "a history key of " + id.str() + " is damaged");
    if (place->first > last) break;
    WARPMIND_TRY(auto event, load_event(reader, place->first, place->second));
    history.push_back({place->first, place->second, std::move(event)});
  }
  return history;
}

Result<std::vector<StoredSource>> load_sources(const RecordReader& reader) {
  WARPMIND_TRY(const auto entries, reader.entries(Family::insights, source_prefix(), kAllEntries));
  std::vector<StoredSource> sources;
  sources.reserve(entries.size());
  for (const auto& [key, value] : entries) {
    WARPMIND_TRY(auto source, decode_source(value));
    sources.push_back(std::move(source));
  }
  return sources;
}

Result<StoredSource> load_source(const RecordReader& reader, const std::string& name) {
  WARPMIND_TRY(const auto bytes, reader.get(Family::insights, source_key(name)));
  if (bytes) return decode_source(*bytes);
  StoredSource source;
  source.name = name;
  return source;
}

Distrusted distrusted_among(const std::vector<StoredSource>& sources, std::int64_t last) {
  Distrusted distrusted;
  for (const auto& source : sources) {
    bool quarantined = false;
    for (const auto& toggle : source.toggles) {
      if (toggle.sequence <= last) quarantined = toggle.quarantined;
    }
    if (quarantined) distrusted.insert(source.name);
  }
  return distrusted;
}

}  // namespace warpmind::knowledge_base
