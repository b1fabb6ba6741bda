#pragma once
/// \file
/// A base of its own for tests of insights, and episodes in it without the store above.

#include "base/file.h"
#include "knowledge_base/insights/insight_library.h"
#include "knowledge_base/insights/insight_writer.h"
#include "knowledge_base/key_codec.h"
#include "knowledge_base/open_base.h"
#include "knowledge_base/record_codec.h"
#include "tests/fakes/sample_episodes.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::knowledge_base {

inline Actor alice() { return {"user:alice", "by hand"}; }

/// A claim that passes every rule: vector_width at low_occupancy, anywhere.
inline Insight sample_claim(const std::string& technique = "vector_width") {
  Insight claim;
  claim.claim = technique + " pays where few warps are resident";
  claim.action.techniques = {technique};
  claim.scope.bottlenecks = {BottleneckClass::low_occupancy};
  claim.provenance.source = "user:alice";
  return claim;
}

class InsightFixture : public testing::Test {
 protected:
  InsightFixture()
      : scratch_(ScratchDirectory::create(std::filesystem::temp_directory_path(), "kbi").value()),
        base_(OpenBase::open(
                  {.directory = scratch_.path() / "kb", .reserve_bytes = 0, .clock = clock_})
                  .value()) {}

  /// One change with a writer; returns its sequence.
  Result<std::int64_t> change(const std::function<Result<void>(InsightWriter&, ChangeSet&)>& work) {
    std::int64_t sequence = 0;
    const auto written = base_->write(1024, [&](ChangeSet& change) {
      InsightWriter writer(change);
      sequence = change.sequence();
      change.describe("insights", {});
      return work(writer, change);
    });
    if (!written) return fail(written.error());
    return sequence;
  }

  Result<Insight> apply(const InsightEvent& event) {
    Insight result;
    WARPMIND_TRY(const auto sequence,
                 change([&](InsightWriter& writer, ChangeSet&) -> Result<void> {
                   WARPMIND_TRY(result, writer.write_event(event));
                   return {};
                 }));
    (void)sequence;
    return result;
  }

  /// Writes the records of an episode of `task`, as the store does, without learning from it.
  static Result<void> remember(ChangeSet& change, const Episode& episode, const Task& task) {
    const auto number = number_of(episode.id).value();
    WARPMIND_TRY(auto record, encode_episode(episode));
    change.add(Family::episodes, episode_key(number), std::move(record));
    if (episode.split == Split::heldout) return {};
    WARPMIND_TRY(auto task_bytes, encode_task(task));
    WARPMIND_TRY(const auto known, change.get(Family::tasks, task_key(task.id)));
    if (!known) change.add(Family::tasks, task_key(task.id), std::move(task_bytes));
    for (std::size_t i = 0; i < episode.steps.size(); ++i) {
      const Step& step = episode.steps[i];
      WARPMIND_TRY(auto bytes, encode_step(step, id_of(step.candidate.kernel)));
      change.add(Family::steps, step_key(number, i), std::move(bytes));
      if (!step.verdict.measurement) continue;
      WARPMIND_TRY(auto measured, encode_measurement(*step.verdict.measurement));
      change.add(Family::measurements, measurement_key(number, i), std::move(measured));
    }
    return {};
  }

  void keep(const Episode& episode, const Task& task) {
    const auto done = base_->write(1024, [&](ChangeSet& change) -> Result<void> {
      WARPMIND_CHECK(remember(change, episode, task));
      change.describe("episode", {episode.id.str()});
      return {};
    });
    ASSERT_TRUE(done) << done.error().message;
  }

  /// Remembers an episode and learns from it in one change; returns the lines of the receipt.
  std::vector<std::string> teach(const Episode& episode, const Task& task) {
    std::vector<std::string> lines;
    const auto done = change([&](InsightWriter& writer, ChangeSet& change) -> Result<void> {
      WARPMIND_CHECK(remember(change, episode, task));
      WARPMIND_TRY(lines, learn_insights(writer, episode));
      return {};
    });
    EXPECT_TRUE(done) << done.error().message;
    return lines;
  }

  /// An episode of `task` whose only step tried `technique`; kept in the base.
  EvidenceRef tried(std::int64_t number, const Task& task, fakes::StepSketch sketch,
                    const DeviceIdentity& device = fakes::h200(),
                    Provider provider = Provider::gpu) {
    keep(fakes::EpisodeSketch(number, task, device).step(sketch).provider(provider).finish(), task);
    EvidenceRef cited;
    cited.episode = EpisodeId("e-" + std::string(10 - std::to_string(number).size(), '0') +
                              std::to_string(number));
    cited.step = 1;
    cited.provider = provider;
    cited.supports = sketch.outcome == Outcome::improved;
    return cited;
  }

  Result<Insight> cite(const InsightId& id, const EvidenceRef& evidence) {
    InsightEvent event;
    event.insight = id;
    event.op = InsightOp::evidence;
    event.actor = alice();
    event.evidence = evidence;
    return apply(event);
  }

  /// Every key and value of a family, events of insights left out.
  std::vector<std::pair<std::string, std::string>> rows(Family family) const {
    std::vector<std::pair<std::string, std::string>> all;
    const auto scanned = base_->read([&](const Database& database, const std::string&) {
      return database.scan({family, ""},
                           [&](std::string_view key, std::string_view value) -> Result<bool> {
                             if (family != Family::insights || key.front() != 2)
                               all.emplace_back(key, value);
                             return true;
                           });
    });
    EXPECT_TRUE(scanned.has_value());
    return all;
  }

  [[nodiscard]] OpenBase& base() const { return *base_; }
  [[nodiscard]] InsightLibrary library() const { return InsightLibrary(*base_); }

 private:
  ScratchDirectory scratch_;
  SystemClock clock_;
  std::unique_ptr<OpenBase> base_;
};

}  // namespace warpmind::knowledge_base
