#include "agents/writing/model_proposer.h"

#include "agents/llm/scripted/rules_model.h"
#include "agents/writing/situation_text.h"
#include "base/file.h"
#include "writing_situation.h"

#include <filesystem>

#include <gmock/gmock.h>

namespace warpmind::agents::writing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const Move kMove{"two_rows", "", 1.5};

Result<Writing> written(ListModel& model, const Situation& situation, const Move& move = kMove) {
  ModelProposer proposer(model, built_in_prompts(), situation.cards);
  return proposer.write(move, situation.context(), {});
}

Result<Writing> repaired(ListModel& model, const Situation& situation) {
  ModelProposer proposer(model, built_in_prompts(), situation.cards);
  return proposer.repair(situation.context(), {});
}

TEST(ModelProposer, WritesWhatTheModelAnswers) {
  const Situation situation;
  ListModel model({reply_of(good_answer(situation))});

  const auto writing = written(model, situation);

  ASSERT_TRUE(writing && writing->candidate);
  const Candidate& candidate = *writing->candidate;
  EXPECT_EQ(candidate.proposer, "llm");
  EXPECT_EQ(candidate.technique, "two_rows");
  EXPECT_EQ(candidate.parameters, "rows=2");
  EXPECT_EQ(candidate.parent, id_of(situation.task.kernel));
  EXPECT_EQ(candidate.predicted_gain, 1.3);
  EXPECT_EQ(candidate.model, "list-1");
  EXPECT_THAT(candidate.kernel.source, HasSubstr("// edited"));
}

TEST(ModelProposer, KeepsWhatWasAskedAndSpent) {
  const Situation situation;
  ListModel model({reply_of(good_answer(situation))});

  const auto writing = written(model, situation).value();

  EXPECT_EQ(writing.spending, (ModelSpending{{100, 40, 0, 10}, 1, 0, 7, 0.5}));
  ASSERT_EQ(writing.exchanges.size(), 1U);
  const Exchange& exchange = writing.exchanges[0];
  EXPECT_EQ(exchange.purpose, "proposal");
  EXPECT_EQ(exchange.prompt, model.requests[0].messages.back().text) << "the volatile part";
  EXPECT_EQ(exchange.prompt_hash.size(), 64U);
  EXPECT_EQ(exchange.answer, good_answer(situation));
}

TEST(ModelProposer, MalformedAnswersAreAskedForOnceMore) {
  const Situation situation;
  ListModel model({reply_of("no block here"), reply_of(good_answer(situation))});

  const auto writing = written(model, situation).value();

  EXPECT_TRUE(writing.candidate);
  EXPECT_EQ(writing.spending.calls, 2);
  EXPECT_EQ(writing.spending.micro_usd, 14) << "both were paid for";
  ASSERT_EQ(model.requests.size(), 2U);
  const auto& again = model.requests[1].messages;
  ASSERT_EQ(again.size(), 4U);
  EXPECT_EQ(again[2].speaker, llm::Speaker::assistant);
  EXPECT_EQ(again[2].text, "no block here");
  EXPECT_THAT(again[3].text, HasSubstr("the answer has no JSON object"));
}

TEST(ModelProposer, GivesUpAfterTheSecondMalformedAnswer) {
  const Situation situation;
  ListModel model({reply_of(""), reply_of("still nothing")});

  const auto writing = written(model, situation).value();

  EXPECT_FALSE(writing.candidate);
  EXPECT_THAT(writing.note, HasSubstr("two_rows: the answer has no JSON object"));
  EXPECT_EQ(writing.spending.calls, 2);
  EXPECT_EQ(model.requests[1].messages[2].text, "(no answer)");
}

TEST(ModelProposer, ACutAnswerIsNotRead) {
  const Situation situation;
  auto cut = reply_of(good_answer(situation));
  cut.stop = llm::StopReason::length;
  ListModel model({cut, cut});

  const auto writing = written(model, situation).value();

  EXPECT_FALSE(writing.candidate);
  EXPECT_THAT(writing.note, HasSubstr("output limit of 16384 tokens"));
}

