#include "knowledge_base/insights/insight_fold.h"

#include "knowledge_base/insights/gate.h"
#include "knowledge_base/insights/utility.h"

#include <cmath>
#include <random>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::knowledge_base {
namespace {

const InsightId kId("i-1");

/// A history that grows by events, one a change.
class History {
 public:
  explicit History(InsightKind kind = InsightKind::positive) {
    InsightEvent add;
    add.content = Insight{};
    add.content->kind = kind;
    add.content->claim = "unroll pays";
    add.content->action.techniques = {"unroll"};
    add.content->provenance.source = "pack:1";
    add.actor.name = "pack 1";
    push(add);
  }

  History& push(InsightEvent event) {
    event.insight = event.insight.empty() ? kId : event.insight;
    event.source = source_of(event);
    const auto sequence = static_cast<std::int64_t>(events.size()) + 1;
    event.at = {1000 + sequence};
    events.push_back({sequence, static_cast<std::size_t>(sequence % 3), std::move(event)});
    return *this;
  }
  History& evidence(const std::string& episode, const std::string& task, double log_gain,
                    const std::string& device = "NVIDIA H200", int capability = 90,
                    Provider provider = Provider::gpu, const std::string& family = "scan") {
    InsightEvent event;
    event.op = InsightOp::evidence;
    event.actor.name = "episode " + episode;
    event.evidence =
        EvidenceRef{EpisodeId(episode), 1,        TaskId(task), family, provider, device,
                    log_gain > 0,       log_gain, true};
    event.capability = capability;
    event.outcome = log_gain > 0 ? Outcome::improved : Outcome::regressed;
    return push(event);
  }
  History& op(InsightOp op) {
    InsightEvent event;
    event.op = op;
    event.actor.name = "user:alice";
    return push(event);
  }
  History& state(InsightState state, const std::string& actor = "user:alice") {
    InsightEvent event;
    event.op = InsightOp::transition;
    event.actor = {actor, "as told"};
    event.state = state;
    return push(event);
  }
  History& undo(std::size_t index) {
    InsightEvent event;
    event.op = InsightOp::undo;
    event.actor.name = "user:bob";
    event.undone_sequence = events[index].sequence;
    event.undone_position = static_cast<std::int64_t>(events[index].position);
    event.other = events[index].event.other;
    return push(event);
  }

  [[nodiscard]] StoredInsight folded(const Distrusted& without = {}) const {
    return fold(kId, events, without).value();
  }

  std::vector<LoggedEvent> events;
};

InsightEvent random_event(std::mt19937& random, const History& history) {
  const auto pick = [&random](int choices) {
    return static_cast<int>(random() % static_cast<unsigned>(choices));
  };
  InsightEvent event;
  event.actor.name = pick(3) == 0 ? "user:mallory" : "user:alice";
  switch (pick(10)) {
    case 0: {
      event.op = InsightOp::attest;
      event.attestation = Attestation{"base" + std::to_string(pick(3)),
                                      pick(4),
                                      InsightState::confirmed,
                                      pick(5),
                                      pick(3),
                                      0.1 * pick(9)};
      break;
    }
    case 1: {
      event.op = InsightOp::amend;
      event.amendment = InsightAmendment{};
      if (pick(2) == 0) event.amendment->claim = "claim " + std::to_string(pick(100));
      if (pick(3) == 0) {
        event.amendment->scope = InsightScope{};
        if (pick(2) == 0) event.amendment->scope->device = "device 1";
      }
      event.amendment->parameters = "p=" + std::to_string(pick(4));
      break;
    }
    case 2: {
      event.op = InsightOp::transition;
      event.actor.name = pick(2) == 0 ? "gate" : event.actor.name;
      event.state =
          std::array{InsightState::proposed, InsightState::probation, InsightState::confirmed,
                     InsightState::deprecated, InsightState::retracted}
              .at(static_cast<std::size_t>(pick(5)));
      break;
    }
    case 3: event.op = pick(2) == 0 ? InsightOp::pin : InsightOp::unpin; break;
    case 4: {
      event.op = InsightOp::supersede;
      const bool other_way = pick(3) == 0;
      event.insight = other_way ? InsightId("i-9") : kId;
      event.other = other_way ? kId : InsightId("i-" + std::to_string(2 + pick(3)));
      break;
    }
    case 5: {
      if (history.events.size() < 2) break;
      const auto index =
          1 + static_cast<std::size_t>(pick(static_cast<int>(history.events.size() - 1)));
      event.op = InsightOp::undo;
      event.undone_sequence = history.events[index].sequence;
      event.undone_position = static_cast<std::int64_t>(history.events[index].position);
      return event;
    }
    default: break;
  }
  if (event.op != InsightOp::add) return event;
  event.op = InsightOp::evidence;
  event.evidence = EvidenceRef{EpisodeId("e-" + std::to_string(pick(30))),
                               1,
                               TaskId("t-" + std::to_string(pick(6))),
                               "family " + std::to_string(pick(2)),
                               static_cast<Provider>(pick(3)),
                               "device " + std::to_string(pick(3)),
                               pick(2) == 0,
                               0.01 * (pick(100) - 50),
                               pick(4) != 0};
  event.capability = 80 + 10 * pick(2);
  if (pick(4) == 0) event.outcome = Outcome::build_failed;
  return event;
}

TEST(InsightFold, OneEventMoreIsTheSameAsFoldingAllAgain) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    const Distrusted without =
        seed % 3 == 0 ? Distrusted{} : Distrusted{"user:mallory", "episode:e-3", "base:base1"};
    History history(static_cast<InsightKind>(seed % 4));
    StoredInsight step_by_step;
    fold_next(step_by_step, history.events.front(), without);
    for (int i = 0; i < 150; ++i) {
      history.push(random_event(random, history));
      const LoggedEvent& next = history.events.back();
      if (needs_whole_fold(next.event)) {
        step_by_step = history.folded(without);
      } else {
        fold_next(step_by_step, next, without);
      }
      ASSERT_EQ(step_by_step, history.folded(without)) << "seed " << seed << " event " << i;
    }
    EXPECT_LE(step_by_step.insight.evidence.size(), kMostEvidence);
  }
}

