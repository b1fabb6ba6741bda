#include "knowledge_base/insights/insight_codec.h"

#include "base/file.h"

#include <cstdlib>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::knowledge_base {
namespace {

using testing::HasSubstr;

// The values in the golden files. Never change them, nor the files: add files for a new version.

EvidenceRef golden_evidence() {
  return {EpisodeId("e-0000000007"),
          3,
          TaskId("t-1"),
          "transpose",
          Provider::sim,
          "NVIDIA H200",
          false,
          -0.25,
          false};
}

Insight golden_insight() {
  Insight insight;
  insight.id = InsightId("i-0123456789abcdef");
  insight.kind = InsightKind::composite;
  insight.claim = "block_size then unroll pay in this order";
  insight.mechanism = "fewer, fatter threads — less index arithmetic";
  insight.action = {{"block_size", "unroll"}, "block=8x32x1"};
  insight.scope = {{90, 99},      {"transpose"},
                   {Dtype::f32},  {BottleneckClass::uncoalesced_access},
                   "NVIDIA H200", {"tf32"}};
  insight.profile_signature = {{"dram_share", 0.5}};
  insight.code_signature = {{"loops", 2}};
  insight.state = InsightState::quarantined;
  insight.trust = Trust::t2;
  insight.pinned = true;
  insight.space = "project:x";
  insight.provenance = {"pack:1", "critic", "model", "ab", "CC0-1.0", "13.0", "580.1"};
  insight.evidence = {golden_evidence()};
  insight.attestations = {{"base1", 9, InsightState::confirmed, 4, 1, 0.125}};
  insight.supersedes = {InsightId("i-1")};
  insight.superseded_by = InsightId("i-2");
  insight.utility = {0.25, 0.5, -0.5, 1, 5};
  insight.state_reason = "as told";
  insight.created = 3;
  insight.changed = 9;
  insight.document = 4;
  insight.created_at = {1'700'000'000'000};
  insight.changed_at = {1'700'000'060'000};
  return insight;
}

StoredInsight golden_stored() {
  EvidenceCell cell{Provider::gpu, "NVIDIA H200", 90, "transpose", {3, 0.25, 0.5}, {}, {}};
  cell.supports = {2, 1, {{EpisodeId("e-0000000007"), TaskId("t-1")}}};
  cell.contradicts = {1, 0, {{EpisodeId("e-0000000008"), TaskId("t-2")}}};
  return {golden_insight(),         {cell}, InsightState::contested,
          "measured on both sides", true,   {InsightId("i-3"), InsightId("i-2")}};
}

InsightEvent golden_event() {
  InsightEvent event;
  event.insight = InsightId("i-1");
  event.op = InsightOp::transition;
  event.actor = {"gate", "because"};
  event.at = {1'700'000'000'000};
  event.content = golden_insight();
  event.evidence = golden_evidence();
  event.attestation = golden_insight().attestations.front();
  // Emptied on purpose: that is another thing than left alone.
  event.amendment = InsightAmendment{{"claim", "", std::nullopt, "user"}, InsightScope{}};
  event.state = InsightState::probation;
  event.because = {EpisodeId("e-0000000007")};
  event.other = InsightId("i-2");
  event.undone_sequence = 5;
  event.undone_position = 2;
  event.source = "user:alice";
  event.capability = 90;
  event.outcome = Outcome::wrong;
  return event;
}

StoredSource golden_source() { return {"pack:1", 12, {{5, true, "user:alice", "odd numbers"}}}; }

Technique golden_technique() {
  Technique technique;
  technique.name = "unroll";
  technique.title = "Unrolling";
  technique.category = "control";
  technique.bottlenecks = {BottleneckClass::memory_latency};
  technique.capability_min = 75;
  technique.when = "short loops";
  technique.parameters = {"factor: 2, 4"};
  technique.generations = {{"sm_90", "as ever"}};
  technique.typical_high = 1.25;
  technique.source = "seed 1";
  technique.edited = true;
  return technique;
}

Fact golden_fact() { return {"sm_90", "warps", 64, "count", "the guide, table 3", "note"}; }

std::string golden(const std::string& name, const Result<std::string>& now) {
  const std::filesystem::path path =
      std::filesystem::path(WARPMIND_TEST_DATA) / "records" / "v1" / (name + ".bin");
  if (std::getenv("WARPMIND_WRITE_GOLDEN") != nullptr && !std::filesystem::exists(path)) {
    EXPECT_TRUE(write_file_atomic(path, now.value()).has_value());
  }
  return read_file(path, 1U << 20U).value();
}

TEST(InsightCodec, GoldenRecordsOfVersion1AreReadByEveryBuild) {
  EXPECT_EQ(decode_stored_insight(golden("insight", encode_insight(golden_stored()))).value(),
            golden_stored());
  EXPECT_EQ(decode_insight(golden("insight", encode_insight(golden_stored()))).value(),
            golden_insight());
  EXPECT_EQ(decode_event(golden("insight_event", encode_event(golden_event()))).value(),
            golden_event());
  EXPECT_EQ(decode_source(golden("insight_source", encode_source(golden_source()))).value(),
            golden_source());
  EXPECT_EQ(decode_technique(golden("technique", encode_technique(golden_technique()))).value(),
            golden_technique());
  const TechniqueVersion version{golden_technique(), "user:alice", "typo", 7};
  EXPECT_EQ(decode_technique_version(golden("technique_version", encode_technique_version(version)))
                .value(),
            version);
  EXPECT_EQ(decode_fact(golden("fact", encode_fact(golden_fact()))).value(), golden_fact());
}

TEST(InsightCodec, WhatHoldsNothingTakesNoSpaceAndComesBack) {
  const StoredInsight empty{};
  const auto bytes = encode_insight(empty).value();
  EXPECT_THAT(bytes, testing::Not(HasSubstr("mechanism")));
  EXPECT_EQ(decode_stored_insight(bytes).value(), empty);
  EXPECT_EQ(decode_event(encode_event({}).value()).value(), InsightEvent{});
}

TEST(InsightCodec, ANumberThatIsNotFiniteIsRefused) {
  StoredInsight stored;
  stored.insight.utility.mean = std::numeric_limits<double>::quiet_NaN();
  const auto bytes = encode_insight(stored);
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.error().code, Errc::invalid_argument);
}

TEST(InsightCodec, DamagedAndNewerRecordsAreNamed) {
  auto bytes = encode_event(golden_event()).value();
  bytes.front() = 99;
  EXPECT_THAT(decode_event(bytes).error().message, HasSubstr("newer build"));
  EXPECT_EQ(decode_event("").error().code, Errc::corrupt_data);
  EXPECT_EQ(decode_insight("\1{\"state\":\"wild\"}").error().code, Errc::corrupt_data);
  EXPECT_EQ(decode_stored_insight("\1{\"fold\":{\"cells\":7}}").error().code, Errc::corrupt_data);
}

}  // namespace
}  // namespace warpmind::knowledge_base
