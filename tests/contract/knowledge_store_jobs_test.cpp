// What every KnowledgeStore promises of jobs.

#include "tests/contract/knowledge_store_contract.h"

#include <gmock/gmock.h>

namespace warpmind::contract {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class KnowledgeStoreJobs : public KnowledgeStoreContract {};

TEST_P(KnowledgeStoreJobs, GivesJobsIdsInTheOrderOfAcceptance) {
  const Task task = fakes::sample_task("scale");

  const Job first = add_job(task);
  const Job second = add_job(task);

  EXPECT_EQ(first.id, JobId("j-0000000001"));
  EXPECT_EQ(second.id, JobId("j-0000000002"));
  EXPECT_EQ(first.state, JobState::queued);
  EXPECT_EQ(first.request.task, task);
}

TEST_P(KnowledgeStoreJobs, KeepsJobsOverAReopening) {
  const Job job = add_job(fakes::sample_task("scale"));

  reopen();

  EXPECT_EQ(store().find_job(job.id).value(), job);
  EXPECT_EQ(add_job(fakes::sample_task("scale")).id, JobId("j-0000000002"));
}

TEST_P(KnowledgeStoreJobs, UnknownIdsAreNotErrors) {
  EXPECT_EQ(store().find_job(JobId("j-0000000009")).value(), std::nullopt);
  EXPECT_EQ(store().find_job(JobId("nonsense")).value(), std::nullopt);
  EXPECT_EQ(store().find_episode(EpisodeId("e-0000000009")).value(), std::nullopt);
  EXPECT_EQ(store().find_episode(EpisodeId("")).value(), std::nullopt);
}

TEST_P(KnowledgeStoreJobs, UpdatesStateAttemptsAndErrorOnly) {
  const Job job = add_job(fakes::sample_task("scale"));
  Job changed = job;
  changed.state = JobState::failed;
  changed.attempts = 3;
  changed.error = "the daemon died three times under it";
  changed.request.task.name = "another";

  ASSERT_TRUE(store().update_job(changed).has_value());

  const auto found = store().find_job(job.id).value();
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->state, JobState::failed);
  EXPECT_EQ(found->attempts, 3);
  EXPECT_EQ(found->error, changed.error);
  EXPECT_EQ(found->request.task.name, "scale");
}

TEST_P(KnowledgeStoreJobs, UpdatingAnUnknownJobIsNotFound) {
  Job job;
  job.id = JobId("j-0000000404");

  const auto updated = store().update_job(job);

  ASSERT_FALSE(updated.has_value());
  EXPECT_EQ(updated.error().code, Errc::not_found);
  EXPECT_THAT(updated.error().message, HasSubstr("j-0000000404"));
}

TEST_P(KnowledgeStoreJobs, ListsUnfinishedJobsOldestFirstAndRecentOnesNewestFirst) {
  const Task task = fakes::sample_task("scale");
  std::vector<Job> jobs;
  jobs.reserve(5);
  for (int i = 0; i < 5; ++i) jobs.push_back(add_job(task));
  jobs[1].state = JobState::running;
  jobs[2].state = JobState::cancelled;
  jobs[3].state = JobState::failed;
  for (const int i : {1, 2, 3}) {
    ASSERT_TRUE(store().update_job(jobs[static_cast<std::size_t>(i)]).has_value());
  }

  reopen();

  EXPECT_THAT(store().unfinished_jobs().value(), ElementsAre(jobs[0], jobs[1], jobs[4]));
  EXPECT_THAT(store().recent_jobs(2).value(), ElementsAre(jobs[4], jobs[3]));
  EXPECT_THAT(store().recent_jobs(0).value(), IsEmpty());
  EXPECT_EQ(store().recent_jobs(100).value().size(), 5U);
  EXPECT_THAT(store().recent_records(2).value(), ElementsAre(jobs[4], jobs[3]));
}

TEST_P(KnowledgeStoreJobs, AJobThatRunsAgainIsUnfinishedAgain) {
  Job job = add_job(fakes::sample_task("scale"));
  job.state = JobState::failed;
  ASSERT_TRUE(store().update_job(job).has_value());
  ASSERT_THAT(store().unfinished_jobs().value(), IsEmpty());

  job.state = JobState::queued;
  ASSERT_TRUE(store().update_job(job).has_value());

  EXPECT_THAT(store().unfinished_jobs().value(), ElementsAre(job));
}

