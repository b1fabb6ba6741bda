#include "agents/episode.h"

#include <gmock/gmock.h>

namespace warpmind::agents {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Step step_with(Outcome outcome, Stage last, bool passed) {
  Step step;
  step.verdict.outcome = outcome;
  step.verdict.stages = {{last, 0.1, passed, ""}};
  return step;
}

Episode episode_of(Provider provider) {
  Episode episode;
  episode.provider = provider;
  episode.steps = {step_with(Outcome::same, Stage::profile, true)};
  episode.steps[0].verdict.measurement = Measurement{};
  episode.steps[0].verdict.measurement->device.name = "NVIDIA H200";
  return episode;
}

TEST(Conclude, CountsCandidatesThatTheSimulatorStopped) {
  Episode episode = episode_of(Provider::gpu);
  episode.steps.push_back(step_with(Outcome::wrong, Stage::simulation, false));
  episode.steps.push_back(step_with(Outcome::crashed, Stage::simulation, false));
  episode.steps.push_back(step_with(Outcome::wrong, Stage::full_oracle, false));

  conclude(episode, {}, false);

  EXPECT_THAT(episode.summary, HasSubstr("the simulator's checks stopped 2 candidates"));
  EXPECT_THAT(episode.summary, Not(HasSubstr("predicted")));
}

TEST(Conclude, OwnRewritesThatWereRefusedAreAFaultOfWarpmind) {
  Episode episode = episode_of(Provider::gpu);
  episode.id = EpisodeId("e-7");
  episode.steps.push_back(step_with(Outcome::crashed, Stage::sanitizer, false));
  episode.steps.back().index = 1;

  conclude(episode, {}, false);
  EXPECT_THAT(episode.summary, Not(HasSubstr("fault of warpmind"))) << "an outside writer's";

  episode.steps.back().candidate.proposer = "builtin";
  conclude(episode, {}, false);
  EXPECT_THAT(episode.summary,
              HasSubstr("a fault of warpmind spoiled 1 candidate of the built-in agent and was not "
                        "learnt from: please report what warpmind why e-7 1 prints"));
}

TEST(Conclude, APredictionSaysThatNothingWasMeasured) {
  Episode episode = episode_of(Provider::sim);
  episode.best_against_baseline = Comparison{2.0, 1.5, 2.6, 0.9, 0, 0};

  conclude(episode, {}, false);

  EXPECT_EQ(episode.outcome, Outcome::improved);
  EXPECT_THAT(episode.summary, HasSubstr("predicted for NVIDIA H200 by the simulator"));
  EXPECT_THAT(episode.summary, Not(HasSubstr("stopped")));
}

}  // namespace
}  // namespace warpmind::agents
