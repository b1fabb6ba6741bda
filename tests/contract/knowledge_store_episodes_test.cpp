// What every KnowledgeStore promises of episodes and what they bring along.

#include "knowledge_base/records.h"
#include "tests/contract/knowledge_store_contract.h"

#include <thread>
#include <vector>

#include <gmock/gmock.h>

namespace warpmind::contract {
namespace {

using testing::IsEmpty;

class KnowledgeStoreEpisodes : public KnowledgeStoreContract {};

TEST_P(KnowledgeStoreEpisodes, CommitEndsTheJobWithItsEpisodeAndReceipt) {
  const Task task = fakes::sample_task("scale");
  const Job job = add_job(task);
  const Episode episode = fakes::sample_episode(1, task, 3);

  const auto receipt = commit(episode, job).value();
  reopen();

  EXPECT_EQ(receipt.sequence, 2);
  EXPECT_EQ(receipt.steps, 4);
  EXPECT_EQ(receipt.kernels, 4);
  EXPECT_EQ(receipt.measurements, 4);
  EXPECT_EQ(store().find_episode(episode.id).value(), episode);
  const auto ended = store().find_job(job.id).value();
  ASSERT_TRUE(ended.has_value());
  EXPECT_EQ(ended->state, JobState::done);
  EXPECT_EQ(ended->episode, episode);
  EXPECT_EQ(ended->receipt, receipt);
  EXPECT_THAT(store().unfinished_jobs().value(), IsEmpty());
}

TEST_P(KnowledgeStoreEpisodes, CommitKeepsACancelledJobCancelled) {
  const Task task = fakes::sample_task("scale");
  Job job = add_job(task);
  job.state = JobState::cancelled;

  ASSERT_TRUE(store().commit(EpisodeSketch(1, task).finish(), job).has_value());

  EXPECT_EQ(store().find_job(job.id).value()->state, JobState::cancelled);
}

TEST_P(KnowledgeStoreEpisodes, KernelsThatTwoEpisodesShareAreKeptOnce) {
  const Task task = fakes::sample_task("scale");
  learn(task, EpisodeSketch(1, task).step({.marker = "shared"}));

  const auto receipt = learn(task, EpisodeSketch(2, task).step({.marker = "shared"}));

  EXPECT_EQ(receipt.kernels, 0);
  EXPECT_EQ(receipt.steps, 2);
  EXPECT_EQ(store().statistics().value().records.at("kernels"), 2);
}

TEST_P(KnowledgeStoreEpisodes, ARefusedCommitChangesNothing) {
  const Task task = fakes::sample_task("scale");
  const Job first = add_job(task);
  const Job second = add_job(task);
  ASSERT_TRUE(commit(fakes::sample_episode(1, task), first).has_value());
  const auto before = store().statistics().value();
  const auto advice = recall(task, fakes::h200(), {"block_size", "unroll"});

  const auto same_episode = commit(fakes::sample_episode(1, task, 3), second);
  const auto same_job = commit(fakes::sample_episode(2, task, 3), first);
  Job unknown = second;
  unknown.id = JobId("j-0000000404");
  const auto no_job = commit(fakes::sample_episode(3, task), unknown);
  const auto unended = store().commit(fakes::sample_episode(4, task), second);
  Episode nameless = fakes::sample_episode(5, task);
  nameless.id = EpisodeId("five");
  const auto no_id = commit(nameless, second);

  EXPECT_EQ(same_episode.error().code, Errc::conflict);
  EXPECT_EQ(same_job.error().code, Errc::conflict);
  EXPECT_EQ(no_job.error().code, Errc::not_found);
  EXPECT_EQ(unended.error().code, Errc::invalid_argument);
  EXPECT_EQ(no_id.error().code, Errc::invalid_argument);
  auto after = store().statistics().value();
  after.disk_bytes = before.disk_bytes;
  EXPECT_EQ(after, before);
  EXPECT_EQ(recall(task, fakes::h200(), {"block_size", "unroll"}), advice);
  EXPECT_EQ(store().find_job(second.id).value(), second);
}

TEST_P(KnowledgeStoreEpisodes, CountsRecordsByFamilyAndEpisodesByOutcome) {
  const Task task = fakes::sample_task("scale");
  learn(task, EpisodeSketch(1, task).step({}));
  learn(task, EpisodeSketch(2, task).step({.outcome = Outcome::wrong, .processes = 0}));
  add_job(task);
  reopen();

  const auto statistics = store().statistics().value();

  EXPECT_EQ(statistics.schema_version, knowledge_base::kSchemaVersion);
  EXPECT_EQ(statistics.last_sequence, 5);
  EXPECT_EQ(statistics.records.size(), 17U);
  EXPECT_EQ(statistics.records.at("jobs"), 3);
  EXPECT_EQ(statistics.records.at("episodes"), 2);
  EXPECT_EQ(statistics.records.at("steps"), 4);
  EXPECT_EQ(statistics.records.at("measurements"), 3);
  EXPECT_EQ(statistics.records.at("kernels"), 3);
  EXPECT_EQ(statistics.records.at("tasks"), 1);
  EXPECT_EQ(statistics.records.at("posteriors"), 5);
  EXPECT_EQ(statistics.records.at("log"), 5);
  EXPECT_EQ(statistics.records.at("meta"), 2);
  EXPECT_EQ(statistics.episodes_by_outcome.at("improved"), 1);
  EXPECT_EQ(statistics.episodes_by_outcome.at("same"), 1);
  EXPECT_FALSE(statistics.degraded);
  EXPECT_EQ(statistics.note, "");
}

TEST_P(KnowledgeStoreEpisodes, ADraftIsFoundUntilItsJobEnds) {
  const Task task = fakes::sample_task("scale");
  const Job job = add_job(task);
  Draft first;
  first.episode = fakes::sample_episode(1, task, 1);
  Draft second;
  second.episode = fakes::sample_episode(1, task, 3);
  second.turns = {{TurnKind::chosen, TurnEnd::judged, 0, "a", "x=1", 1, {}},
                  {TurnKind::chosen, TurnEnd::dropped, 1, "b", "", -1, {}},
                  {TurnKind::repaired, TurnEnd::judged, 0, "a", "repair 1", 2, {}}};
  second.turns[1].spending.output_tokens = 7;
  second.cost = {2, 12.5, 3.25, 70, 4};
  second.job_spent = {5, 20.5, 3.25, 70, 4};

  EXPECT_EQ(store().find_draft(first.episode.id).value(), std::nullopt);
  ASSERT_TRUE(store().save_draft(first).has_value());
  EXPECT_EQ(store().find_draft(first.episode.id).value(), first);
  ASSERT_TRUE(store().save_draft(second).has_value());
  reopen();
  EXPECT_EQ(store().find_draft(first.episode.id).value(), second)
      << "the newer one takes its place";
  EXPECT_EQ(store().find_episode(first.episode.id).value(), std::nullopt)
      << "a draft is no episode";

  EXPECT_EQ(store().find_job(job.id).value()->spent, second.job_spent)
      << "what the steps cost is charged with them";

  ASSERT_TRUE(commit(second.episode, job).has_value());

  EXPECT_EQ(store().find_draft(first.episode.id).value(), std::nullopt);
  const auto late = store().save_draft(first);
  ASSERT_FALSE(late.has_value());
  EXPECT_EQ(late.error().code, Errc::conflict);
  Draft lost;
  lost.episode = fakes::sample_episode(9, task);
  const auto homeless = store().save_draft(lost);
  ASSERT_FALSE(homeless.has_value());
  EXPECT_EQ(homeless.error().code, Errc::not_found);
}

TEST_P(KnowledgeStoreEpisodes, ADraftOfAnOlderLeaseIsRefused) {
  const Task task = fakes::sample_task("scale");
  Job job = add_job(task);
  job.state = JobState::running;
  job.epoch = 2;
  ASSERT_TRUE(store().update_job(job).has_value());
  Draft draft;
  draft.episode = fakes::sample_episode(1, task, 2);
  draft.epoch = 1;

  const auto late = store().save_draft(draft);

  ASSERT_FALSE(late.has_value());
  EXPECT_EQ(late.error().code, Errc::conflict);
  draft.epoch = 2;
  EXPECT_TRUE(store().save_draft(draft).has_value());
}

TEST_P(KnowledgeStoreEpisodes, TrafficOfLanguageModelsIsKeptApartFromItsEpisode) {
  const Task task = fakes::sample_task("scale");
  const Job job = add_job(task);
  const Episode bare = fakes::sample_episode(1, task, 2);
  const std::vector<Exchange> of_step{
      {"propose", "model-a", "p-1", "a long prompt", "thoughts", "an answer"},
      {"repair", "model-a", "p-2", "another prompt", "", "a better answer"}};
  const std::vector<Exchange> of_critique{
      {"critique", "model-b", "p-3", "what happened", "", "claims"}};
  Episode episode = bare;
  episode.steps[1].exchanges = of_step;
  episode.critique = of_critique;

  ASSERT_TRUE(commit(episode, job).has_value());
  reopen();

  EXPECT_EQ(store().find_exchanges(episode.id, 1).value(), of_step);
  EXPECT_THAT(store().find_exchanges(episode.id, 0).value(), IsEmpty());
  EXPECT_THAT(store().find_exchanges(episode.id, 2).value(), IsEmpty());
  EXPECT_EQ(store().find_exchanges(episode.id, 3).value(), of_critique);
  EXPECT_THAT(store().find_exchanges(episode.id, 4).value(), IsEmpty());
  EXPECT_THAT(store().find_exchanges(EpisodeId("e-0000000009"), 1).value(), IsEmpty());
  EXPECT_EQ(store().find_episode(episode.id).value(), bare);
}

TEST_P(KnowledgeStoreEpisodes, ConcurrentWritersLoseNoUpdate) {
  constexpr int kThreads = 16;
  constexpr int kEach = 4;
  const Task task = fakes::sample_task("scale");
  std::vector<std::jthread> threads;
  threads.reserve(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([this, &task] {
      for (int i = 0; i < kEach; ++i) {
        Job job = add_job(task);
        const auto number = std::stoll(job.id.str().substr(2));
        const auto episode = EpisodeSketch(number, task).step({.ratio = 2}).finish();
        EXPECT_TRUE(commit(episode, job).has_value());
        EXPECT_TRUE(store().find_job(job.id).value()->episode.has_value());
      }
    });
  }
  threads.clear();
  reopen();

  const auto statistics = store().statistics().value();
  EXPECT_EQ(statistics.records.at("jobs"), kThreads * kEach);
  EXPECT_EQ(statistics.records.at("episodes"), kThreads * kEach);
  EXPECT_EQ(statistics.last_sequence, 2 * kThreads * kEach);
  const auto advice = recall(task, fakes::h200(), {"block_size"});
  EXPECT_EQ(advice.techniques.at(0).observations, kThreads * kEach);
  EXPECT_EQ(advice.episodes_seen, kThreads * kEach);
}

INSTANTIATE_TEST_SUITE_P(All, KnowledgeStoreEpisodes, each_store(), kind_name);

}  // namespace
}  // namespace warpmind::contract
