#include "knowledge_base/queue_records.h"

#include "base/codec/model_json.h"
#include "knowledge_base/key_codec.h"
#include "knowledge_base/open_base.h"
#include "knowledge_base/record_codec.h"
#include "knowledge_base/sealed_json.h"

namespace warpmind::knowledge_base {
namespace {

/// A record and its place in the log.
constexpr std::int64_t kRulesBytes = 1024;

}  // namespace

Result<std::string> encode_queue_rules(const QueueRules& rules) {
  return seal({{"quiet_hours", rules.quiet_hours}, {"night", rules.night}, {"user", rules.user}},
              "rules of the queue");
}

Result<QueueRules> decode_queue_rules(std::string_view bytes) {
  WARPMIND_TRY(const auto record, open_json(bytes, "rules of the queue"));
  QueueRules rules;
  WARPMIND_TRY(rules.quiet_hours, member(record, "quiet_hours", rules.quiet_hours));
  WARPMIND_TRY(rules.night, member(record, "night", rules.night));
  WARPMIND_TRY(rules.user, member(record, "user", rules.user));
  return rules;
}

Result<QueueRules> QueueRecords::rules() const {
  return base_.read([](const Database& database, const std::string&) -> Result<QueueRules> {
    WARPMIND_TRY(const auto bytes, database.get(Family::budgets, queue_rules_key()));
    if (!bytes) return QueueRules{};
    return decode_queue_rules(*bytes);
  });
}

Result<void> QueueRecords::set_rules(const QueueRules& rules) {
  return base_.write(kRulesBytes, [&rules](ChangeSet& change) -> Result<void> {
    WARPMIND_TRY(auto bytes, encode_queue_rules(rules));
    change.put(Family::budgets, queue_rules_key(), std::move(bytes));
    change.describe("queue_rules", {});
    return {};
  });
}

Result<std::vector<std::string>> QueueRecords::nights(std::size_t limit) const {
  std::vector<std::string> names;
  const Database::Range range{Family::jobs, nights_prefix(), ScanOrder::descending};
  const auto visit = [&](std::string_view key, std::string_view) -> Result<bool> {
    const auto found = night_in_key(key);
    if (!found) return fail(Errc::corrupt_data, "a key of the jobs of a night is damaged");
    if (!names.empty() && names.back() == found->first) return true;
    if (names.size() == limit) return false;
    names.push_back(found->first);
    return true;
  };
  WARPMIND_CHECK(base_.read(
      [&](const Database& database, const std::string&) { return database.scan(range, visit); }));
  return names;
}

Result<std::vector<Job>> QueueRecords::jobs_of(std::string_view night) const {
  return base_.read(
      [night](const Database& database, const std::string&) -> Result<std::vector<Job>> {
        std::vector<Job> jobs;
        const auto snapshot = database.snapshot();
        const Database::Range range{Family::jobs, night_prefix(night), ScanOrder::ascending,
                                    snapshot.get()};
        const auto visit = [&](std::string_view key, std::string_view) -> Result<bool> {
          const auto found = night_in_key(key);
          if (!found) return fail(Errc::corrupt_data, "a key of the jobs of a night is damaged");
          WARPMIND_TRY(const auto bytes,
                       database.get(Family::jobs, job_key(found->second), snapshot.get()));
          if (!bytes) return fail(Errc::corrupt_data, "a job of the night is missing in the base");
          WARPMIND_TRY(auto stored, decode_job(*bytes));
          jobs.push_back(std::move(stored.job));
          return true;
        };
        WARPMIND_CHECK(database.scan(range, visit));
        return jobs;
      });
}

}  // namespace warpmind::knowledge_base