/// But for when it was touched last.
StoredInsight unstamped(StoredInsight stored) {
  stored.insight.changed = 0;
  stored.insight.changed_at = {};
  return stored;
}

TEST(InsightFold, UndoingAnUndoChangesNothing) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    std::mt19937 random(seed);
    History history;
    for (int i = 0; i < 40; ++i) history.push(random_event(random, history));
    const auto before = unstamped(history.folded());
    const auto taken_back = undone(history.events, {});
    for (std::size_t i = 1; i < history.events.size(); ++i) {
      const std::pair place(history.events[i].sequence,
                            static_cast<std::int64_t>(history.events[i].position));
      if (taken_back.contains(place)) continue;
      History longer = history;
      longer.undo(i);
      longer.undo(longer.events.size() - 1);
      ASSERT_EQ(unstamped(longer.folded()), before) << "seed " << seed << " event " << i;
    }
  }
}

TEST(InsightFold, UndoTakesEvidenceOutOfTheUtility) {
  History history;
  history.evidence("e-1", "t-1", 0.5);
  const auto one = history.folded();
  history.evidence("e-2", "t-2", -0.4);
  EXPECT_LT(history.folded().insight.utility.mean, one.insight.utility.mean);
  history.undo(2);
  EXPECT_EQ(history.folded().insight.utility, one.insight.utility);
  EXPECT_EQ(history.folded().insight.evidence, one.insight.evidence);
}

TEST(InsightFold, AllEvidenceCountsThoughTheNewest64AreKept) {
  History history;
  for (int i = 0; i < 100; ++i) {
    history.evidence("e-" + std::to_string(i), "t-" + std::to_string(i), 0.3);
  }
  const auto stored = history.folded();
  EXPECT_EQ(stored.insight.evidence.size(), kMostEvidence);
  EXPECT_EQ(stored.insight.evidence.back().episode, EpisodeId("e-99"));
  EXPECT_EQ(stored.insight.utility.observations, 100);
  EXPECT_NEAR(stored.insight.utility.mean, 0.3 * 100 / 103, 1e-12);
}

TEST(InsightFold, ANarrowedScopeDropsTheEvidenceOutsideIt) {
  History history;
  history.evidence("e-1", "t-1", 0.5, "NVIDIA H200", 90).evidence("e-2", "t-2", -0.5, "A100", 80);
  InsightEvent narrow;
  narrow.op = InsightOp::amend;
  narrow.actor.name = "user:alice";
  narrow.amendment = InsightAmendment{};
  narrow.amendment->scope = InsightScope{};
  narrow.amendment->scope->capability_min = 90;
  history.push(narrow);
  EXPECT_EQ(history.folded().insight.utility.observations, 1);
  EXPECT_GT(history.folded().insight.utility.mean, 0);
  history.undo(3);
  EXPECT_EQ(history.folded().insight.utility.observations, 2);
}

