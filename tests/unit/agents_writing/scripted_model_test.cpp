#include "agents/llm/scripted/scripted_model.h"

#include "agents/llm/scripted/recording_model.h"
#include "agents/llm/scripted/replay_model.h"
#include "agents/llm/scripted/rules_model.h"
#include "base/file.h"
#include "writing_situation.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <thread>

#include <gmock/gmock.h>

namespace warpmind::agents::llm {
namespace {

using ::testing::HasSubstr;
using writing::ListModel;
using writing::reply_of;

ModelRequest request_of(const std::string& text, const std::string& purpose = "proposal") {
  ModelRequest request;
  request.purpose = purpose;
  request.system = "You are a list.";
  request.messages = {{Speaker::user, "the task"}, {Speaker::user, text}};
  return request;
}

class ScriptedModel : public ::testing::Test {
 protected:
  std::filesystem::path put(const std::string& name, const std::string& text) {
    const auto file = directory_.path() / name;
    EXPECT_TRUE(write_file_atomic(file, text));
    return file;
  }
  std::unique_ptr<RulesModel> rules(const std::string& text) {
    auto model = RulesModel::open(put("rules.json", "{\"rules\": [" + text + "]}"));
    EXPECT_TRUE(model) << (model ? "" : model.error().message);
    return model ? *std::move(model) : nullptr;
  }
  std::string refusal(const std::string& text) {
    const auto model = RulesModel::open(put("rules.json", text));
    return model ? "" : model.error().message;
  }

  ScratchDirectory directory_ =
      ScratchDirectory::create(std::filesystem::temp_directory_path(), "wm-scripted").value();
};

std::string said(LanguageModel& model, const ModelRequest& request) {
  const auto reply = model.complete(request, {});
  return reply ? reply->text : "error: " + reply.error().message;
}

TEST_F(ScriptedModel, TheFirstRuleThatHoldsAnswers) {
  const auto model = rules(R"(
      {"when": {"purpose": "critique"}, "reply": "a critique"},
      {"when": {"contains": ["red", "ball"], "not_contains": ["blue"]}, "reply": "red ball"},
      {"when": {"call": 4}, "reply": "the fourth"},
      {"reply": "anything", "times": 2})");

  EXPECT_EQ(said(*model, request_of("x", "critique")), "a critique");
  EXPECT_EQ(said(*model, request_of("a red ball")), "red ball");
  EXPECT_EQ(said(*model, request_of("a red and blue ball")), "anything");
  EXPECT_EQ(said(*model, request_of("red")), "anything");
  EXPECT_EQ(said(*model, request_of("red")), "the fourth") << "of this purpose";
  const std::string none = said(*model, request_of("green"));
  EXPECT_THAT(none, HasSubstr("no rule answers request 5 of purpose 'proposal'"));
  EXPECT_THAT(none, HasSubstr("green"));
}

TEST_F(ScriptedModel, ARuleMaySayWhatItCostsAndThinks) {
  put("reply.md", "from a file");
  const auto model = rules(R"({"reply_file": "reply.md", "reasoning": "hm", "stop": "length",
      "usage": {"input_tokens": 12, "cached_tokens": 30, "output_tokens": 5, "micro_usd": 3}})");

  const auto reply = model->complete(request_of("x"), {}).value();

  EXPECT_EQ(reply.text, "from a file");
  EXPECT_EQ(reply.reasoning, "hm");
  EXPECT_EQ(reply.stop, StopReason::length);
  EXPECT_EQ(reply.usage.cached_tokens, 30);
  EXPECT_TRUE(reply.usage.reported);
}

TEST_F(ScriptedModel, BadRulesAreRefusedWithTheirPlace) {
  EXPECT_THAT(refusal("{"), HasSubstr("rules.json"));
  EXPECT_THAT(refusal(R"({"rule": []})"), HasSubstr("unknown member 'rule'"));
  EXPECT_THAT(refusal(R"({"rules": [{"reply": "a"}, {"answer": "b"}]})"),
              HasSubstr("rule 2: unknown member 'answer'"));
  EXPECT_THAT(refusal(R"({"rules": [{}]})"), HasSubstr("either 'reply' or 'reply_file'"));
  EXPECT_THAT(refusal(R"({"rules": [{"reply": 3}]})"), HasSubstr("rule 1"));
  EXPECT_THAT(refusal(R"({"rules": [{"reply_file": "absent.md"}]})"), HasSubstr("absent.md"));
  EXPECT_THAT(refusal(R"({"rules": [{"reply": "", "stop": "later"}]})"), HasSubstr("later"));
}

TEST_F(ScriptedModel, NamesAFileOrSaysHowTo) {
  const auto file = put("rules.json", R"({"rules": []})");
  EXPECT_TRUE(make_scripted_model("rules:" + file.string()));
  EXPECT_TRUE(make_scripted_model("replay:" + put("empty.jsonl", "").string()));
  const auto other = make_scripted_model("gpt");
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().message, HasSubstr("write rules:FILE or replay:FILE"));
  EXPECT_EQ(make_scripted_model("rules:/absent.json").error().code, Errc::not_found);
  EXPECT_TRUE(is_scripted("replay:x"));
  EXPECT_FALSE(is_scripted("claude"));
}

