#include "agents/external/external_episodes.h"

#include "agents/external/outside_proposer.h"
#include "tests/fakes/memory_knowledge_store.h"
#include "tests/fakes/scripted_kernel_lab.h"
#include "tests/unit/agents/planted_task.h"

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::agents {
namespace {

using fakes::ScriptedKernelLab;
using testing::HasSubstr;

class SettableClock final : public Clock {
 public:
  [[nodiscard]] UnixMillis wall() const override { return {1}; }
  [[nodiscard]] std::chrono::steady_clock::time_point monotonic() const override { return now; }
  std::chrono::steady_clock::time_point now;
};

/// "fast" in the source is fast, "slow" is slow, "wrong" is wrong.
std::optional<double> by_name(const Kernel& kernel) {
  if (kernel.source.find("wrong") != std::string::npos) return std::nullopt;
  if (kernel.source.find("fastest") != std::string::npos) return 20;
  if (kernel.source.find("fast") != std::string::npos) return 50;
  return kernel.source.find("slow") != std::string::npos ? 200 : 100;
}

class ExternalEpisodesTest : public testing::Test {
 protected:
  ExternalEpisodesTest() : devices_(config::DeviceTable::load().value()) { restart(); }

  /// As a new daemon on the same base.
  void restart() {
    ExternalOptions options;
    options.lease_seconds = 100;
    options.most_open = 2;
    options.techniques = [] { return Result<std::vector<std::string>>({"unroll"}); };
    guests_ = std::make_unique<ExternalEpisodes>(
        store_, devices_,
        [this](const JobRequest&) { return Result<std::shared_ptr<profilers::KernelLab>>(lab_); },
        clock_, options);
    guests_->on_end(
        [this](const JobId& id) { ended_.emplace_back(id, store_.find_job(id).value()->state); });
    ASSERT_TRUE(guests_->start().has_value());
  }
  static JobRequest request(std::int64_t evaluations = 10) {
    JobRequest made = planted_job(evaluations).request;
    made.proposer = kExternalProposer;
    made.budget.seconds = 1e6;
    return made;
  }
  static Submission source(const std::string& text, std::int64_t edits = -1) {
    Submission made;
    made.source = "__global__ void " + text + "() {}";
    made.technique = "unroll";
    made.author = "tester";
    made.edits = edits;
    return made;
  }

  fakes::MemoryKnowledgeStore store_;
  config::DeviceTable devices_;
  SettableClock clock_;
  std::shared_ptr<ScriptedKernelLab> lab_ = std::make_shared<ScriptedKernelLab>(by_name);
  std::vector<std::pair<JobId, JobState>> ended_;  ///< as told, with the state then stored
  std::unique_ptr<ExternalEpisodes> guests_;
};

TEST_F(ExternalEpisodesTest, OpenSubmitCloseWritesTheEpisodeBack) {
  const auto brief = guests_->open(request()).value();
  EXPECT_EQ(brief.kernel, planted_task().kernel);
  EXPECT_EQ(brief.evaluations_left, 10);
  EXPECT_THAT(brief.contract, HasSubstr("tolerance class"));

  const auto feedback = guests_->submit(brief.job, source("fast")).value();
  EXPECT_EQ(feedback.judged.verdict.outcome, Outcome::improved);
  EXPECT_TRUE(feedback.accepted);
  EXPECT_THAT(feedback.judged.gradient->text, HasSubstr("measured 2.00x"));
  EXPECT_THAT(guests_->brief(brief.job).value().kernel.source, HasSubstr("fast"));

  const auto episode = guests_->close(brief.job, "enough").value();
  EXPECT_EQ(episode.outcome, Outcome::improved);
  EXPECT_EQ(episode.ended, "enough");
  EXPECT_EQ(episode.proposer, "external");
  EXPECT_EQ(store_.find_job(brief.job).value()->state, JobState::done);
  EXPECT_TRUE(store_.find_episode(episode.id).value().has_value());
  EXPECT_FALSE(store_.find_draft(episode.id).value().has_value());
}

TEST_F(ExternalEpisodesTest, EveryEndIsToldOnceAfterItIsStored) {
  using Ended = std::vector<std::pair<JobId, JobState>>;
  const JobId closed = guests_->open(request()).value().job;
  EXPECT_THAT(ended_, testing::IsEmpty());
  ASSERT_TRUE(guests_->close(closed, "enough"));
  EXPECT_FALSE(guests_->close(closed, "again"));
  EXPECT_EQ(ended_, (Ended{{closed, JobState::done}}));

  const JobId left = guests_->open(request()).value().job;
  clock_.now += std::chrono::seconds(101);
  ASSERT_EQ(guests_->expire(), 1U);
  EXPECT_EQ(ended_.back(), (std::pair{left, JobState::done}));

  Verdict wrong;
  wrong.outcome = Outcome::wrong;
  lab_->plant(planted_task().kernel, wrong);
  ASSERT_FALSE(guests_->open(request()));
  ASSERT_EQ(ended_.size(), 3U);
  EXPECT_EQ(ended_.back().second, JobState::done);
}

TEST_F(ExternalEpisodesTest, AnAcknowledgedSubmissionSurvivesTheDaemon) {
  const auto brief = guests_->open(request()).value();
  ASSERT_TRUE(guests_->submit(brief.job, source("slow")).has_value());
  ASSERT_TRUE(guests_->submit(brief.job, source("fast", 1)).has_value());
  const auto judged = lab_->judged.size();

  restart();

  const auto again = guests_->brief(brief.job).value();
  EXPECT_EQ(lab_->judged.size(), judged) << "nothing is measured twice";
  EXPECT_THAT(again.kernel.source, HasSubstr("fast"));
  EXPECT_NEAR(again.best_ratio, 2, 1e-9);
  EXPECT_EQ(again.evaluations_left, 8);
  EXPECT_TRUE(guests_->submit(brief.job, source("fastest")).value().accepted);
  EXPECT_NEAR(guests_->close(brief.job, "x").value().best_against_baseline->ratio, 5, 1e-9);
}

TEST_F(ExternalEpisodesTest, ALeaseThatIsOverClosesWithWhatThereIs) {
  const auto brief = guests_->open(request()).value();
  clock_.now += std::chrono::seconds(99);
  ASSERT_TRUE(guests_->submit(brief.job, source("fast")).has_value());  // renews
  clock_.now += std::chrono::seconds(99);
  EXPECT_EQ(guests_->expire(), 0U);

  clock_.now += std::chrono::seconds(2);

  EXPECT_EQ(guests_->expire(), 1U);
  const auto job = store_.find_job(brief.job).value();
  EXPECT_EQ(job->state, JobState::done);
  EXPECT_EQ(job->episode->outcome, Outcome::improved);
  EXPECT_THAT(job->episode->ended, HasSubstr("lease of 100 s is over"));
  EXPECT_THAT(guests_->submit(brief.job, source("fastest")).error().message,
              HasSubstr("is closed"));
}

TEST_F(ExternalEpisodesTest, WhatAnEarlierDaemonLeftOpenExpiresToo) {
  const auto brief = guests_->open(request()).value();
  restart();
  clock_.now += std::chrono::seconds(101);

  EXPECT_EQ(guests_->expire(), 1U);
  EXPECT_EQ(store_.find_job(brief.job).value()->state, JobState::done);
}

TEST_F(ExternalEpisodesTest, SeveralAgentsShareAnEpisode) {
  const auto brief = guests_->open(request(40)).value();
  std::vector<std::thread> agents;
  for (int agent = 0; agent < 4; ++agent) {
    agents.emplace_back([&, agent] {
      for (int i = 0; i < 5; ++i) {
        const auto name = "slow" + std::to_string(agent) + "_" + std::to_string(i);
        EXPECT_TRUE(guests_->submit(brief.job, source(name, 0)).has_value());
      }
    });
  }
  for (auto& agent : agents) agent.join();

  const auto episode = guests_->close(brief.job, "done").value();
  EXPECT_EQ(episode.steps.size(), 21U);
  for (std::size_t i = 0; i < episode.steps.size(); ++i) {
    EXPECT_EQ(episode.steps[i].index, static_cast<std::int64_t>(i));
  }
}

TEST_F(ExternalEpisodesTest, TheSameKernelIsAnsweredFromTheRecord) {
  const auto brief = guests_->open(request()).value();
  ASSERT_TRUE(guests_->submit(brief.job, source("fast")).has_value());
  const auto judged = lab_->judged.size();

  const auto again = guests_->submit(brief.job, source("fast")).value();

  EXPECT_TRUE(again.known);
  EXPECT_EQ(again.step, 1);
  EXPECT_EQ(lab_->judged.size(), judged);
}

TEST_F(ExternalEpisodesTest, BadSubmissionsGetASentenceAndChangeNothing) {
  const auto brief = guests_->open(request(1)).value();

  EXPECT_THAT(guests_->submit(brief.job, Submission{}).error().message,
              HasSubstr("changes nothing: give 'source', 'plan' or 'build_flags'"));
  EXPECT_THAT(guests_->submit(brief.job, source("x", 7)).error().message,
              HasSubstr("'edits' names step 7"));
  Submission huge = source("x");
  huge.source = std::string((std::size_t{1} << 20U) + 1, ' ');
  EXPECT_THAT(guests_->submit(brief.job, huge).error().message, HasSubstr("at most 1048576"));
  Submission odd = source("x");
  odd.predicted_gain = -1;
  EXPECT_THAT(guests_->submit(brief.job, odd).error().message, HasSubstr("a factor above 0"));
  EXPECT_THAT(guests_->submit(JobId("j-0000000099"), source("x")).error().message,
              HasSubstr("there is no job"));
  ASSERT_TRUE(guests_->submit(brief.job, source("wrong")).has_value());
  EXPECT_THAT(guests_->submit(brief.job, source("fast")).error().message,
              HasSubstr("budget of 1 candidates is spent"));
  EXPECT_EQ(guests_->close(brief.job, "x").value().steps.size(), 2U);
}

TEST_F(ExternalEpisodesTest, NobodySpeaksInTheNameOfMemory) {
  const auto brief = guests_->open(request()).value();
  Submission posing = source("fast");
  posing.author = "memory";

  EXPECT_EQ(guests_->submit(brief.job, posing).value().judged.candidate.proposer, "external");
}

TEST_F(ExternalEpisodesTest, TooManyAreRefused) {
  ASSERT_TRUE(guests_->open(request()).has_value());
  ASSERT_TRUE(guests_->open(request()).has_value());

  EXPECT_THAT(guests_->open(request()).error().message, HasSubstr("2 external episodes are open"));
}

TEST_F(ExternalEpisodesTest, AGivenKernelThatIsWrongEndsTheEpisodeWithASentence) {
  Verdict wrong;
  wrong.outcome = Outcome::wrong;
  wrong.reason = "y[0]: got 1, want 2";
  lab_->plant(planted_task().kernel, wrong);

  const auto opened = guests_->open(request());

  ASSERT_FALSE(opened.has_value());
  EXPECT_THAT(opened.error().message, HasSubstr("y[0]: got 1, want 2"));
  EXPECT_TRUE(store_.unfinished_jobs().value().empty());
}

}  // namespace
}  // namespace warpmind::agents