TEST(ModelProposer, ARefusalIsNotAskedAgain) {
  const Situation situation;
  auto refusal = reply_of("No.");
  refusal.stop = llm::StopReason::refusal;
  ListModel model({refusal});

  const auto writing = written(model, situation).value();

  EXPECT_FALSE(writing.candidate);
  EXPECT_THAT(writing.note, HasSubstr("would not answer"));
  EXPECT_EQ(model.requests.size(), 1U);
}

TEST(ModelProposer, ErrorsOfTheModelAreTheCallers) {
  const Situation situation;
  ListModel gone({});
  const auto failed = written(gone, situation);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, Errc::unavailable);

  std::stop_source stop;
  stop.request_stop();
  ListModel model({reply_of(good_answer(situation))});
  ModelProposer proposer(model, built_in_prompts(), situation.cards);
  const auto cancelled = proposer.write(kMove, situation.context(), stop.get_token());
  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().code, Errc::cancelled);
}

TEST(ModelProposer, AnErrorOfTheSecondQuestionKeepsTheCostOfTheFirst) {
  const Situation situation;
  ListModel model({reply_of("prose")});

  const auto writing = written(model, situation).value();

  EXPECT_FALSE(writing.candidate);
  EXPECT_EQ(writing.spending.calls, 1);
  EXPECT_THAT(writing.note, HasSubstr("asked again: the list is at its end"));
}

TEST(ModelProposer, AKernelThatNoAnswerCouldHoldIsNotAskedFor) {
  Situation situation;
  situation.task.kernel.source += std::string(300'000, '/');
  ListModel model({reply_of(good_answer(situation))});

  const auto writing = written(model, situation).value();

  EXPECT_FALSE(writing.candidate);
  EXPECT_THAT(writing.note, HasSubstr("an answer may have 262144"));
  EXPECT_TRUE(model.requests.empty());
}

TEST(ModelProposer, NamesTheTechniqueByTheCards) {
  const Situation situation;
  ListModel model({reply_of(good_answer(situation, "rows_by_two")),
                   reply_of(good_answer(situation, "my_own_idea"))});

  EXPECT_EQ(written(model, situation).value().candidate->technique, "two_rows") << "an alias";
  EXPECT_EQ(written(model, situation).value().candidate->technique, "free_form");
}

std::vector<std::string> names_of(const std::vector<Move>& moves) {
  std::vector<std::string> names;
  for (const auto& move : moves) names.push_back(move.technique);
  return names;
}

TEST(ModelProposer, OffersTechniquesThatFitByExpectedGain) {
  Situation situation;
  ListModel model({});
  const ModelProposer proposer(model, built_in_prompts(), situation.cards);

  const auto moves = proposer.moves(situation.context());

  // newest_only needs capability 10.0; unrelated cures another bottleneck.
  EXPECT_THAT(names_of(moves), ElementsAre("two_rows", "wide_blocks", "free_form"));
  EXPECT_GT(moves[0].prior_gain, moves[1].prior_gain);
  EXPECT_NE(moves[1].prior_gain, 1.4) << "what memory measured is added by whoever scores";
  EXPECT_THAT(proposer.techniques(),
              ElementsAre("two_rows", "wide_blocks", "unrelated", "newest_only", "free_form"));
}

/// A gain of 1.4x once where 2x was claimed: what was measured is told and asked for, what nobody
/// tried is neither told nor put before it.
TEST(ModelProposer, AMeasuredGainNeverPutsItsTechniqueBehindOthers) {
  Situation situation;
  const Technique card = situation.cards.front();
  situation.cards.clear();
  situation.advice.techniques.clear();
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g", "h", "i", "measured", "z"}) {
    situation.cards.push_back(card);
    situation.cards.back().name = name;
    TechniqueAdvice known;
    known.technique = name;
    known.predicted_gain = 2.8;
    situation.advice.techniques.push_back(known);
  }
  TechniqueAdvice& measured = situation.advice.techniques[9];
  measured.predicted_gain = 1.1;
  measured.observations = 1;
  measured.why = "1.40x mean gain, 1 measurement";
  measured.expectation = {0.9, 0.6, 1.4, 1, 0.01};
  ListModel model({});

  const auto moves =
      ModelProposer(model, built_in_prompts(), situation.cards).moves(situation.context());

  EXPECT_EQ(moves.front().technique, "measured");
  EXPECT_THAT(describe_advice(situation.advice), HasSubstr("measured: 1.40x mean gain"));
  EXPECT_THAT(describe_advice(situation.advice), Not(HasSubstr("a: ")));
}

