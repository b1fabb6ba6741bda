#include "agents/writing/critique_parser.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>

namespace warpmind::agents::writing {
namespace {

using ::testing::HasSubstr;

constexpr const char* kClaim =
    R"({"kind": "positive", "text": "It helps.", "mechanism": "", "technique": "t",
        "parameters": "", "bottleneck": "memory_latency", "steps": [1, 2], "log_gain": 0.3,
        "confidence": 0.7})";

std::string critique(const std::string& claims, const std::string& deltas = "") {
  return R"({"claims": [)" + claims + R"(], "deltas": [)" + deltas + "]}";
}

std::string without(std::string text, const std::string& part, const std::string& instead = "") {
  const auto at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return text.replace(at, part.size(), instead);
}

TEST(CritiqueParser, ReadsClaimsAndDeltas) {
  const auto parsed = parse_critique(
      "```json\n" + critique(kClaim, R"({"kind": "amend", "claim": 0, "target": "", "into": "",
                           "technique": "t", "field": "when_not", "text": "Rows are short.",
                           "bottlenecks": []},
                          {"kind": "split_scope", "claim": 0, "target": "i-1",
                           "bottlenecks": ["memory_latency"]})") +
      "\n```");

  ASSERT_TRUE(parsed) << parsed.error().message;
  ASSERT_EQ(parsed->claims.size(), 1U);
  EXPECT_EQ(parsed->claims[0].bottleneck, BottleneckClass::memory_latency);
  EXPECT_EQ(parsed->claims[0].steps, (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(parsed->claims[0].log_gain, 0.3);
  ASSERT_EQ(parsed->deltas.size(), 2U);
  EXPECT_EQ(parsed->deltas[0].field, "when_not");
  EXPECT_EQ(parsed->deltas[1].bottlenecks,
            (std::vector<BottleneckClass>{BottleneckClass::memory_latency}));
}

TEST(CritiqueParser, NothingTaughtIsAnAnswer) {
  const auto parsed = parse_critique(R"({"claims": [], "deltas": []})");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(*parsed, ParsedCritique{});
}

TEST(CritiqueParser, RefusesWithOneSentence) {
  std::string many = kClaim;
  for (int i = 0; i < 16; ++i) many += "," + std::string(kClaim);
  const auto delta = [](const std::string& members) {
    return critique(kClaim, "{\"claim\": 0, " + members + "}");
  };
  const std::vector<std::pair<std::string, const char*>> table = {
      {"none", "no JSON object"},
      {R"({"claims": [], "insights": []})", "insights: no such member"},
      {critique(many), "has 17 entries; the limit is 16"},
      {critique(without(kClaim, "positive", "maybe")), "claims[0].kind: must be one of"},
      {critique(without(kClaim, "It helps.", std::string(401, 'a'))), "the limit is 400"},
      {critique(without(kClaim, "It helps.")), "claims[0].text: is missing or empty"},
      {critique(without(kClaim, "memory_latency", "slow")), "claims[0].bottleneck"},
      {critique(without(kClaim, "[1, 2]", "[]")), "must cite at least one step"},
      {critique(without(kClaim, "[1, 2]", "[-1]")), "claims[0].steps[0]"},
      {critique(without(kClaim, "[1, 2]", "[\"one\"]")), "claims[0].steps[0]"},
      {critique(without(kClaim, "0.3", "40")), "claims[0].log_gain"},
      {critique(without(kClaim, "0.7", "7")), "claims[0].confidence"},
      {critique("", R"({"kind": "add", "claim": 0})"), "there is none"},
      {delta(R"("kind": "rewrite")"), "deltas[0].kind"},
      {critique(kClaim, R"({"kind": "add", "claim": 1})"), "deltas[0].claim"},
      {delta(R"("kind": "amend", "target": "i-1")"), "deltas[0].text: amend needs it"},
      {delta(R"("kind": "amend", "technique": "t", "field": "title", "text": "x")"),
       "deltas[0].field"},
      {delta(R"("kind": "merge", "target": "i-1")"), "deltas[0].into: merge needs it"},
      {delta(R"("kind": "deprecate")"), "deltas[0].target: deprecate needs it"},
      {delta(R"("kind": "split_scope", "target": "i-1", "bottlenecks": [3])"),
       "deltas[0].bottlenecks[0]"},
  };
  for (const auto& [answer, reason] : table) {
    const auto parsed = parse_critique(answer);
    ASSERT_FALSE(parsed) << reason;
    EXPECT_EQ(parsed.error().code, Errc::invalid_argument);
    EXPECT_THAT(parsed.error().message, HasSubstr(reason));
  }
}

}  // namespace
}  // namespace warpmind::agents::writing
