#pragma once
/// \file
/// Bases in fresh folders with what packs need in them: claims, evidence, decisions.

#include "base/file.h"
#include "knowledge_base/insights/insight_codec.h"
#include "knowledge_base/insights/insight_writer.h"
#include "knowledge_base/insights/record_reader.h"
#include "knowledge_base/key_codec.h"
#include "knowledge_base/open_base.h"
#include "knowledge_base/packs/pack_exchange.h"
#include "knowledge_base/record_codec.h"
#include "tests/fakes/sample_episodes.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace warpmind::knowledge_base {

/// Stands still.
class FixedClock final : public Clock {
 public:
  [[nodiscard]] UnixMillis wall() const override { return {1'700'000'000'000}; }
  [[nodiscard]] std::chrono::steady_clock::time_point monotonic() const override { return {}; }
};

class PacksTest : public testing::Test {
 protected:
  PacksTest()
      : scratch_(
            ScratchDirectory::create(std::filesystem::temp_directory_path(), "packs").value()) {}

  [[nodiscard]] std::filesystem::path path(const std::string& name) const {
    return scratch_.path() / name;
  }
  std::unique_ptr<OpenBase> open(const std::string& name) {
    auto base = OpenBase::open({.directory = path(name), .reserve_bytes = 0, .clock = clock_});
    EXPECT_TRUE(base.has_value()) << (base ? "" : base.error().message);
    return std::move(base).value();
  }

  static StoreState state(const OpenBase& base) {
    return base
        .read([](const Database& database, const std::string&) -> Result<StoreState> {
          WARPMIND_TRY(const auto bytes, database.get(Family::meta, state_key()));
          if (!bytes) return StoreState{};
          return decode_state(*bytes);
        })
        .value();
  }
  static std::vector<StoredInsight> insights(const OpenBase& base) {
    std::vector<StoredInsight> all;
    const auto read = base.read([&](const Database& database, const std::string&) {
      return database.scan({Family::insights, insight_prefix()},
                           [&](std::string_view, std::string_view value) -> Result<bool> {
                             all.push_back(decode_stored_insight(value).value());
                             return true;
                           });
    });
    EXPECT_TRUE(read.has_value());
    return all;
  }
  static Insight insight(const OpenBase& base, const InsightId& id) {
    for (const auto& stored : insights(base)) {
      if (stored.insight.id == id) return stored.insight;
    }
    ADD_FAILURE() << id.str() << " is not in the base";
    return {};
  }
  static std::optional<Technique> technique(const OpenBase& base, const std::string& name) {
    return base
        .read(
            [&](const Database& database, const std::string&) -> Result<std::optional<Technique>> {
              WARPMIND_TRY(const auto bytes, database.get(Family::techniques, technique_key(name)));
              if (!bytes) return std::optional<Technique>();
              WARPMIND_TRY(auto card, decode_technique(*bytes));
              return std::optional<Technique>(std::move(card));
            })
        .value();
  }

  static Insight claim(const std::string& technique, const std::string& words,
                       const std::string& source = "user:alice") {
    Insight made;
    made.action.techniques = {technique};
    made.claim = words;
    made.mechanism = "because of " + words;
    made.scope.bottlenecks = {BottleneckClass::low_occupancy};
    made.provenance.source = source;
    made.provenance.author = "alice";
    made.provenance.licence = "Apache-2.0";
    made.id = id_of(made);
    return made;
  }

  /// Applies events in one change.
  static Result<void> apply(OpenBase& base, std::vector<InsightEvent> events) {
    return base.write(100'000, [&](ChangeSet& change) -> Result<void> {
      InsightWriter writer(change);
      std::vector<std::string> ids;
      for (const auto& event : events) {
        WARPMIND_TRY(const auto applied, writer.write_event(event));
        ids.push_back(applied.id.str());
      }
      change.describe("insights", ids);
      return {};
    });
  }
  static InsightEvent event(const InsightId& id, InsightOp op) {
    InsightEvent made;
    made.insight = id;
    made.op = op;
    made.actor = {"user:alice", "she said so"};
    return made;
  }
  static void add(OpenBase& base, const Insight& content) {
    auto made = event(content.id, InsightOp::add);
    made.content = content;
    const auto added = apply(base, {made});
    ASSERT_TRUE(added.has_value()) << added.error().message;
  }
  static void move(OpenBase& base, const InsightId& id, InsightState to) {
    auto made = event(id, InsightOp::transition);
    made.state = to;
    const auto moved = apply(base, {made});
    ASSERT_TRUE(moved.has_value()) << moved.error().message;
  }

  /// Stores the episode as a write-back does and learns from it.
  static void learn(OpenBase& base, const Episode& episode) {
    const auto learned = base.write(500'000, [&](ChangeSet& change) -> Result<void> {
      const auto number = *number_of(episode.id);
      for (std::size_t i = 0; i < episode.steps.size(); ++i) {
        const Step& step = episode.steps[i];
        WARPMIND_TRY(auto bytes, encode_step(step, id_of(step.candidate.kernel)));
        change.add(Family::steps, step_key(number, i), std::move(bytes));
        if (!step.verdict.measurement) continue;
        WARPMIND_TRY(auto measured, encode_measurement(*step.verdict.measurement));
        change.add(Family::measurements, measurement_key(number, i), std::move(measured));
      }
      WARPMIND_TRY(auto bytes, encode_episode(episode));
      change.add(Family::episodes, episode_key(number), std::move(bytes));
      InsightWriter writer(change);
      WARPMIND_TRY(const auto lines, learn_insights(writer, episode));
      static_cast<void>(lines);
      change.describe("episode", {episode.id.str()});
      return {};
    });
    ASSERT_TRUE(learned.has_value()) << learned.error().message;
  }
  static Episode episode(std::int64_t number, const std::string& task, double ratio,
                         const DeviceIdentity& device = fakes::h200()) {
    return fakes::EpisodeSketch(number, fakes::sample_task(task), device)
        .step({.technique = "block_size",
               .outcome = ratio > 1 ? Outcome::improved : Outcome::regressed,
               .ratio = ratio})
        .finish();
  }

  /// What two bases must agree on: identity of claims, and attestations.
  using Agreement = std::map<std::string, std::vector<Attestation>>;
  [[nodiscard]] std::string exported(const OpenBase& base, const std::string& name,
                                     const PackExportOptions& options = {.offered_only = false}) {
    std::filesystem::remove(path(name));
    PackExchange exchange(const_cast<OpenBase&>(base));
    const auto report = exchange.export_pack(path(name), options);
    EXPECT_TRUE(report.has_value()) << (report ? "" : report.error().message);
    return read_file(path(name), 1U << 30U).value();
  }

 private:
  ScratchDirectory scratch_;
  FixedClock clock_;
};

}  // namespace warpmind::knowledge_base
