#include "agents/writing/answer_parser.h"

#include "agents/writing/critique_parser.h"
#include "base/codec/json_guard.h"
#include "writing_situation.h"

#include <random>

#include <gmock/gmock.h>

namespace warpmind::agents::writing {
namespace {

using ::testing::HasSubstr;

constexpr const char* kHead =
    R"({"technique": "x", "parameters": "", "rationale": "r", "predicted_gain": 1.5)";

/// An answer with these members more, and this source.
std::string answer_with(const std::string& members, const std::string& source) {
  return "```json\n" + std::string(kHead) + members + "}\n```\n```cuda\n" + source + "\n```\n";
}

class AnswerParser : public ::testing::Test {
 protected:
  std::string source() const { return situation_.task.kernel.source + "// edited"; }
  Result<Candidate> parse(const std::string& answer) const {
    return parse_answer(answer, situation_.task.kernel, situation_.task);
  }
  std::string refusal(const std::string& answer) const {
    const auto parsed = parse(answer);
    EXPECT_TRUE(parsed || parsed.error().code == Errc::invalid_argument);
    return parsed ? "" : parsed.error().message;
  }

  Situation situation_;
};

TEST_F(AnswerParser, ReadsAFencedAnswer) {
  const auto parsed = parse(answer_with("", source()));

  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->technique, "x");
  EXPECT_EQ(parsed->rationale, "r");
  EXPECT_EQ(parsed->predicted_gain, 1.5);
  EXPECT_EQ(parsed->kernel.source, source() + "\n");
  EXPECT_EQ(parsed->kernel.plan, situation_.task.kernel.plan);
}

TEST_F(AnswerParser, ReadsAStructuredAnswerAndOneAmidWords) {
  const auto structured = parse(std::string(kHead) +
                                R"(, "launches": null, "constants": null, "scratch": null,
                                   "host_entry": null, "source": "extern \"C\" __global__ void )"
                                R"(row_softmax(const __half* x, __half* y, int r, int c) {}\n"})");
  ASSERT_TRUE(structured) << structured.error().message;
  EXPECT_TRUE(structured->kernel.source.ends_with("{}\n"));

  EXPECT_TRUE(parse("Here it is.\n" + std::string(kHead) + "}\nand\n```cuda\n" + source() +
                    "\n```\nDone."));
  EXPECT_TRUE(parse("\r\n" + answer_with("", source()))) << "CRLF is no control character";
}

TEST_F(AnswerParser, EditsTheLaunchPlan) {
  const auto parsed = parse(answer_with(
      R"(, "launches": [{"kernel": "row_softmax", "grid": ["rows", 2], "block": [32],
          "shared_bytes": "block_x*4", "arguments": ["x", "y", "i32:rows", "i32:columns"],
          "cooperative": true}],
          "constants": [{"name": "WARPS", "value": 4}],
          "scratch": [{"name": "sums", "dtype": "f32", "elements": "rows", "zeroed": true}])",
      source()));

  ASSERT_TRUE(parsed) << parsed.error().message;
  const LaunchPlan& plan = parsed->kernel.plan;
  EXPECT_EQ(plan.launches[0].grid, (std::array<std::string, 3>{"rows", "2", "1"}));
  EXPECT_EQ(plan.launches[0].block, (std::array<std::string, 3>{"32", "1", "1"}));
  EXPECT_EQ(plan.launches[0].shared_bytes, "block_x*4");
  EXPECT_TRUE(plan.launches[0].cooperative);
  EXPECT_EQ(plan.constants.at("WARPS"), 4);
  EXPECT_EQ(plan.scratch, (std::vector<ScratchBuffer>{{"sums", Dtype::f32, "rows", true}}));
}

