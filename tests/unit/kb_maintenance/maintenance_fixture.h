#pragma once
/// \file
/// A base with episodes, insights and everything made of them, and its rows as values.

#include "knowledge_base/insights/insight_writer.h"
#include "knowledge_base/maintenance/verify.h"
#include "knowledge_base/open_base.h"
#include "tests/unit/knowledge_base/store_fixture.h"

#include <map>
#include <string>
#include <utility>

namespace warpmind::knowledge_base {

class MaintenanceFixture : public StoreFixture {
 protected:
  [[nodiscard]] std::unique_ptr<OpenBase> open_base() const {
    return OpenBase::open(location()).value();
  }

  /// Ends a new job with the episode that `sketch(number, task)` makes.
  template <class F>
  static Episode end_job(KnowledgeStore& store, const Task& task, const F& sketch) {
    auto job = store.add_job(fakes::sample_request(task), {1}).value();
    Episode episode = sketch(std::stoll(job.id.str().substr(2)), task);
    job.state = JobState::done;
    (void)store.commit(episode, job).value();
    return episode;
  }

  /// Several tasks, devices, outcomes, a provider that predicts, a held-out task, exposures.
  static std::vector<Episode> teach(OpenBase& base, int rounds = 3) {
    RocksDbKnowledgeStore store(base);
    std::vector<Episode> episodes;
    for (int round = 0; round < rounds; ++round) {
      for (const char* name : {"scale", "add", "transpose"}) {
        episodes.push_back(
            end_job(store, fakes::sample_task(name),
                    [&](std::int64_t n, const Task& task) { return varied(n, task, round); }));
      }
    }
    episodes.push_back(end_job(
        store, fakes::sample_task("secret", Split::heldout),
        [](std::int64_t n, const Task& task) { return fakes::sample_episode(n, task, 2); }));
    return episodes;
  }

  static Episode varied(std::int64_t number, const Task& task, int round) {
    fakes::EpisodeSketch sketch(number, task, round % 2 == 0 ? fakes::h200() : fakes::h100());
    sketch.step({.technique = "block_size", .ratio = 1.2 + 0.01 * static_cast<double>(number)});
    sketch.step({.technique = "vectorize",
                 .outcome = Outcome::regressed,
                 .ratio = 0.8,
                 .processes = 1,
                 .bottleneck = BottleneckClass::memory_bandwidth});
    sketch.step({.technique = "unroll", .outcome = Outcome::wrong, .processes = 0});
    sketch.step(
        {.technique = "vectorize", .ratio = 1.4, .bottleneck = BottleneckClass::memory_bandwidth});
    if (round % 3 == 2) sketch.provider(Provider::sim);
    Episode episode = sketch.finish();
    episode.steps[1].candidate.parameters = round % 2 == 0 ? "block=32x1x1" : "block=64x1x1";
    return episode;
  }

  /// A claim of a person, through the writer.
  static Insight claim(OpenBase& base, const std::string& text) {
    Insight made;
    InsightEvent event;
    event.op = InsightOp::add;
    event.actor = {"user:alice", "she saw it"};
    event.at = {1'700'000'000'000};
    Insight insight;
    insight.claim = text;
    insight.action.techniques = {"block_size"};
    insight.scope.operator_families = {"elementwise"};
    insight.provenance.source = "user:alice";
    insight.provenance.author = "alice";
    event.content = insight;
    const auto written = base.write(4096, [&](ChangeSet& change) -> Result<void> {
      InsightWriter writer(change);
      WARPMIND_TRY(made, writer.add_or_confirm(event));
      change.describe("insights", {made.id.str()});
      return {};
    });
    EXPECT_TRUE(written.has_value()) << written.error().message;
    return made;
  }

  /// Every key and value of a family.
  static std::map<std::string, std::string> rows(const OpenBase& base, Family family) {
    std::map<std::string, std::string> found;
    const auto read = base.read([&](const Database& database, const std::string&) {
      return database.scan({family, ""},
                           [&found](std::string_view key, std::string_view value) -> Result<bool> {
                             found[std::string(key)] = std::string(value);
                             return true;
                           });
    });
    EXPECT_TRUE(read.has_value());
    return found;
  }
  static std::map<std::string, std::map<std::string, std::string>> all_rows(const OpenBase& base) {
    std::map<std::string, std::map<std::string, std::string>> found;
    for (const auto& spec : kColumnFamilies) {
      found[std::string(spec.name)] = rows(base, spec.family);
    }
    return found;
  }

  static VerifyReport verify(const OpenBase& base, VerifyDepth depth = VerifyDepth::files) {
    return base
        .read([&](const Database& database, const std::string&) {
          return verify_base(database, base.location(), depth);
        })
        .value();
  }
  /// Changes rows behind the back of everything.
  static void tamper(OpenBase& base, const std::function<void(ChangeSet&)>& with) {
    const auto written = base.write(1000, [&with](ChangeSet& change) -> Result<void> {
      with(change);
      change.describe("test", {});
      return {};
    });
    EXPECT_TRUE(written.has_value()) << written.error().message;
  }
};

}  // namespace warpmind::knowledge_base
