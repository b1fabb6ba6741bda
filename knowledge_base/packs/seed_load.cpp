#include "knowledge_base/packs/seed_load.h"

#include "knowledge_base/insights/insight_writer.h"
#include "knowledge_base/insights/record_reader.h"
#include "knowledge_base/insights/technique_records.h"
#include "knowledge_base/key_codec.h"
#include "knowledge_base/open_base.h"
#include "knowledge_base/record_codec.h"

#include <algorithm>
#include <set>
#include <utility>

namespace warpmind::knowledge_base {
namespace {

Result<StoreState> state_of(const OpenBase& base) {
  return base.read([](const Database& database, const std::string&) -> Result<StoreState> {
    WARPMIND_TRY(const auto bytes, database.get(Family::meta, state_key()));
    if (!bytes) return StoreState{};
    return decode_state(*bytes);
  });
}

bool is_seed(const Actor& actor) { return actor.name == kSeedSource; }

/// Whether anybody but the seed changed what a claim says or how it stands.
bool was_touched(const std::vector<LoggedEvent>& history) {
  return std::any_of(history.begin(), history.end(), [](const LoggedEvent& logged) {
    return !is_seed(logged.event.actor) && logged.event.op != InsightOp::attest;
  });
}

/// One load of one seed into one change.
class SeedLoad {
 public:
  SeedLoad(ChangeSet& change, const Seed& seed, UnixMillis at, PackReport& report)
      : change_(change), writer_(change), seed_(seed), at_(at), report_(report) {}

  Result<void> load() {
    for (const auto& technique : seed_.techniques) WARPMIND_CHECK(take_card(technique));
    for (const auto& fact : seed_.facts) {
      WARPMIND_TRY(const bool wrote, store_fact(change_, fact));
      count(wrote);
    }
    for (const auto& insight : seed_.insights) WARPMIND_CHECK(take_claim(insight));
    WARPMIND_CHECK(retire_dropped());
    change_.state().seed_version = seed_.version;
    change_.describe("insights", std::move(written_));
    return {};
  }

 private:
  void count(bool wrote) { ++(wrote ? report_.added : report_.unchanged); }

  [[nodiscard]] Actor actor() const {
    return {std::string(kSeedSource), "seed " + std::to_string(seed_.version)};
  }
  [[nodiscard]] InsightEvent event_on(const InsightId& id, InsightOp op) const {
    InsightEvent event;
    event.insight = id;
    event.op = op;
    event.actor = actor();
    event.at = at_;
    event.source = std::string(kSeedSource);
    return event;
  }
  Result<void> write_event(InsightEvent event) {
    written_.push_back(event.insight.str());
    WARPMIND_TRY(const auto applied, writer_.write_event(std::move(event)));
    static_cast<void>(applied);
    return {};
  }

  Result<void> take_card(const Technique& technique) {
    ++report_.techniques;
    WARPMIND_TRY(const auto known, load_technique(change_, technique.name));
    const bool is_users = known && (known->edited || known->source.starts_with("user"));
    if (is_users) {
      count(false);
      return {};
    }
    WARPMIND_TRY(const bool wrote, store_technique(change_, technique, actor()));
    count(wrote);
    return {};
  }

  Result<void> take_claim(const Insight& insight) {
    ++report_.insights;
    WARPMIND_TRY(const auto known, load_insight(reading(change_), insight.id));
    if (!known) {
      InsightEvent event = event_on(insight.id, InsightOp::add);
      event.content = insight;
      count(true);
      return write_event(std::move(event));
    }
    WARPMIND_TRY(const auto history, load_history(reading(change_), insight.id));
    const bool is_ours = known->insight.provenance.source == kSeedSource && !was_touched(history);
    if (is_ours && known->stated == InsightState::deprecated) {
      InsightEvent event = event_on(insight.id, InsightOp::transition);
      event.state = InsightState::proposed;
      event.actor.reason += " says it again";
      WARPMIND_CHECK(write_event(std::move(event)));
    }
    const bool same_words =
        known->insight.claim == insight.claim && known->insight.mechanism == insight.mechanism;
    if (!is_ours || same_words) {
      count(false);
      return {};
    }
    InsightEvent event = event_on(insight.id, InsightOp::amend);
    event.amendment.emplace();
    event.amendment->claim = insight.claim;
    event.amendment->mechanism = insight.mechanism;
    count(true);
    return write_event(std::move(event));
  }

  Result<void> retire_dropped() {
    std::set<InsightId> kept;
    for (const auto& insight : seed_.insights) kept.insert(insight.id);
    const std::string prefix = source_insight_prefix(kSeedSource);
    WARPMIND_TRY(const auto all, change_.entries(Family::insights, prefix));
    for (const auto& [key, value] : all) {
      const InsightId id(text_after(prefix, key));
      if (kept.contains(id)) continue;
      WARPMIND_TRY(const auto stored, load_insight(reading(change_), id));
      if (!stored || stored->insight.provenance.source != kSeedSource || stored->insight.pinned ||
          !stored->cells.empty() || !is_offered(stored->stated)) {
        continue;
      }
      WARPMIND_TRY(const auto history, load_history(reading(change_), id));
      if (was_touched(history)) continue;
      InsightEvent event = event_on(id, InsightOp::transition);
      event.state = InsightState::deprecated;
      event.actor.reason += " no longer says it";
      WARPMIND_CHECK(write_event(std::move(event)));
    }
    return {};
  }

  ChangeSet& change_;
  InsightWriter writer_;
  const Seed& seed_;
  const UnixMillis at_;
  PackReport& report_;
  std::vector<std::string> written_;
};

}  // namespace

Result<PackReport> load_seed(OpenBase& base, const Seed& seed) {
  constexpr std::int64_t kBytesPerRecord = 12'000;
  PackReport report;
  report.pack = "seed " + std::to_string(seed.version);
  report.origin = std::string(kSeedSource);
  WARPMIND_TRY(const auto state, state_of(base));
  const auto records =
      static_cast<std::int64_t>(seed.techniques.size() + seed.insights.size() + seed.facts.size());
  if (state.seed_version >= seed.version) {
    report.unchanged = records;
    return report;
  }
  const auto at = base.location().clock.wall();
  WARPMIND_CHECK(base.write(records * kBytesPerRecord, [&](ChangeSet& change) {
    return SeedLoad(change, seed, at, report).load();
  }));
  return report;
}

}  // namespace warpmind::knowledge_base
