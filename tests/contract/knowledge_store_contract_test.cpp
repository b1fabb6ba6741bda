// What every KnowledgeStore promises, held against the durable one and the one in memory.

#include "base/file.h"
#include "knowledge_base/rocksdb_knowledge_store.h"
#include "tests/fakes/memory_knowledge_store.h"
#include "tests/fakes/sample_episodes.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind {
namespace {

using fakes::EpisodeSketch;
using fakes::StepSketch;
using knowledge_base::KnowledgeStore;
using knowledge_base::RecallQuery;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Gives a store, and the same one again after it was closed where that means something.
class StoreSource {
 public:
  virtual ~StoreSource() = default;
  virtual KnowledgeStore& store() = 0;
  virtual void reopen() = 0;
};

class MemorySource final : public StoreSource {
 public:
  KnowledgeStore& store() override { return store_; }
  void reopen() override {}  // what it holds ends with it: nothing to open again

 private:
  fakes::MemoryKnowledgeStore store_;
};

class RocksDbSource final : public StoreSource {
 public:
  RocksDbSource()
      : scratch_(ScratchDirectory::create(std::filesystem::temp_directory_path(), "kb").value()) {
    reopen();
  }
  KnowledgeStore& store() override { return *store_; }
  void reopen() override {
    store_.reset();
    auto opened = knowledge_base::RocksDbKnowledgeStore::open(
        {.directory = scratch_.path() / "kb", .reserve_bytes = 0, .clock = clock_});
    if (!opened) throw std::runtime_error(opened.error().message);
    store_ = std::move(*opened);
  }

 private:
  ScratchDirectory scratch_;
  SystemClock clock_;
  std::unique_ptr<KnowledgeStore> store_;
};

struct Kind {
  std::string name;
  std::function<std::unique_ptr<StoreSource>()> make;
};

std::ostream& operator<<(std::ostream& out, const Kind& kind) { return out << kind.name; }

class KnowledgeStoreContract : public testing::TestWithParam<Kind> {
 protected:
  KnowledgeStore& store() { return source_->store(); }
  void reopen() { source_->reopen(); }

  Job add_job(const Task& task) {
    return store().add_job(fakes::sample_request(task), {1'700'000'000'000}).value();
  }
  Result<WriteBackReceipt> commit(const Episode& episode, Job job) {
    job.state = JobState::done;
    return store().commit(episode, job);
  }
  /// Adds a job for `task` and ends it with `sketch`'s episode.
  WriteBackReceipt learn(const Task& task, const EpisodeSketch& sketch) {
    return commit(sketch.finish(), add_job(task)).value();
  }
  /// One block size for 1.8x and another for 0.5x, in one episode.
  void learn_sweep(std::int64_t number, const Task& task) {
    Episode episode = EpisodeSketch(number, task)
                          .step({.ratio = 1.8})
                          .step({.outcome = Outcome::regressed, .ratio = 0.5})
                          .finish();
    episode.steps[1].candidate.parameters = "block=32x1x1";
    episode.steps[2].candidate.parameters = "block=512x1x1";
    ASSERT_TRUE(commit(episode, add_job(task)).has_value());
  }
  std::vector<MoveAdvice> recall_moves(
      const Task& task, const DeviceIdentity& device,
      std::vector<std::pair<std::string, std::string>> moves,
      BottleneckClass bottleneck = BottleneckClass::low_occupancy) {
    const std::vector<std::string> techniques;
    knowledge_base::RecallQuery query{task, bottleneck, device, Provider::gpu, techniques};
    query.moves = std::move(moves);
    return store().recall(query).value().moves;
  }
  Advice recall(const Task& task, const DeviceIdentity& device,
                const std::vector<std::string>& techniques, Provider provider = Provider::gpu) {
    return store()
        .recall({task, BottleneckClass::low_occupancy, device, provider, techniques})
        .value();
  }

