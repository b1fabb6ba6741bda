// What an embeddings endpoint does to searches, and what its absence does not.

#include "tests/unit/kb_embedding/endpoint_fixture.h"

#include <algorithm>
#include <fstream>
#include <set>

namespace warpmind::knowledge_base {
namespace {

using fakes::EmbeddingCall;
using fakes::EmbeddingReply;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

/// Nearer to "tile=64" than to anything else by the endpoint; the same to all by their words.
constexpr const char* kZebra = "uncoalesced loads: transpose the index order zebra";

class EndpointSpaceTest : public EndpointFixture {
 protected:
  void put_three() { put({insight("tile=32"), insight("tile=64"), insight("tile=128")}); }
};

TEST_F(EndpointSpaceTest, TheRankingByTextFollowsTheEndpoint) {
  open();
  put_three();
  ASSERT_NE(by_text(kZebra).front(), insight("tile=64").id);
  EXPECT_EQ(retrieval_->endpoint(), nullptr);
  EXPECT_EQ(retrieval_->figures().endpoint, "");
  open_with(embedding());
  await_settled();
  EXPECT_EQ(by_text(kZebra).front(), insight("tile=64").id);
  EXPECT_THAT(by_text(kZebra), SizeIs(3));
  EXPECT_EQ(retrieval_->figures().endpoint, "3 of 3 insights embedded by http:m:4");
  EXPECT_GE(retrieval_->figures().memory_bytes, 3 * 4 * 4);
}

TEST_F(EndpointSpaceTest, NearnessThereIsEnoughWithoutAWordInCommon) {
  open();
  put_three();
  EXPECT_THAT(search(about("zebra")).insights, IsEmpty());
  open_with(embedding());
  await_settled();
  EXPECT_THAT(found(about("zebra")), ElementsAre(insight("tile=64").id));
  auto never = embedding();
  never.near = 1.01;
  open_with(never);
  await_settled();
  EXPECT_THAT(search(about("zebra")).insights, IsEmpty());
}

TEST_F(EndpointSpaceTest, WhatIsNotEmbeddedYetIsFoundByTheBuiltInSpace) {
  open_with(embedding());
  put({insight("tile=32")});
  await([](const Figures& now) { return now.embedded == 1; });
  server_.hold([](const EmbeddingCall& call) {
    return call.texts.front().find("tile=64") != std::string::npos;
  });
  put({insight("tile=64")});
  server_.await_held(1);
  EXPECT_THAT(found(about(kQuestion)), Contains(insight("tile=64").id));
  EXPECT_THAT(by_text(kQuestion), SizeIs(2));
  EXPECT_EQ(figures().embedded, 1);
  EXPECT_FALSE(figures().settled);
  server_.release();
  await_settled();
  EXPECT_EQ(figures().embedded, 2);
}

TEST_F(EndpointSpaceTest, AChangedTextIsEmbeddedAgainAndTheOldVectorIsNotFound) {
  open_with(embedding());
  put_three();
  await_settled();
  auto reworded = insight("tile=64");
  reworded.claim = "Something else altogether.";
  reworded.action.parameters = "none";
  put({reworded});
  await([](const Figures& now) { return now.settled && now.embedded == 4; });
  EXPECT_THAT(search(about("zebra")).insights, IsEmpty());
  EXPECT_EQ(texts_sent("Something else altogether."), 1U);
}

TEST_F(EndpointSpaceTest, VectorsSurviveARestartAndARewordedInsightDoesNotGetAnOldOne) {
  open_with(embedding());
  put_three();
  await_settled();
  open();  // without the endpoint
  auto reworded = insight("tile=128");
  reworded.claim = "Another claim.";
  put({reworded});
  open_with(embedding());
  await_settled();
  EXPECT_EQ(texts_sent("tile=32"), 1U);
  EXPECT_EQ(texts_sent("tile=64"), 1U);
  EXPECT_EQ(texts_sent("Another claim."), 1U);
  EXPECT_EQ(by_text(kZebra).front(), insight("tile=64").id);
  EXPECT_EQ(figures().embedded, 3);
}

TEST_F(EndpointSpaceTest, AnotherModelEmbedsEverythingAgain) {
  open_with(embedding("first"));
  put_three();
  await_settled();
  const auto before = files();
  ASSERT_THAT(before, SizeIs(1));
  server_.embed_by(by_topic_wider);
  open_with(embedding("second"));
  await_settled();
  EXPECT_EQ(figures().embedder, "http:second:6");
  EXPECT_EQ(figures().embedded, 3);
  EXPECT_EQ(texts_sent("tile=64"), 2U);
  EXPECT_EQ(by_text(kZebra).front(), insight("tile=64").id);
  EXPECT_THAT(files(), SizeIs(1));
  EXPECT_NE(files(), before);
}

TEST_F(EndpointSpaceTest, AnotherDimensionUnderTheSameNameIsAnotherEmbedder) {
  open_with(embedding());
  put_three();
  await_settled();
  server_.embed_by(by_topic_wider);
  EXPECT_THAT(by_text(kZebra), SizeIs(3));  // by the built-in space; and the change is noticed
  await([](const Figures& now) { return now.embedder == "http:m:6" && now.settled; });
  EXPECT_EQ(figures().embedded, 3);
  EXPECT_EQ(by_text(kZebra).front(), insight("tile=64").id);
}

TEST_F(EndpointSpaceTest, ADimensionThatChangesUnderDocumentsIsAnotherEmbedder) {
  open_with(embedding());
  put({insight("tile=32")});
  await_settled();
  server_.embed_by(by_topic_wider);
  put({insight("tile=64")});
  await([](const Figures& now) { return now.embedder == "http:m:6" && now.settled; });
  EXPECT_EQ(figures().embedded, 2);
}

TEST_F(EndpointSpaceTest, AServerThatIsNotThereCostsNothingAndIsUsedWhenItComes) {
  server_.stop();
  open_with(embedding());
  put_three();
  await([](const Figures& now) { return !now.trouble.empty(); });
  EXPECT_THAT(found(about(kQuestion)), SizeIs(3));
  EXPECT_THAT(retrieval_->figures().endpoint, HasSubstr("the built-in vectors serve: 127.0.0.1"));
  server_.start();
  await_settled();
  EXPECT_EQ(figures().trouble, "");
  EXPECT_EQ(by_text(kZebra).front(), insight("tile=64").id);
}

TEST_F(EndpointSpaceTest, AServerThatGoesIsNoticedByAQuestionAndIsUsedWhenItIsBack) {
  open_with(embedding());
  put_three();
  await_settled();
  server_.stop();
  EXPECT_THAT(by_text(kZebra), SizeIs(3));
  EXPECT_NE(figures().trouble, "");
  EXPECT_EQ(figures().embedded, 3);
  server_.start();
  await([](const Figures& now) { return now.contact; });
  EXPECT_EQ(by_text(kZebra).front(), insight("tile=64").id);
  EXPECT_EQ(texts_sent("tile=64"), 1U);
}

TEST_F(EndpointSpaceTest, OnlyTheFirstQuestionWaitsForASlowServer) {
  open_with(embedding());
  put_three();
  await_settled();
  auto hasty = embedding();
  hasty.query_timeout = std::chrono::milliseconds(500);
  open_with(hasty);
  await_settled();
  server_.hold([](const EmbeddingCall&) { return true; });
  EXPECT_THAT(found(about(kQuestion)), SizeIs(3));
  EXPECT_THAT(figures().trouble, HasSubstr("imed out"));
  const auto asked = server_.times(kQuestion);
  EXPECT_LE(asked, 1U);  // 0 on a machine so busy that the request did not get there
  for (int i = 0; i < 5; ++i) EXPECT_THAT(found(about(kQuestion)), SizeIs(3));
  EXPECT_EQ(server_.times(kQuestion), asked);
  server_.release();
  while (by_text(kZebra).front() != insight("tile=64").id) {
    await([](const Figures& now) { return now.contact; });
  }
}

TEST_F(EndpointSpaceTest, AQuestionIsEmbeddedOnce) {
  open_with(embedding());
  put_three();
  await_settled();
  for (int i = 0; i < 5; ++i) (void)by_text(kZebra);
  EXPECT_EQ(server_.times(kZebra), 1U);
  auto without_text = about("");
  without_text.bottlenecks = {BottleneckClass::uncoalesced_access};
  const auto before = server_.calls().size();
  (void)found(without_text);
  (void)retrieval_->rank(about("other words"), {1, 0, 0, 0});
  EXPECT_EQ(server_.calls().size(), before);
}

TEST_F(EndpointSpaceTest, AnswersThatCannotBeRightAreNotTaken) {
  for (const auto* body :
       {"<html>", R"({"data":[]})", R"({"data":[{"index":0,"embedding":[null]}]})",
        R"({"data":[{"index":0,"embedding":[0,0]}]})", R"({"data":[{"embedding":[1e999]}]})"}) {
    server_.answer([body](const EmbeddingCall&) { return EmbeddingReply{200, body, ""}; });
    open_with(embedding());
    put_three();
    await([](const Figures& now) { return !now.trouble.empty(); });
    EXPECT_THAT(figures().trouble, HasSubstr("the answer ")) << body;
    EXPECT_EQ(figures().embedded, 0);
    EXPECT_THAT(found(about(kQuestion)), SizeIs(3));
    server_.answer(nullptr);
    await_settled();
    EXPECT_EQ(figures().embedded, 3);
    close();
    std::filesystem::remove_all(location().directory);
  }
}

TEST_F(EndpointSpaceTest, ATextThatTheServerCannotTakeHoldsUpNoOther) {
  for (const int status : {400, 500, 200}) {
    server_.answer([this, status](const EmbeddingCall& call) {
      const bool poisoned = std::any_of(
          call.texts.begin(), call.texts.end(),
          [](const std::string& text) { return text.find("tile=64") != std::string::npos; });
      return poisoned ? EmbeddingReply{status, "{}", ""} : server_.right(call);
    });
    open_with(embedding());
    put_three();
    await_settled();
    EXPECT_EQ(figures().embedded, 2) << status;
    EXPECT_EQ(figures().refused, 1) << status;
    EXPECT_THAT(found(about(kQuestion)), Contains(insight("tile=64").id));
    EXPECT_THAT(retrieval_->figures().endpoint, HasSubstr("2 of 3"));
    EXPECT_THAT(retrieval_->figures().endpoint, HasSubstr("1 refused"));
    // At the next start it is tried again, and finds its place below those that are there.
    server_.answer(nullptr);
    open_with(embedding());
    await_settled();
    EXPECT_EQ(figures().embedded, 3) << status;
    EXPECT_EQ(by_text(kZebra).front(), insight("tile=64").id);
    close();
    std::filesystem::remove_all(location().directory);
  }
}

TEST_F(EndpointSpaceTest, AQuestionThatTheServerRefusesIsAnsweredAllTheSame) {
  open_with(embedding());
  put_three();
  await_settled();
  server_.answer([this](const EmbeddingCall& call) {
    return call.texts.front() == kQuestion ? EmbeddingReply{413, "", ""} : server_.right(call);
  });
  EXPECT_THAT(found(about(kQuestion)), SizeIs(3));
  EXPECT_TRUE(figures().contact);
}

TEST_F(EndpointSpaceTest, ClosingGivesUpARequestThatIsOnItsWay) {
  server_.hold([](const EmbeddingCall& call) { return call.texts.size() == 3; });
  open_with(embedding());
  await_settled();
  put_three();
  server_.await_held(1);
  close();
  server_.release();
  open_with(embedding());
  await_settled();
  EXPECT_EQ(figures().embedded, 3);
}

TEST_F(EndpointSpaceTest, AThousandDocumentsGoInBatches) {
  std::vector<Insight> insights;
  for (std::int64_t i = 0; i < 1000; ++i) insights.push_back(fakes::generated_insight(i, 3));
  open();
  put(insights);
  open_with(embedding());
  await_settled();
  EXPECT_EQ(figures().embedded, 1000);
  std::multiset<std::string> sent;
  std::size_t batches = 0;
  for (const auto& call : server_.calls()) {
    EXPECT_LE(call.texts.size(), 64U);
    if (call.texts.front() == "warpmind") continue;  // is it there?
    ++batches;
    sent.insert(call.texts.begin(), call.texts.end());
  }
  EXPECT_EQ(sent.size(), 1000U);
  EXPECT_EQ(batches, 16U);
}

TEST_F(EndpointSpaceTest, AboveTheExactOnesListsAreSearched) {
  std::vector<Insight> insights;
  for (std::int64_t i = 0; i < 600; ++i) insights.push_back(fakes::generated_insight(i, 3));
  server_.embed_by([](const std::string& text) { return embed_text(text); });
  open();
  put(insights);
  open_with(embedding(), {.index_files = true, .most_exact = 300, .least_saved = 100'000});
  await_settled();
  EXPECT_FALSE(retrieval_->endpoint()->vectors().figures().is_exact);
  for (std::size_t i = 0; i < insights.size(); i += 50) {
    auto query = about(insights[i].claim);
    query.offered_only = false;
    EXPECT_EQ(retrieval_->rank(query, {0, 1, 0, 0}).value().front(), insights[i].id) << i;
  }
  open_with(embedding(), {.index_files = true, .most_exact = 300, .least_saved = 100'000});
  await_settled();
  EXPECT_FALSE(retrieval_->endpoint()->vectors().figures().is_exact);
  EXPECT_EQ(figures().embedded, 600);
}

TEST_F(EndpointSpaceTest, ReloadingDropsTheVectorsAndTheyAreMadeAgain) {
  open_with(embedding());
  put_three();
  await_settled();
  server_.hold([](const EmbeddingCall& call) { return call.texts.size() == 3; });
  ASSERT_TRUE(retrieval_->reload().has_value());
  server_.await_held(1);
  EXPECT_EQ(figures().embedded, 0);
  EXPECT_THAT(found(about(kQuestion)), SizeIs(3));
  server_.release();
  await_settled();
  EXPECT_EQ(figures().embedded, 3);
  EXPECT_EQ(texts_sent("tile=64"), 2U);
}

TEST_F(EndpointSpaceTest, WhatWasAskedForBeforeAReloadIsNotTakenIn) {
  server_.hold([](const EmbeddingCall& call) { return call.texts.size() == 3; });
  open_with(embedding());
  await_settled();
  put_three();
  server_.await_held(1);
  ASSERT_TRUE(retrieval_->reload().has_value());
  server_.release();
  await_settled();
  EXPECT_EQ(texts_sent("tile=64"), 2U);  // the answer to the first one came too late
  EXPECT_EQ(figures().embedded, 3);
  EXPECT_EQ(by_text(kZebra).front(), insight("tile=64").id);
}

TEST_F(EndpointSpaceTest, ADamagedRowIsEmbeddedAgain) {
  open_with(embedding());
  put_three();
  await_settled();
  close();
  const auto path = files().at(0);
  std::string bytes = read_file(path, 1U << 20U).value();
  const std::size_t row = 4 + 8 + 4 * 2 + 8;
  bytes[bytes.size() - 2 * row] ^= 1;  // the second of three
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  open_with(embedding());
  await_settled();
  EXPECT_EQ(figures().embedded, 3);
  EXPECT_EQ(texts_sent("tile=32"), 1U);
  EXPECT_EQ(texts_sent("tile=64"), 2U);
  EXPECT_EQ(texts_sent("tile=128"), 1U);
  EXPECT_EQ(by_text(kZebra).front(), insight("tile=64").id);
}

TEST_F(EndpointSpaceTest, WrongSettingsAreRefusedAtTheStart) {
  close();
  base_ = OpenBase::open(location()).value();
  auto wrong = embedding();
  wrong.url = "gopher://example.com";
  const auto opened = Retrieval::open(*base_, {}, wrong);
  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(opened.error().code, Errc::invalid_argument);
}

TEST_F(EndpointSpaceTest, SearchesAndCommitsGoOnWhileItWorks) {
  open_with(embedding());
  std::atomic<bool> done = false;
  std::thread searching([&] {
    while (!done) (void)by_text(kZebra);
  });
  for (int i = 0; i < 50; ++i) put({insight("tile=" + std::to_string(1000 + i))});
  await([](const Figures& now) { return now.settled && now.embedded == 50; });
  done = true;
  searching.join();
  EXPECT_THAT(by_text(kZebra), SizeIs(50));
}

}  // namespace
}  // namespace warpmind::knowledge_base