TEST_P(KnowledgeStoreJobs, KeepsWhatAQueueKeepsOfAJob) {
  JobRequest request = fakes::sample_request(fakes::sample_task("scale"));
  request.terms = {"ada", 7, true, {JobId("j-0000000001")}, UnixMillis{5}, UnixMillis{9}, {}};
  Job job = store().add_job(request, {1}).value();
  job.epoch = 3;
  job.held = true;
  job.dead = true;
  job.history = {{3, "lane 0", UnixMillis{2}, UnixMillis{4}, "the worker died"}};
  job.spent = {4, 1.5, 0.5, 100, 2000};
  job.request.terms.priority = -7;
  job.request.terms.night = "2026-11-24";
  ASSERT_TRUE(store().update_job(job).has_value());

  reopen();

  EXPECT_EQ(store().find_job(job.id).value(), job);
}

TEST_P(KnowledgeStoreJobs, ChangesOfAnOlderLeaseAreRefused) {
  Job job = running_job(fakes::sample_task("scale"), 2);

  job.epoch = 1;
  const auto late = store().update_job(job);

  ASSERT_FALSE(late.has_value());
  EXPECT_EQ(late.error().code, Errc::conflict);
  EXPECT_EQ(store().find_job(job.id).value()->epoch, 2);
}

TEST_P(KnowledgeStoreJobs, ResultsOfAnOlderLeaseAreRefusedAndTheNewestCountsOnce) {
  const Task task = fakes::sample_task("scale");
  Job late = running_job(task, 1);
  Job newer = late;
  newer.epoch = 2;
  ASSERT_TRUE(store().update_job(newer).has_value());
  const Episode episode = fakes::sample_episode(1, task);
  late.state = JobState::done;
  newer.state = JobState::done;
  newer.spent.evaluations = 2;

  const auto refused = store().commit(episode, late);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Errc::conflict);
  EXPECT_EQ(store().find_job(late.id).value()->state, JobState::running);
  ASSERT_TRUE(store().commit(episode, newer).has_value());
  EXPECT_EQ(store().commit(episode, newer).error().code, Errc::conflict);

  const auto job = store().find_job(newer.id).value();
  EXPECT_EQ(job->state, JobState::done);
  EXPECT_EQ(job->spent.evaluations, 2);
  EXPECT_EQ(store().statistics().value().records.at("episodes"), 1);
}

TEST_P(KnowledgeStoreJobs, AJobThatEndedWithAnEpisodeStaysWhatItIs) {
  const Task task = fakes::sample_task("scale");
  for (const auto end : {JobState::done, JobState::cancelled}) {
    Job job = running_job(task, 1);
    Job ended = job;
    ended.state = end;
    const auto number = std::stoll(job.id.str().substr(2));
    ASSERT_TRUE(store().commit(fakes::sample_episode(number, task), ended).has_value());

    // Whoever loaded it before that, and gives it a newer lease.
    for (const auto state : {JobState::queued, JobState::failed, JobState::running}) {
      Job other = job;
      other.state = state;
      other.epoch = 2;
      const auto updated = store().update_job(other);
      ASSERT_FALSE(updated.has_value()) << name_of(end) << " to " << name_of(state);
      EXPECT_EQ(updated.error().code, Errc::conflict);
    }
    EXPECT_EQ(store().find_job(job.id).value()->state, end);
    EXPECT_EQ(store().find_job(job.id).value()->epoch, 1);
  }
}

TEST_P(KnowledgeStoreJobs, ResultsOfAJobThatEndedOrIsQueuedAgainAreRefused) {
  const Task task = fakes::sample_task("scale");
  for (const auto state : {JobState::failed, JobState::cancelled, JobState::queued}) {
    Job job = running_job(task, 1);
    Job ended = job;
    ended.state = state;
    ASSERT_TRUE(store().update_job(ended).has_value());
    job.state = JobState::done;

    const auto number = std::stoll(job.id.str().substr(2));
    const auto refused = store().commit(fakes::sample_episode(number, task), job);

    ASSERT_FALSE(refused.has_value()) << name_of(state);
    EXPECT_EQ(refused.error().code, Errc::conflict);
    EXPECT_EQ(store().find_job(job.id).value()->state, state);
  }
}

INSTANTIATE_TEST_SUITE_P(All, KnowledgeStoreJobs, each_store(), kind_name);

}  // namespace
}  // namespace warpmind::contract
