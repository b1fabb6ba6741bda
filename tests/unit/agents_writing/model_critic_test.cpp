#include "agents/writing/model_critic.h"

#include "writing_situation.h"

#include <gmock/gmock.h>

namespace warpmind::agents::writing {
namespace {

using ::testing::HasSubstr;

/// Reviews steps by a fixed sentence.
class StepCritic final : public Critic {
 public:
  [[nodiscard]] std::string name() const override { return "steps"; }
  [[nodiscard]] Gradient of_step(const StepView& view) const override {
    Gradient gradient;
    gradient.text = "step " + std::to_string(view.step.index);
    return gradient;
  }
  [[nodiscard]] Result<EpisodeCritique> of_episode(
      const Task& /*task*/, const Episode& /*episode*/,
      const std::vector<RetrievedInsight>& /*insights*/, std::stop_token /*stop*/) override {
    return fail(Errc::unavailable, "not asked");
  }
};

constexpr const char* kGood =
    R"({"claims": [{"kind": "positive", "text": "It helps.", "technique": "two_rows",
        "bottleneck": "uncoalesced_access", "steps": [2], "log_gain": -9e-1, "confidence": 1}],
        "deltas": []})";

Result<EpisodeCritique> asked(ListModel& model, const Situation& situation) {
  StepCritic steps;
  ModelCritic critic(model, built_in_prompts(), steps);
  Episode episode;
  episode.steps = situation.steps;
  return critic.of_episode(situation.task, episode, situation.advice.insights, {});
}

TEST(ModelCritic, StepsAreReviewedByRule) {
  const Situation situation;
  ListModel model({});
  StepCritic steps;
  const ModelCritic critic(model, built_in_prompts(), steps);

  const auto gradient =
      critic.of_step({situation.task, situation.device, situation.steps[0], situation.steps[2]});

  EXPECT_EQ(gradient.text, "step 2");
  EXPECT_TRUE(model.requests.empty());
}

TEST(ModelCritic, PassesClaimsOnAsTheyAreMade) {
  const Situation situation;
  ListModel model({reply_of(kGood)});

  const auto critique = asked(model, situation);

  ASSERT_TRUE(critique) << critique.error().message;
  ASSERT_EQ(critique->claims.size(), 1U);
  EXPECT_EQ(critique->claims[0].log_gain, -0.9) << "the sign is not looked at here";
  EXPECT_EQ(critique->claims[0].refused, "");
  EXPECT_EQ(critique->spending.calls, 1);
  ASSERT_EQ(critique->exchanges.size(), 1U);
  EXPECT_EQ(critique->exchanges[0].purpose, "critique");
}

TEST(ModelCritic, MalformedAnswersAreAskedForOnceMoreThenRefused) {
  const Situation situation;
  ListModel fixed_later({reply_of("It went well."), reply_of(kGood)});
  const auto critique = asked(fixed_later, situation);
  ASSERT_TRUE(critique);
  EXPECT_EQ(critique->spending.calls, 2);

  ListModel never({reply_of("It went well."), reply_of(R"({"claims": 3})")});
  const auto refused = asked(never, situation);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::external_failure);
  EXPECT_THAT(refused.error().message, HasSubstr("claims: must be a list"));
}

TEST(ModelCritic, ErrorsOfTheModelAreTheCallers) {
  const Situation situation;
  ListModel model({});
  const auto refused = asked(model, situation);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::unavailable);
}

}  // namespace
}  // namespace warpmind::agents::writing