TEST_F(AnswerParser, AHostFunctionGetsTheArgumentsOfTheTask) {
  const auto parsed = parse(
      answer_with(R"(, "host_entry": "run")",
                  "extern \"C\" int run(const void* x, void* y, cudaStream_t s) { return 0; }"));

  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->kernel.tier, Tier::b);
  EXPECT_EQ(parsed->kernel.entry, "run");
  ASSERT_EQ(parsed->kernel.plan.launches.size(), 1U);
  EXPECT_EQ(parsed->kernel.plan.launches[0].arguments, (std::vector<std::string>{"x", "y"}));
}

TEST_F(AnswerParser, ClampsWhatIsPredicted) {
  const auto gain_of = [&](const std::string& number) {
    return parse("```json\n{\"technique\":\"x\",\"rationale\":\"r\",\"predicted_gain\":" + number +
                 "}\n```\n```cuda\n" + source() + "\n```")
        .value()
        .predicted_gain;
  };
  EXPECT_EQ(gain_of("900"), kMostGain);
  EXPECT_EQ(gain_of("0.01"), kLeastGain);
}

TEST_F(AnswerParser, RefusesUnchangedKernels) {
  const std::string given = situation_.task.kernel.source;
  EXPECT_THAT(refusal("```json\n" + std::string(kHead) + "}\n```\n```cuda\n" + given + "```\n"),
              HasSubstr("changes nothing"));
}

struct BadAnswer {
  const char* name;
  std::string answer;
  const char* reason;
};

TEST_F(AnswerParser, RefusesWithOneSentence) {
  const std::string good = answer_with("", source());
  const std::string json = "```json\n" + std::string(kHead) + "}\n```\n";
  const std::string launch =
      R"(, "launches": [{"kernel": "row_softmax", "grid": [1], "block": [1])";
  const std::vector<BadAnswer> table = {
      {"empty", " \n", "the answer is empty"},
      {"prose", "I cannot do that.", "no JSON object"},
      {"no block", json, "no ```cuda block"},
      {"another language", json + "```python\nx\n```", "no ```cuda block"},
      {"two blocks", good + "```cuda\nint x;\n```", "two ```cuda blocks"},
      {"two objects", json + good, "two ```json blocks"},
      {"never closed", json + "```cuda\nint x;", "never closed"},
      {"large answer", std::string((1U << 20U) + 1, 'a'), "the limit is 1048576"},
      {"large source", answer_with("", std::string((256U << 10U) + 1, 'a')), "the limit is 262144"},
      {"not UTF-8", good + "\xff", "is not UTF-8"},
      {"control character", good + "\x07", "control character"},
      {"control character in JSON", std::string(kHead) + ",\"source\":\"int x;\\u0007\"}",
       "control characters"},
      {"broken JSON", "```json\n{\"technique\": }\n```\n```cuda\nx\n```", "cannot be read"},
      {"deep JSON", "```json\n" + std::string(40, '[') + std::string(40, ']') + "\n```",
       "cannot be read"},
      {"a list", "```json\n[1]\n```\n```cuda\nx\n```", "must be a JSON object"},
      {"unknown member", answer_with(R"(, "launch": [])", source()), "did you mean 'launches'"},
      {"source twice", answer_with(R"(, "source": "x")", source()), "give it once"},
      {"no technique", "```json\n{\"rationale\":\"r\",\"predicted_gain\":1}\n```\n```cuda\nx\n```",
       "technique: is missing"},
      {"odd technique",
       "{\"technique\":\"a b\",\"rationale\":\"r\",\"predicted_gain\":1,\"source\":\"x\"}",
       "technique: must be a name"},
      {"no prediction", "{\"technique\":\"a\",\"rationale\":\"r\",\"source\":\"x\"}",
       "predicted_gain: must be a number"},
      {"prediction as text",
       "{\"technique\":\"a\",\"rationale\":\"r\",\"predicted_gain\":\"2x\",\"source\":\"x\"}",
       "predicted_gain: must be a number"},
      {"two lines",
       "{\"technique\":\"a\",\"rationale\":\"r\\ns\",\"predicted_gain\":1,\"source\":\"x\"}",
       "rationale: must be one line"},
      {"unknown kernel",
       answer_with(R"(, "launches": [{"kernel": "softmax", "grid": [1], "block": [1],
                        "arguments": ["x"]}])",
                   source()),
       "no __global__ function 'softmax'"},
      {"unknown launch member", answer_with(launch + R"(, "stream": 3}])", source()),
       "launches[0].stream: no such member"},
      {"no block",
       answer_with(R"(, "launches": [{"kernel": "row_softmax", "grid": [1]}])", source()),
       "launches[0].block"},
      {"four extents",
       answer_with(R"(, "launches": [{"kernel": "row_softmax", "grid": [1,1,1,1], "block": [1]}])",
                   source()),
       "launches[0].grid: has 4 entries"},
      {"wrong argument",
       answer_with(launch + R"(, "arguments": ["x", "z", "i32:rows", "i32:columns"]}])", source()),
       "'z' is neither an argument"},
      {"missing argument", answer_with(launch + R"(, "arguments": ["x", "y"]}])", source()),
       "has 4 parameters and the launch gives 2"},
      {"no output written", answer_with(R"(, "launches": [])", source()), "at least one launch"},
      {"bad expression",
       answer_with(R"(, "launches": [{"kernel": "row_softmax", "grid": ["lines"], "block": [1],
                        "arguments": ["x", "y", "i32:rows", "i32:columns"]}])",
                   source()),
       "lines"},
      {"block too large",
       answer_with(R"(, "launches": [{"kernel": "row_softmax", "grid": ["rows"], "block": [2048],
                        "arguments": ["x", "y", "i32:rows", "i32:columns"]}])",
                   source()),
       "1024"},
      {"constant as text", answer_with(R"(, "constants": [{"name": "N", "value": "4"}])", source()),
       "constants[0].value: must be an integer"},
      {"constant twice",
       answer_with(R"(, "constants": [{"name":"N","value":4},{"name":"N","value":5}])", source()),
       "given twice"},
      {"unknown dtype",
       answer_with(R"(, "scratch": [{"name": "s", "dtype": "fp8", "elements": "1"}])", source()),
       "scratch[0].dtype: must be one of"},
      {"host with launches", answer_with(R"(, "host_entry": "run", "launches": [])", source()),
       "must be null"},
      {"host not in the source", answer_with(R"(, "host_entry": "run")", source()),
       "does not define 'run'"},
  };
  for (const auto& bad : table) {
    const std::string why = refusal(bad.answer);
    EXPECT_THAT(why, HasSubstr(bad.reason)) << bad.name;
    EXPECT_EQ(why.find('\n'), std::string::npos) << bad.name;
  }
}

