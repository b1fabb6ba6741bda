#include "base/codec/json_guard.h"
#include "daemon/protocol/message_codec.h"
#include "daemon/protocol/record_messages.h"

#include <gtest/gtest.h>

namespace warpmind::daemon::protocol {
namespace {

template <class T>
T there_and_back(const T& value) {
  const auto document = Document::parse(encode(value));
  EXPECT_TRUE(document);
  auto decoded = decode<T>(*document);
  EXPECT_TRUE(decoded) << decoded.error().message;
  return decoded ? *decoded : T{};
}

TEST(RecordMessages, AWholeExplanationTravels) {
  EpisodeExplainResult result;
  result.job_id = "j-0000000007";
  result.state = JobState::cancelled;
  result.budget.tokens = 5000;
  result.step = 1;
  Episode& episode = result.episode;
  episode.policy = "mcgs";
  episode.seed = UINT64_MAX;
  episode.spending.micro_usd = 1200;
  CritiqueClaim& claim = episode.claims.emplace_back();
  claim.steps = {1};
  claim.refused = "its sign is wrong";
  Delta& delta = episode.deltas.emplace_back();
  delta.kind = DeltaKind::split_scope;
  Step& step = episode.steps.emplace_back();
  step.edited = 0;
  step.score = 2.61;
  step.gradient.emplace();
  step.gradient->changes = {{"dram__bytes_read.sum", 10, 5, "bytes"}};
  step.promotion = Comparison{.ratio = 1.1};
  ExplainedInsight& insight = result.insights.emplace_back();
  insight.id = InsightId("i-3fa85b1c00112233");
  insight.known = true;
  insight.state = InsightState::contested;
  insight.utility.observations = 3;

  const auto back = there_and_back(result);

  EXPECT_EQ(back.episode, result.episode);
  EXPECT_EQ(back.insights, result.insights);
  EXPECT_EQ(back.budget, result.budget);
  EXPECT_EQ(back.state, JobState::cancelled);
  EXPECT_EQ(back.step, 1);
}

TEST(RecordMessages, AnExportSaysWhatItLeftOut) {
  ExportWriteResult result;
  result.file = "/tmp/a.jsonl";
  result.lines = 4;
  result.heldout = 5;
  result.unbalanced = 1;
  result.notes = {"one"};

  const auto back = there_and_back(result);

  EXPECT_EQ(back.file, result.file);
  EXPECT_EQ(back.lines, 4);
  EXPECT_EQ(back.heldout, 5);
  EXPECT_EQ(back.unbalanced, 1);
  EXPECT_EQ(back.notes, result.notes);
}

TEST(RecordMessages, WhatIsLeftOutStaysOut) {
  const auto back = there_and_back(ExportWriteParams{});

  EXPECT_FALSE(back.since);
  EXPECT_FALSE(back.threshold);
  EXPECT_TRUE(back.format.empty());
  EXPECT_TRUE(codec::parse_json(encode(EpisodeExplainResult{}))->at("step").is_null());
}

TEST(RecordMessages, SubmissionsCarryTheSearch) {
  TaskSubmitParams params;
  params.policy = "mcgs";
  params.workers = 2;
  params.usd = 0.25;

  const auto back = there_and_back(params);

  EXPECT_EQ(back.policy, "mcgs");
  EXPECT_EQ(back.workers, 2);
  EXPECT_EQ(back.usd, 0.25);
  EXPECT_FALSE(back.tokens);
  EXPECT_FALSE(back.seed);
}

}  // namespace
}  // namespace warpmind::daemon::protocol