TEST(ModelProposer, ExpectsNoMoreThanTheCauseHasAtStake) {
  Situation situation;
  Cause main;
  main.which = BottleneckClass::low_parallelism;
  main.share = 0.4;
  main.confidence = 0.8;
  Cause small;
  small.which = BottleneckClass::uncoalesced_access;
  small.share = 0.05;
  situation.bottleneck.causes = {main, small};
  situation.advice.techniques.clear();
  ListModel model({});
  const ModelProposer proposer(model, built_in_prompts(), situation.cards);

  const auto moves = proposer.moves(situation.context());

  EXPECT_THAT(names_of(moves), ElementsAre("wide_blocks", "two_rows", "free_form"));
  EXPECT_NEAR(moves[0].prior_gain, 1.28, 0.01) << "the card claims less than is at stake";
  EXPECT_NEAR(moves[1].prior_gain, 1 / 0.95, 1e-9);
  const std::string told = describe_bottleneck(situation.bottleneck);
  EXPECT_THAT(told, HasSubstr("low_parallelism: up to 40.0 % of the time, confidence 0.80"));
  EXPECT_THAT(told, Not(HasSubstr("also:")));
}

TEST(ModelProposer, DoesNotOfferWhatAnAnswerCannotExpress) {
  Situation situation;
  situation.cards[0].name = "library_call";
  ListModel model({});

  const auto moves =
      ModelProposer(model, built_in_prompts(), situation.cards).moves(situation.context());

  EXPECT_THAT(names_of(moves), ElementsAre("wide_blocks", "free_form"));
}

TEST(ModelProposer, OffersAtMostEightTechniques) {
  Situation situation;
  for (int i = 0; i < 20; ++i) {
    situation.cards.push_back(situation.cards[0]);
    situation.cards.back().name = "copy_" + std::to_string(i);
  }
  ListModel model({});
  EXPECT_EQ(
      ModelProposer(model, built_in_prompts(), situation.cards).moves(situation.context()).size(),
      9U);
}

TEST(ModelProposer, FreeFormCanBeAskedForAgainButNotForever) {
  Situation situation;
  ListModel model({});
  const ModelProposer proposer(model, built_in_prompts(), situation.cards);
  const auto last = [&] { return proposer.moves(situation.context()).back(); };
  EXPECT_EQ(last().parameters, "attempt=3") << "two candidates were made from this kernel";
  situation.add_failed_step(Outcome::build_failed);
  situation.add_failed_step(Outcome::build_failed, true);
  EXPECT_EQ(last().parameters, "attempt=4") << "a repair is no new candidate";
  for (int i = 0; i < 13; ++i) situation.add_failed_step(Outcome::same);
  EXPECT_NE(last().technique, "free_form");

  situation.steps.resize(1);
  EXPECT_EQ(last(), (Move{"free_form", "", 1.1}));
}