TEST(InsightFold, ADistrustedSourceHasNoInfluence) {
  History history;
  history.evidence("e-1", "t-1", 0.5).evidence("e-2", "t-2", 0.4);
  EXPECT_EQ(history.folded({"episode:e-2"}).insight.utility.observations, 1);
  EXPECT_EQ(history.folded({"episodes"}).insight.utility.observations, 0);
  const auto held = history.folded({"pack:1"});
  EXPECT_EQ(held.insight.state, InsightState::quarantined);
  EXPECT_THAT(held.insight.state_reason, testing::HasSubstr("pack:1"));
  EXPECT_FALSE(may_judge(held));
  // Trust in the source again brings back what was.
  EXPECT_EQ(history.folded().insight.state, InsightState::proposed);
}

TEST(InsightFold, SimulatedEvidenceNeverJoinsMeasuredEvidence) {
  History history;
  for (int i = 0; i < 10; ++i) {
    const std::string n = std::to_string(i);
    history.evidence("e-" + n, "t-" + n, 0.7, "NVIDIA H200", 90, Provider::sim);
  }
  EXPECT_EQ(history.folded().insight.utility.observations, 10);
  EXPECT_EQ(history.folded().insight.trust, Trust::t0);
  history.evidence("e-10", "t-10", -0.2);
  const auto measured = history.folded();
  EXPECT_EQ(measured.insight.utility.observations, 1);
  EXPECT_LT(measured.insight.utility.mean, 0);
}

/// A base that was restored may say two things under one sequence.
TEST(InsightFold, AttestationsOfOneSequenceJoinInAnyOrder) {
  const Attestation agrees{"base1", 7, InsightState::confirmed, 5, 0, 0.3};
  const Attestation doubts{"base1", 7, InsightState::contested, 5, 2, 0.1};
  const Attestation newer{"base1", 8, InsightState::proposed, 0, 0, 0};
  const auto heard = [](std::vector<Attestation> said) {
    History history;
    for (auto& one : said) {
      InsightEvent event;
      event.op = InsightOp::attest;
      event.actor.name = "user:alice";
      event.attestation = std::move(one);
      history.push(event);
    }
    return history.folded().insight.attestations;
  };
  EXPECT_EQ(heard({agrees, doubts}), std::vector{doubts});
  EXPECT_EQ(heard({doubts, agrees}), std::vector{doubts});
  EXPECT_EQ(heard({newer, doubts, agrees}), std::vector{newer});
  EXPECT_FALSE(replaces(agrees, agrees));
}

TEST(InsightFold, TrustFollowsFromSourceEvidenceAndPin) {
  History history;
  EXPECT_EQ(history.folded().insight.trust, Trust::t0);
  history.evidence("e-1", "t-1", 0.5);
  EXPECT_EQ(history.folded().insight.trust, Trust::t2);
  history.state(InsightState::confirmed, "gate");
  EXPECT_EQ(history.folded().insight.trust, Trust::t3);
  history.op(InsightOp::pin);
  EXPECT_EQ(history.folded().insight.trust, Trust::t4);
  EXPECT_EQ(history.folded({"pack:1"}).insight.trust, Trust::t0);
}

TEST(Utility, ANegativeClaimIsWorthWhatItSpares) {
  EvidenceRef evidence;
  evidence.log_gain = -0.2;
  EXPECT_NEAR(value_of(InsightKind::negative, evidence, Outcome::regressed).value, 0.2488, 1e-4);
  EXPECT_NEAR(value_of(InsightKind::positive, evidence, Outcome::regressed).value, -0.2, 1e-12);
  evidence.log_gain = 0;
  evidence.confirmed = false;
  EXPECT_NEAR(value_of(InsightKind::negative, evidence, Outcome::wrong).value, std::log(1.2),
              1e-12);
  EXPECT_EQ(value_of(InsightKind::positive, evidence, Outcome::wrong).value, 0);
  EXPECT_EQ(value_of(InsightKind::positive, evidence, Outcome::same).weight, kScreeningWeight);
}

TEST(Utility, AttestationsMoveTheMeanALittleAndNarrowNothing) {
  const Utility none = utility_of({}, {});
  EXPECT_EQ(none.mean, 0);
  EXPECT_NEAR(std::exp(none.high), 1.13, 0.01);
  std::vector<Attestation> many;
  for (int i = 0; i < 50; ++i) {
    many.push_back({"b" + std::to_string(i), 1, InsightState::confirmed, 1000, 0, 5.0});
  }
  const Utility told = utility_of({}, many);
  EXPECT_GT(told.mean, 0);
  // At most one pseudo-count of four, of at most "twice as fast".
  EXPECT_LE(told.mean, std::log(2.0) / 4 + 1e-12);
  EXPECT_EQ(told.observations, 0);
  EXPECT_GE(told.high - told.low, none.high - none.low - 1e-12);
}

}  // namespace
}  // namespace warpmind::knowledge_base
