#include "knowledge_base/maintenance/old_lessons.h"

#include "base/log.h"
#include "knowledge_base/fault_points.h"
#include "knowledge_base/insights/insight_writer.h"
#include "knowledge_base/key_codec.h"
#include "knowledge_base/record_codec.h"
#include "knowledge_base/stored_values.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace warpmind::knowledge_base {
namespace {

/// What the insights of one episode take on the disk, about.
constexpr std::int64_t kBytesAnEpisode = 256LL * 1024;

/// Numbers of the episodes that were stored before the migration and have taught nothing since.
Result<std::vector<std::int64_t>> untaught(const Database& database) {
  std::vector<std::int64_t> old;
  std::set<std::int64_t> taught;
  bool migrated = false;
  const auto visit = [&](std::string_view, std::string_view value) -> Result<bool> {
    WARPMIND_TRY(const auto record, decode_log(value));
    if (record.ids.empty()) return true;
    const auto number = number_of(EpisodeId(record.ids.front()));
    if (record.kind == "migration") {
      migrated = migrated || record.ids.front().starts_with("schema 1 ");
      if (number) taught.insert(*number);
    } else if (record.kind == "episode" && number && !migrated) {
      old.push_back(*number);
    }
    return true;
  };
  WARPMIND_CHECK(database.scan({Family::log, log_prefix()}, visit));
  if (!migrated) old.clear();
  std::erase_if(old, [&taught](std::int64_t number) { return taught.contains(number); });
  return old;
}

Result<void> teach(ChangeSet& change, const Episode& episode) {
  InsightWriter writer(change);
  WARPMIND_TRY(const auto lines, learn_insights(writer, episode));
  (void)lines;
  std::vector<std::string> ids{episode.id.str()};
  for (const auto& id : writer.touched()) ids.push_back(id.str());
  change.describe("migration", std::move(ids));
  return {};
}

}  // namespace

Result<void> teach_old_episodes(OpenBase& base) {
  WARPMIND_TRY(const auto old, base.read([](const Database& database, const std::string&) {
    return untaught(database);
  }));
  for (const auto number : old) {
    WARPMIND_TRY(const auto episode,
                 base.read([number](const Database& database, const std::string&) {
                   return StoredValues(database).episode(number);
                 }));
    if (!episode) return fail(Errc::corrupt_data, "episode " + std::to_string(number) + " is gone");
    WARPMIND_CHECK(base.write(kBytesAnEpisode,
                              [&episode](ChangeSet& change) { return teach(change, *episode); }));
    fault::reached("migrate.episode_taught");
  }
  if (!old.empty()) {
    log::info("knowledge_base", "old episodes taught their insights", {{"episodes", old.size()}});
  }
  return {};
}

}  // namespace warpmind::knowledge_base