TEST_F(ScriptedModel, AReplaySaysTheSameBitForBit) {
  ModelReply odd = reply_of("ünïcode \"quoted\"\n\ttext");
  odd.reasoning = "because";
  odd.stop = StopReason::length;
  odd.seconds = 0.1 + 0.2;  // no short decimal
  odd.first_token_seconds = 1.0 / 3;
  odd.usage.priced = true;
  odd.request_id = "r-1";
  ListModel inner({odd, reply_of("second"), fail(Errc::unavailable, "busy"), reply_of("third")});
  const auto file = directory_.path() / "calls.jsonl";
  std::vector<Result<ModelReply>> first;
  const std::vector<ModelRequest> asked = {request_of("a"), request_of("a"), request_of("b"),
                                           request_of("c")};
  {
    const auto recorder = RecordingModel::open(inner, file).value();
    EXPECT_EQ(recorder->name(), "list");
    for (const auto& request : asked) first.push_back(recorder->complete(request, {}));
  }

  const auto replay = ReplayModel::open(file).value();
  std::vector<Result<ModelReply>> second;
  for (const auto& request : asked) second.push_back(replay->complete(request, {}));

  ASSERT_EQ(first.size(), second.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    ASSERT_EQ(first[i].has_value(), second[i].has_value()) << i;
    if (first[i]) {
      EXPECT_EQ(*first[i], *second[i]) << i;
    } else {
      EXPECT_EQ(first[i].error(), second[i].error()) << i;
    }
  }
  EXPECT_EQ(replay->left(), 0U);
  EXPECT_THAT(said(*replay, asked[0]), HasSubstr("all 4 recorded answers were given"));
}

TEST_F(ScriptedModel, ARequestThatWasNotRecordedNamesTheFirstDifference) {
  ListModel inner({reply_of("one")});
  const auto file = directory_.path() / "calls.jsonl";
  const auto recorder = RecordingModel::open(inner, file).value();
  ASSERT_TRUE(recorder->complete(request_of("grid is 128 wide"), {}));
  const auto replay = ReplayModel::open(file).value();

  EXPECT_THAT(said(*replay, request_of("grid is 256 wide")),
              HasSubstr("messages[1] differs at byte 8: recorded '128 wide', asked '256 wide'"));
  auto longer = request_of("grid is 128 wide");
  longer.messages.push_back({Speaker::assistant, "and"});
  EXPECT_THAT(said(*replay, longer), HasSubstr("recorded with 2 messages, asked with 3"));
  auto cheaper = request_of("grid is 128 wide");
  cheaper.max_output_tokens = 5;
  EXPECT_THAT(said(*replay, cheaper), HasSubstr("max_output_tokens: recorded 16384, asked 5"));
  EXPECT_EQ(said(*replay, request_of("grid is 128 wide")), "one") << "still there";
}

TEST_F(ScriptedModel, DamagedRecordingsAreRefusedAndACutLastLineIsNot) {
  ListModel inner({reply_of("one"), reply_of("two")});
  const auto file = directory_.path() / "calls.jsonl";
  const auto recorder = RecordingModel::open(inner, file).value();
  ASSERT_TRUE(recorder->complete(request_of("a"), {}));
  ASSERT_TRUE(recorder->complete(request_of("b"), {}));
  const std::string text = read_file(file, 1U << 20U).value();
  EXPECT_EQ(std::filesystem::status(file).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);

  const auto cut = ReplayModel::open(put("cut.jsonl", text.substr(0, text.size() - 3)));
  ASSERT_TRUE(cut) << cut.error().message;
  EXPECT_EQ((*cut)->left(), 1U);

  std::string changed = text;
  changed.replace(changed.find("the task"), 8, "the cask");
  const auto refused = ReplayModel::open(put("changed.jsonl", changed));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("changed.jsonl:1: the hash is not that"));
  EXPECT_FALSE(ReplayModel::open(put("garbage.jsonl", "{}\n")));
  EXPECT_FALSE(ReplayModel::open(directory_.path() / "absent.jsonl"));
}

TEST_F(ScriptedModel, RecordingAFileThatCannotBeWrittenIsAnError) {
  ListModel inner({});
  const auto refused = RecordingModel::open(inner, directory_.path() / "absent" / "calls.jsonl");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::external_failure);
}

TEST_F(ScriptedModel, ManyThreadsMayAskAndRecord) {
  constexpr int kThreads = 4;
  constexpr int kCalls = 25;
  const auto model = rules(R"({"reply": "yes", "times": 100})");
  const auto file = directory_.path() / "calls.jsonl";
  {
    const auto recorder = RecordingModel::open(*model, file).value();
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&recorder, t] {
        for (int i = 0; i < kCalls; ++i) {
          (void)recorder->complete(request_of(std::to_string(t) + "/" + std::to_string(i)), {});
        }
      });
    }
  }
  const auto replay = ReplayModel::open(file).value();

  EXPECT_EQ(replay->left(), static_cast<std::size_t>(kThreads * kCalls));
  EXPECT_EQ(said(*replay, request_of("3/24")), "yes");
  EXPECT_THAT(said(*model, request_of("one more")), HasSubstr("no rule answers"));
}

}  // namespace
}  // namespace warpmind::agents::llm
