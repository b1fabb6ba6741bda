#include "base/hash.h"
#include "tests/hosts/buses_under_test.h"

#include <gmock/gmock.h>

namespace warpmind::tests {
namespace {

using namespace std::chrono_literals;
using daemon::hosts::LaneName;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const LaneName kLane{"sm_90", "nvidia-h200", "1"};
const LaneName kOther{"sm_80", "nvidia-a100", "1"};
constexpr auto kSoon = 3000ms;    ///< of something that is there
constexpr auto kNothing = 150ms;  ///< of something that is not

std::string id_of(const std::string& text) { return to_hex(sha256(text)); }

using EvaluationBusContract = BothEngines;
INSTANTIATE_TEST_SUITE_P(Engines, EvaluationBusContract, kEngines, name_of_engine);

TEST_P(EvaluationBusContract, AnOrderGoesToOneWorkerOfItsLaneAndIsGoneWhenDone) {
  ASSERT_TRUE(evaluations().post(kLane, id_of("a"), "body"));

  EXPECT_EQ(evaluations().take(kOther, kNothing).value(), nullptr);
  const auto taken = evaluations().take(kLane, kSoon).value();

  ASSERT_NE(taken, nullptr);
  EXPECT_EQ(taken->order_id(), id_of("a"));
  EXPECT_EQ(taken->body(), "body");
  EXPECT_EQ(evaluations().take(kLane, kNothing).value(), nullptr);
  EXPECT_TRUE(evaluations().is_pending(kLane, id_of("a")).value());
  ASSERT_TRUE(taken->done());
  EXPECT_FALSE(evaluations().is_pending(kLane, id_of("a")).value());
}

TEST_P(EvaluationBusContract, PostingTwiceQueuesOnce) {
  ASSERT_TRUE(evaluations().post(kLane, id_of("a"), "body"));
  ASSERT_TRUE(evaluations().post(kLane, id_of("a"), "body"));

  ASSERT_TRUE(evaluations().take(kLane, kSoon).value()->done());
  EXPECT_EQ(evaluations().take(kLane, kNothing).value(), nullptr);
}

TEST_P(EvaluationBusContract, AnOrderThatWasWithdrawnCanBePostedAgain) {
  ASSERT_TRUE(evaluations().post(kLane, id_of("a"), "body"));
  ASSERT_TRUE(evaluations().withdraw(kLane, id_of("a")));
  EXPECT_FALSE(evaluations().is_pending(kLane, id_of("a")).value());

  ASSERT_TRUE(evaluations().post(kLane, id_of("a"), "body"));

  ASSERT_TRUE(evaluations().take(kLane, kSoon).value()->done());
}

TEST_P(EvaluationBusContract, AWorkerOfAnyModelTakesOrdersOfAllModels) {
  const LaneName any{"sm_90", "", "1"};
  ASSERT_TRUE(evaluations().post(kLane, id_of("a"), "body"));
  ASSERT_TRUE(evaluations().take(any, kSoon).value()->done());
}

TEST_P(EvaluationBusContract, WithoutASignOfLifeSomebodyElseGetsTheOrder) {
  ASSERT_TRUE(evaluations().post(kLane, id_of("a"), "body"));
  const auto dead = evaluations().take(kLane, kSoon).value();
  ASSERT_NE(dead, nullptr);

  const auto heir = evaluations().take(kLane, kTestLease + kSoon).value();

  ASSERT_NE(heir, nullptr);
  EXPECT_EQ(heir->order_id(), id_of("a"));
  ASSERT_TRUE(heir->done());
}

TEST_P(EvaluationBusContract, ASignOfLifeKeepsTheOrder) {
  ASSERT_TRUE(evaluations().post(kLane, id_of("a"), "body"));
  const auto held = evaluations().take(kLane, kSoon).value();
  const auto end = std::chrono::steady_clock::now() + 2 * kTestLease;

  while (std::chrono::steady_clock::now() < end) {
    ASSERT_TRUE(held->in_progress());
    ASSERT_EQ(evaluations().take(kLane, kTestLease / 4).value(), nullptr);
  }
  ASSERT_TRUE(held->done());
}

TEST_P(EvaluationBusContract, WhatIsGivenBackComesAgainWhatIsDiscardedDoesNot) {
  ASSERT_TRUE(evaluations().post(kLane, id_of("a"), "body"));
  ASSERT_TRUE(evaluations().take(kLane, kSoon).value()->later(1ms));

  const auto again = evaluations().take(kLane, kTestLease / 2).value();
  ASSERT_NE(again, nullptr);
  ASSERT_TRUE(again->discard());

  EXPECT_EQ(evaluations().take(kLane, kTestLease * 3 / 2).value(), nullptr);
  EXPECT_FALSE(evaluations().is_pending(kLane, id_of("a")).value());
}

TEST_P(EvaluationBusContract, OfTwoResultsTheFirstStays) {
  EXPECT_EQ(evaluations().find_result(id_of("a")).value(), std::nullopt);

  EXPECT_TRUE(evaluations().put_result(id_of("a"), "first").value());
  EXPECT_FALSE(evaluations().put_result(id_of("a"), "second").value());

  EXPECT_EQ(evaluations().find_result(id_of("a")).value(), "first");
}

TEST_P(EvaluationBusContract, StartsAreRememberedUntilTheyAreTakenBack) {
  EXPECT_THAT(evaluations().starts(id_of("a")).value(), IsEmpty());
  ASSERT_TRUE(evaluations().note_start(id_of("a"), "w1"));
  ASSERT_TRUE(evaluations().note_start(id_of("a"), "w2"));
  ASSERT_TRUE(evaluations().note_start(id_of("a"), "w1"));
  EXPECT_THAT(evaluations().starts(id_of("a")).value(), ElementsAre("w1", "w2"));
  ASSERT_TRUE(evaluations().forget_start(id_of("a"), "w1"));
  EXPECT_THAT(evaluations().starts(id_of("a")).value(), ElementsAre("w2"));
}

TEST_P(EvaluationBusContract, WorkersAreThereWhileTheySayIt) {
  EXPECT_THAT(evaluations().workers().value(), IsEmpty());
  ASSERT_TRUE(evaluations().announce("w1", "one"));
  ASSERT_TRUE(evaluations().announce("w2", "two"));
  EXPECT_THAT(evaluations().workers().value(), ::testing::UnorderedElementsAre("one", "two"));
  ASSERT_TRUE(evaluations().leave("w1"));
  EXPECT_THAT(evaluations().workers().value(), ElementsAre("two"));

  const auto end = std::chrono::steady_clock::now() + 10 * kTestLease;
  while (!evaluations().workers().value().empty() && std::chrono::steady_clock::now() < end) {
  }
  EXPECT_THAT(evaluations().workers().value(), IsEmpty());
}

TEST_P(EvaluationBusContract, BlobsAreWhatTheirNamesSay) {
  std::string bytes(3'000'000, 'x');
  for (std::size_t i = 0; i < bytes.size(); i += 1000) bytes[i] = static_cast<char>(i / 1000);

  const auto name = evaluations().put_blob(bytes).value();

  EXPECT_EQ(name, to_hex(sha256(bytes)));
  EXPECT_EQ(evaluations().put_blob(bytes).value(), name);
  EXPECT_EQ(evaluations().get_blob(name).value(), bytes);
  EXPECT_EQ(evaluations().get_blob(id_of("none")).error().code, Errc::not_found);
}

using ClaimBusContract = BothEngines;
INSTANTIATE_TEST_SUITE_P(Engines, ClaimBusContract, kEngines, name_of_engine);

TEST_P(ClaimBusContract, EveryMessageLiesAtItsPlaceInOneOrder) {
  EXPECT_EQ(claims().extent().value().last, 0U);
  EXPECT_FALSE(claims().newest_of("aa").value());

  const auto first = claims().append("aa", "1", 0).value();
  const auto other = claims().append("bb", "2", 0).value();
  const auto second = claims().append("aa", "3", first).value();

  EXPECT_LT(first, other);
  EXPECT_LT(other, second);
  const auto extent = claims().extent().value();
  EXPECT_EQ(extent.first, first);
  EXPECT_EQ(extent.last, second);
  EXPECT_EQ(claims().read(other).value()->node, "bb");
  EXPECT_EQ(claims().read(other).value()->body, "2");
  EXPECT_EQ(claims().newest_of("aa").value()->position, second);
  EXPECT_EQ(claims().newest_of("aa").value()->body, "3");
  EXPECT_FALSE(claims().read(second + 1).value());
}

TEST_P(ClaimBusContract, WhoKnowsAnOlderEndIsRefused) {
  const auto first = claims().append("aa", "1", 0).value();
  EXPECT_EQ(claims().append("aa", "2", 0).error().code, Errc::conflict);
  ASSERT_TRUE(claims().append("aa", "2", first));
  EXPECT_EQ(claims().append("aa", "3", first).error().code, Errc::conflict);
}

TEST_P(ClaimBusContract, QuestionsStandUntilTheyAreAnswered) {
  EXPECT_THAT(claims().asked("aa").value(), IsEmpty());
  ASSERT_TRUE(claims().ask_again("aa", "cc", "from 7"));
  ASSERT_TRUE(claims().ask_again("aa", "dd", "from 9"));
  EXPECT_THAT(claims().asked("aa").value(),
              ElementsAre(std::pair("cc", "from 7"), std::pair("dd", "from 9")));
  EXPECT_THAT(claims().asked("bb").value(), IsEmpty());
  ASSERT_TRUE(claims().answered("aa", "cc"));
  EXPECT_THAT(claims().asked("aa").value(), ElementsAre(std::pair("dd", "from 9")));
}

}  // namespace
}  // namespace warpmind::tests