 private:
  std::unique_ptr<StoreSource> source_ = GetParam().make();
};

TEST_P(KnowledgeStoreContract, GivesJobsIdsInTheOrderOfAcceptance) {
  const Task task = fakes::sample_task("scale");

  const Job first = add_job(task);
  const Job second = add_job(task);

  EXPECT_EQ(first.id, JobId("j-0000000001"));
  EXPECT_EQ(second.id, JobId("j-0000000002"));
  EXPECT_EQ(first.state, JobState::queued);
  EXPECT_EQ(first.request.task, task);
}

TEST_P(KnowledgeStoreContract, KeepsJobsOverAReopening) {
  const Job job = add_job(fakes::sample_task("scale"));

  reopen();

  EXPECT_EQ(store().find_job(job.id).value(), job);
  EXPECT_EQ(add_job(fakes::sample_task("scale")).id, JobId("j-0000000002"));
}

TEST_P(KnowledgeStoreContract, UnknownIdsAreNotErrors) {
  EXPECT_EQ(store().find_job(JobId("j-0000000009")).value(), std::nullopt);
  EXPECT_EQ(store().find_job(JobId("nonsense")).value(), std::nullopt);
  EXPECT_EQ(store().find_episode(EpisodeId("e-0000000009")).value(), std::nullopt);
  EXPECT_EQ(store().find_episode(EpisodeId("")).value(), std::nullopt);
}

TEST_P(KnowledgeStoreContract, UpdatesStateAttemptsAndErrorOnly) {
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

TEST_P(KnowledgeStoreContract, UpdatingAnUnknownJobIsNotFound) {
  Job job;
  job.id = JobId("j-0000000404");

  const auto updated = store().update_job(job);

  ASSERT_FALSE(updated.has_value());
  EXPECT_EQ(updated.error().code, Errc::not_found);
  EXPECT_THAT(updated.error().message, HasSubstr("j-0000000404"));
}

TEST_P(KnowledgeStoreContract, ListsUnfinishedJobsOldestFirstAndRecentOnesNewestFirst) {
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
}

TEST_P(KnowledgeStoreContract, AJobThatRunsAgainIsUnfinishedAgain) {
  Job job = add_job(fakes::sample_task("scale"));
  job.state = JobState::failed;
  ASSERT_TRUE(store().update_job(job).has_value());
  ASSERT_THAT(store().unfinished_jobs().value(), IsEmpty());

  job.state = JobState::queued;
  ASSERT_TRUE(store().update_job(job).has_value());

  EXPECT_THAT(store().unfinished_jobs().value(), ElementsAre(job));
}

TEST_P(KnowledgeStoreContract, CommitEndsTheJobWithItsEpisodeAndReceipt) {
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

TEST_P(KnowledgeStoreContract, CommitKeepsACancelledJobCancelled) {
  const Task task = fakes::sample_task("scale");
  Job job = add_job(task);
  job.state = JobState::cancelled;

  ASSERT_TRUE(store().commit(EpisodeSketch(1, task).finish(), job).has_value());

  EXPECT_EQ(store().find_job(job.id).value()->state, JobState::cancelled);
}

TEST_P(KnowledgeStoreContract, KernelsThatTwoEpisodesShareAreKeptOnce) {
  const Task task = fakes::sample_task("scale");
  learn(task, EpisodeSketch(1, task).step({.marker = "shared"}));

  const auto receipt = learn(task, EpisodeSketch(2, task).step({.marker = "shared"}));

  EXPECT_EQ(receipt.kernels, 0);
  EXPECT_EQ(receipt.steps, 2);
  EXPECT_EQ(store().statistics().value().records.at("kernels"), 2);
}

TEST_P(KnowledgeStoreContract, ARefusedCommitChangesNothing) {
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

TEST_P(KnowledgeStoreContract, CountsRecordsByFamilyAndEpisodesByOutcome) {
  const Task task = fakes::sample_task("scale");
  learn(task, EpisodeSketch(1, task).step({}));
  learn(task, EpisodeSketch(2, task).step({.outcome = Outcome::wrong, .processes = 0}));
  add_job(task);
  reopen();

  const auto statistics = store().statistics().value();

  EXPECT_EQ(statistics.schema_version, 2);
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

TEST_P(KnowledgeStoreContract, AdvisesByPriorWhatNobodyTried) {
  const Task task = fakes::sample_task("scale");

  const Advice advice = recall(task, fakes::h200(), {"zeta", "alpha"});

  ASSERT_EQ(advice.techniques.size(), 2U);
  EXPECT_EQ(advice.techniques[0].technique, "zeta") << "equal ones keep the order given";
  EXPECT_NEAR(advice.techniques[0].predicted_gain, 1.05, 1e-12);
  EXPECT_LT(advice.techniques[0].gain_low, 0.75);
  EXPECT_GT(advice.techniques[0].gain_high, 1.5);
  EXPECT_NEAR(advice.techniques[0].feasibility, 0.8, 1e-12);
  EXPECT_EQ(advice.techniques[0].observations, 0);
  EXPECT_EQ(advice.techniques[0].scope, "prior");
  EXPECT_EQ(advice.remembered, std::nullopt);
  EXPECT_EQ(advice.episodes_seen, 0);
}

TEST_P(KnowledgeStoreContract, RanksWhatGainedAboveWhatDidNotAndSaysWhy) {
  const Task task = fakes::sample_task("scale");
  learn(task, EpisodeSketch(1, task)
                  .step({.technique = "unroll", .outcome = Outcome::regressed, .ratio = 0.8})
                  .step({.technique = "vectorize", .ratio = 1.5}));
  learn(task, EpisodeSketch(2, task).step({.technique = "vectorize", .ratio = 1.4}));
  reopen();

  const Advice advice =
      recall(fakes::sample_task("other"), fakes::h200(), {"unroll", "unseen", "vectorize"});

  ASSERT_EQ(advice.techniques.size(), 3U);
  const auto& best = advice.techniques[0];
  EXPECT_EQ(best.technique, "vectorize");
  EXPECT_GT(best.predicted_gain, 1.1);
  EXPECT_LT(best.predicted_gain, 1.5);
  EXPECT_LT(best.gain_low, best.predicted_gain);
  EXPECT_GT(best.gain_high, best.predicted_gain);
  EXPECT_GT(best.feasibility, 0.8);
  EXPECT_EQ(best.observations, 2);
  EXPECT_EQ(best.scope, "device");
  EXPECT_THAT(best.why, HasSubstr("1.45x mean gain, 2 measurements at low_occupancy on NVIDIA "
                                  "H200"));
  EXPECT_EQ(advice.techniques[1].technique, "unseen");
  EXPECT_EQ(advice.techniques[2].technique, "unroll") << "what lost time comes after the unknown";
  EXPECT_EQ(advice.remembered, std::nullopt) << "that kernel is of another task";
  EXPECT_EQ(advice.episodes_seen, 0);
}

TEST_P(KnowledgeStoreContract, NamesTheScopeThatTheEvidenceComesFrom) {
  const Task task = fakes::sample_task("scale");
  learn(task, EpisodeSketch(1, task).step({.ratio = 1.5}));
  const std::vector<std::string> techniques{"block_size"};

  const auto scope_on = [&](const DeviceIdentity& device) {
    return recall(task, device, techniques).techniques.at(0);
  };
  const auto elsewhere = store()
                             .recall({task, BottleneckClass::memory_bandwidth, fakes::h200(),
                                      Provider::gpu, techniques})
                             .value();

  EXPECT_EQ(scope_on(fakes::h200()).scope, "device");
  EXPECT_EQ(scope_on(fakes::h100()).scope, "family");
  EXPECT_EQ(scope_on(fakes::a100()).scope, "technique");
  EXPECT_EQ(elsewhere.techniques.at(0).scope, "technique");
  EXPECT_GT(scope_on(fakes::h200()).predicted_gain, 1.05);
}

TEST_P(KnowledgeStoreContract, TellsTheParametersOfATechniqueApart) {
  const Task task = fakes::sample_task("scale");
  learn_sweep(1, task);
  learn_sweep(2, fakes::sample_task("add"));
  reopen();

  const auto moves = recall_moves(task, fakes::h200(),
                                  {{"block_size", "block=512x1x1"},
                                   {"block_size", "block=64x1x1"},
                                   {"block_size", "block=32x1x1"},
                                   {"unroll", "block=32x1x1"},
                                   {"block_size", "block=32x1x1"},
                                   {"block_size", ""}});

  ASSERT_EQ(moves.size(), 2U) << "those that were tried, each once, in the order asked";
  EXPECT_EQ(moves[0].technique, "block_size");
  EXPECT_EQ(moves[0].parameters, "block=512x1x1");
  EXPECT_LT(moves[0].predicted_gain, 0.95);
  EXPECT_EQ(moves[1].parameters, "block=32x1x1");
  EXPECT_GT(moves[1].predicted_gain, 1.05);
  EXPECT_LT(moves[1].gain_low, moves[1].predicted_gain);
  EXPECT_GT(moves[1].gain_high, moves[1].predicted_gain);
  EXPECT_GT(moves[1].feasibility, 0.8);
  EXPECT_EQ(moves[1].observations, 2);
  EXPECT_EQ(moves[1].scope, "device");
}

TEST_P(KnowledgeStoreContract, KnowsParametersOnOtherDevicesAndAtOtherBottlenecks) {
  const Task task = fakes::sample_task("scale");
  learn_sweep(1, task);
  const std::vector<std::pair<std::string, std::string>> move{{"block_size", "block=32x1x1"}};

  EXPECT_EQ(recall_moves(task, fakes::h100(), move).at(0).scope, "family");
  EXPECT_EQ(recall_moves(task, fakes::a100(), move).at(0).scope, "technique");
  const auto elsewhere = recall_moves(task, fakes::h200(), move, BottleneckClass::memory_bandwidth);
  EXPECT_EQ(elsewhere.at(0).scope, "technique");
  EXPECT_GT(elsewhere.at(0).predicted_gain, 1);
}

TEST_P(KnowledgeStoreContract, ParametersAddNothingToTechniquesAndLessons) {
  const Task task = fakes::sample_task("scale");
  learn_sweep(1, task);

  const auto advice = recall(task, fakes::h200(), {"block_size"});
  const auto receipt = learn(task, EpisodeSketch(2, task).step({.technique = "unroll"}));

  EXPECT_EQ(advice.techniques.at(0).observations, 2);
  EXPECT_THAT(advice.moves, IsEmpty()) << "nobody asked about any";
  // Five levels of the technique, four of each of its two parameters.
  EXPECT_EQ(store().statistics().value().records.at("posteriors"), 5 + 2 * 4 + 4);
  for (const auto& lesson : receipt.lessons) EXPECT_EQ(lesson.find('\x1f'), std::string::npos);
}

TEST_P(KnowledgeStoreContract, ADraftIsFoundUntilItsJobEnds) {
  const Task task = fakes::sample_task("scale");
  const Job job = add_job(task);
  const Episode first = fakes::sample_episode(1, task, 1);
  const Episode second = fakes::sample_episode(1, task, 3);

  EXPECT_EQ(store().find_draft(first.id).value(), std::nullopt);
  ASSERT_TRUE(store().save_draft(first).has_value());
  EXPECT_EQ(store().find_draft(first.id).value(), first);
  ASSERT_TRUE(store().save_draft(second).has_value());
  reopen();
  EXPECT_EQ(store().find_draft(first.id).value(), second) << "the newer one takes its place";
  EXPECT_EQ(store().find_episode(first.id).value(), std::nullopt) << "a draft is no episode";

  ASSERT_TRUE(commit(second, job).has_value());

  EXPECT_EQ(store().find_draft(first.id).value(), std::nullopt);
  const auto late = store().save_draft(first);
  ASSERT_FALSE(late.has_value());
  EXPECT_EQ(late.error().code, Errc::conflict);
  const auto homeless = store().save_draft(fakes::sample_episode(9, task));
  ASSERT_FALSE(homeless.has_value());
  EXPECT_EQ(homeless.error().code, Errc::not_found);
}

TEST_P(KnowledgeStoreContract, TrafficOfLanguageModelsIsKeptApartFromItsEpisode) {
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

TEST_P(KnowledgeStoreContract, EvidenceOfOneProviderNeverCountsForAnother) {
  const Task task = fakes::sample_task("scale");
  learn(task, EpisodeSketch(1, task).step({.ratio = 3}).provider(Provider::fixture));

  const Advice real = recall(task, fakes::h200(), {"block_size"}, Provider::gpu);
  const Advice recorded = recall(task, fakes::h200(), {"block_size"}, Provider::fixture);

  EXPECT_EQ(real.techniques.at(0).scope, "prior");
  EXPECT_EQ(real.remembered, std::nullopt);
  EXPECT_EQ(real.episodes_seen, 0);
  EXPECT_EQ(recorded.techniques.at(0).scope, "device");
  EXPECT_TRUE(recorded.remembered.has_value());
  EXPECT_EQ(recorded.episodes_seen, 1);
}

TEST_P(KnowledgeStoreContract, HeldOutTasksTeachNothing) {
  const Task heldout = fakes::sample_task("secret", Split::heldout);
  const Advice before = recall(heldout, fakes::h200(), {"block_size"});
  const Job job = add_job(heldout);
  const Episode episode = EpisodeSketch(1, heldout).step({.ratio = 4}).finish();

  const auto receipt = commit(episode, job).value();
  reopen();

  EXPECT_EQ(recall(heldout, fakes::h200(), {"block_size"}), before);
  EXPECT_THAT(receipt.lessons, IsEmpty());
  EXPECT_EQ(receipt.steps, 0);
  EXPECT_EQ(receipt.kernels, 0);
  EXPECT_EQ(store().find_episode(episode.id).value(), episode);
  EXPECT_EQ(store().find_job(job.id).value()->state, JobState::done);
  const auto records = store().statistics().value().records;
  EXPECT_EQ(records.at("posteriors"), 0);
  EXPECT_EQ(records.at("kernels"), 0);
  EXPECT_EQ(records.at("tasks"), 0);
}

TEST_P(KnowledgeStoreContract, LessonsNameTechniqueBottleneckDeviceAndNumbers) {
  const Task task = fakes::sample_task("scale");
  learn(task, EpisodeSketch(1, task).step({.ratio = 1.21}));

  const auto receipt =
      learn(task, EpisodeSketch(2, task)
                      .step({.ratio = 1.21})
                      .step({.outcome = Outcome::build_failed, .processes = 0})
                      .step({.technique = "unroll", .outcome = Outcome::same, .processes = 1}));

  // What insights say of it comes after, where the store keeps insights.
  ASSERT_GE(receipt.lessons.size(), 2U);
  EXPECT_EQ(receipt.lessons[0],
            "block_size at low_occupancy on NVIDIA H200: 1.21x mean gain, 2 measurements, "
            "failed 1 of 3 times");
  EXPECT_EQ(receipt.lessons[1], "unroll at low_occupancy on NVIDIA H200: no gain in 1 screening");
}

TEST_P(KnowledgeStoreContract, RemembersTheBestKernelOfATask) {
  const Task task = fakes::sample_task("scale");
  const Episode good = EpisodeSketch(1, task)
                           .step({.technique = "vectorize", .ratio = 2})
                           .step({.ratio = 1.5})
                           .finish();
  ASSERT_TRUE(commit(good, add_job(task)).has_value());
  learn(task, EpisodeSketch(2, task).step({.ratio = 1.1}));
  reopen();

  const Advice advice = recall(task, fakes::h200(), {});

  ASSERT_TRUE(advice.remembered.has_value());
  EXPECT_EQ(advice.remembered->kernel, good.steps[2].candidate.kernel);
  EXPECT_EQ(advice.remembered->episode, good.id);
  EXPECT_DOUBLE_EQ(advice.remembered->speedup, 3);
  EXPECT_EQ(advice.remembered->device, "NVIDIA H200");
  EXPECT_THAT(advice.remembered->techniques, ElementsAre("vectorize", "block_size"));
  EXPECT_EQ(advice.episodes_seen, 2);
}

TEST_P(KnowledgeStoreContract, PrefersAKernelOfTheSameDeviceThenOfTheSameCapability) {
  const Task task = fakes::sample_task("scale");
  learn(task, EpisodeSketch(1, task, fakes::h200()).step({.ratio = 4}));

  EXPECT_EQ(recall(task, fakes::h100(), {}).remembered->device, "NVIDIA H200");
  EXPECT_EQ(recall(task, fakes::a100(), {}).remembered, std::nullopt);

  learn(task, EpisodeSketch(2, task, fakes::h100()).step({.ratio = 1.2}));

  EXPECT_EQ(recall(task, fakes::h100(), {}).remembered->device, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(recall(task, fakes::h200(), {}).remembered->device, "NVIDIA H200");
}

TEST_P(KnowledgeStoreContract, RemeasuringARememberedKernelIsNoEvidenceForItsTechnique) {
  const Task task = fakes::sample_task("scale");
  learn(task, EpisodeSketch(1, task).step({.technique = "vectorize", .ratio = 2, .marker = "v"}));
  const Advice before = recall(task, fakes::h200(), {"vectorize"});

  learn(task, EpisodeSketch(2, task).step(
                  {.technique = "vectorize", .ratio = 2.2, .proposer = "memory", .marker = "v"}));

  const Advice after = recall(task, fakes::h200(), {"vectorize"});
  EXPECT_EQ(after.techniques, before.techniques);
  EXPECT_THAT(after.remembered->techniques, ElementsAre("vectorize"))
      << "the techniques behind a remembered kernel are inherited";
}

TEST_P(KnowledgeStoreContract, ConcurrentWritersLoseNoUpdate) {
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

INSTANTIATE_TEST_SUITE_P(
    All, KnowledgeStoreContract,
    testing::Values(Kind{"Memory", [] { return std::make_unique<MemorySource>(); }},
                    Kind{"RocksDb", [] { return std::make_unique<RocksDbSource>(); }}),
    [](const auto& kind) { return kind.param.name; });

}  // namespace
}  // namespace warpmind