TEST_F(AnswerParser, DamagedAnswersAreReadOrRefusedWithOneSentence) {
  const std::string good = good_answer(situation_);
  std::mt19937 random(11);
  const auto below = [&](std::size_t limit) { return random() % limit; };
  int refused = 0;
  constexpr int kRounds = 2000;
  for (int round = 0; round < kRounds; ++round) {
    std::string answer = good;
    for (std::size_t edits = 1 + below(4); edits > 0; --edits) {
      const std::size_t at = below(answer.size());
      switch (below(4)) {
        case 0: answer[at] = static_cast<char>(below(256)); break;
        case 1: answer.erase(at, 1 + below(40)); break;
        case 2: answer.insert(at, answer.substr(below(answer.size()), 1 + below(40))); break;
        default: answer.insert(at, 1, "{}[]\"`,\\\n"[below(9)]); break;
      }
    }
    const std::string why = refusal(answer);
    refused += why.empty() ? 0 : 1;
    ASSERT_EQ(why.find('\n'), std::string::npos) << why;
  }
  EXPECT_GT(refused, kRounds / 10);
  EXPECT_LT(refused, kRounds);
}

TEST(AnswerSchemas, AreJson) {
  EXPECT_TRUE(codec::parse_json(candidate_schema()));
  EXPECT_TRUE(codec::parse_json(critique_schema()));
}

}  // namespace
}  // namespace warpmind::agents::writing