TEST(ModelProposer, RepairsABuildWithTheCompilersWords) {
  Situation situation;
  situation.add_failed_step(Outcome::build_failed);
  ListModel model({reply_of(good_answer(situation))});

  const auto writing = repaired(model, situation).value();

  ASSERT_TRUE(writing.candidate);
  EXPECT_EQ(writing.exchanges.at(0).purpose, "repair");
  const std::string& asked = model.requests.at(0).messages.back().text;
  EXPECT_THAT(asked, HasSubstr("expected a \";\""));
  EXPECT_THAT(asked, HasSubstr("// broken"));
}

TEST(ModelProposer, RepairsAWrongResultWithItsDifferences) {
  Situation situation;
  situation.add_failed_step(Outcome::wrong);
  situation.steps.back().verdict.findings = {
      {"shared race", true, "row_softmax", 12, "block (1,0,0)", 3}};
  ListModel model({reply_of(good_answer(situation))});

  ASSERT_TRUE(repaired(model, situation).value().candidate);

  const std::string& asked = model.requests.at(0).messages.back().text;
  EXPECT_THAT(asked, HasSubstr("y[1,3]: got 1.5, want 0.25"));
  EXPECT_THAT(asked, HasSubstr("shared race in row_softmax, line 12"));
  EXPECT_THAT(asked, Not(HasSubstr("expected a \";\"")))
      << "the compiler had no complaint that counts";
}

TEST(ModelProposer, DoesNotRepairCheatsOrWhatTheMachineRefused) {
  for (const Outcome outcome :
       {Outcome::cheating, Outcome::blocked, Outcome::same, Outcome::regressed}) {
    Situation situation;
    situation.add_failed_step(outcome);
    ListModel model({reply_of(good_answer(situation))});

    const auto writing = repaired(model, situation);

    ASSERT_TRUE(writing);
    EXPECT_FALSE(writing->candidate) << name_of(outcome);
    EXPECT_TRUE(model.requests.empty()) << name_of(outcome);
  }
}

TEST(ModelProposer, StopsAfterTwoRepairs) {
  Situation situation;
  situation.add_failed_step(Outcome::build_failed);
  situation.add_failed_step(Outcome::build_failed, true);
  ListModel model({reply_of(good_answer(situation)), reply_of(good_answer(situation))});
  EXPECT_TRUE(repaired(model, situation).value().candidate);

  situation.add_failed_step(Outcome::wrong, true);
  const auto writing = repaired(model, situation).value();

  EXPECT_FALSE(writing.candidate);
  EXPECT_EQ(writing.note, "repaired 2 times already");
}

TEST(ModelProposer, ANewCandidateMayBeRepairedAgain) {
  Situation situation;
  situation.add_failed_step(Outcome::build_failed, true);
  situation.add_failed_step(Outcome::build_failed, true);
  situation.add_failed_step(Outcome::build_failed);
  ListModel model({reply_of(good_answer(situation))});

  EXPECT_TRUE(repaired(model, situation).value().candidate);
}

TEST(ModelProposer, WorksWithRules) {
  const Situation situation;
  const auto directory =
      ScratchDirectory::create(std::filesystem::temp_directory_path(), "wm-rules").value();
  ASSERT_TRUE(write_file_atomic(directory.path() / "good.md", good_answer(situation)));
  ASSERT_TRUE(write_file_atomic(directory.path() / "rules.json",
                                R"({"rules": [
        {"when": {"purpose": "proposal", "not_contains": ["could not be used"]}, "reply": "hm"},
        {"when": {"purpose": "proposal", "contains": ["row_softmax_f16", "no JSON object"]},
         "reply_file": "good.md"}]})"));
  const auto model = llm::RulesModel::open(directory.path() / "rules.json").value();
  ModelProposer proposer(*model, built_in_prompts(), situation.cards);

  const auto writing = proposer.write(kMove, situation.context(), {}).value();

  EXPECT_TRUE(writing.candidate) << writing.note;
  EXPECT_EQ(writing.exchanges.size(), 2U);
}

}  // namespace
}  // namespace warpmind::agents::writing
