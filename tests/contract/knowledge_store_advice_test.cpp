// What every KnowledgeStore advises, and what it remembers.

#include "tests/contract/knowledge_store_contract.h"

#include <gmock/gmock.h>

namespace warpmind::contract {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class KnowledgeStoreAdvice : public KnowledgeStoreContract {};

TEST_P(KnowledgeStoreAdvice, AdvisesByPriorWhatNobodyTried) {
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

TEST_P(KnowledgeStoreAdvice, RanksWhatGainedAboveWhatDidNotAndSaysWhy) {
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

TEST_P(KnowledgeStoreAdvice, NamesTheScopeThatTheEvidenceComesFrom) {
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

TEST_P(KnowledgeStoreAdvice, TellsTheParametersOfATechniqueApart) {
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

TEST_P(KnowledgeStoreAdvice, KnowsParametersOnOtherDevicesAndAtOtherBottlenecks) {
  const Task task = fakes::sample_task("scale");
  learn_sweep(1, task);
  const std::vector<std::pair<std::string, std::string>> move{{"block_size", "block=32x1x1"}};

  EXPECT_EQ(recall_moves(task, fakes::h100(), move).at(0).scope, "family");
  EXPECT_EQ(recall_moves(task, fakes::a100(), move).at(0).scope, "technique");
  const auto elsewhere = recall_moves(task, fakes::h200(), move, BottleneckClass::memory_bandwidth);
  EXPECT_EQ(elsewhere.at(0).scope, "technique");
  EXPECT_GT(elsewhere.at(0).predicted_gain, 1);
}

TEST_P(KnowledgeStoreAdvice, ParametersAddNothingToTechniquesAndLessons) {
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

TEST_P(KnowledgeStoreAdvice, EvidenceOfOneProviderNeverCountsForAnother) {
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

TEST_P(KnowledgeStoreAdvice, HeldOutTasksTeachNothing) {
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

TEST_P(KnowledgeStoreAdvice, LessonsNameTechniqueBottleneckDeviceAndNumbers) {
  const Task task = fakes::sample_task("scale");
  learn(task, EpisodeSketch(1, task).step({.ratio = 1.21}));

  const auto receipt =
      learn(task, EpisodeSketch(2, task)
                      .step({.ratio = 1.21})
                      .step({.outcome = Outcome::wrong, .processes = 0})
                      .step({.technique = "unroll", .outcome = Outcome::same, .processes = 1}));

  // What insights say of it comes after, where the store keeps insights.
  ASSERT_GE(receipt.lessons.size(), 2U);
  EXPECT_EQ(receipt.lessons[0],
            "block_size at low_occupancy on NVIDIA H200: 1.21x mean gain, 2 measurements, "
            "failed 1 of 3 times");
  EXPECT_EQ(receipt.lessons[1], "unroll at low_occupancy on NVIDIA H200: no gain in 1 screening");
}

TEST_P(KnowledgeStoreAdvice, RemembersTheBestKernelOfATask) {
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

TEST_P(KnowledgeStoreAdvice, PrefersAKernelOfTheSameDeviceThenOfTheSameCapability) {
  const Task task = fakes::sample_task("scale");
  learn(task, EpisodeSketch(1, task, fakes::h200()).step({.ratio = 4}));

  EXPECT_EQ(recall(task, fakes::h100(), {}).remembered->device, "NVIDIA H200");
  EXPECT_EQ(recall(task, fakes::a100(), {}).remembered, std::nullopt);

  learn(task, EpisodeSketch(2, task, fakes::h100()).step({.ratio = 1.2}));

  EXPECT_EQ(recall(task, fakes::h100(), {}).remembered->device, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(recall(task, fakes::h200(), {}).remembered->device, "NVIDIA H200");
}

TEST_P(KnowledgeStoreAdvice, RemeasuringARememberedKernelIsNoEvidenceForItsTechnique) {
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

INSTANTIATE_TEST_SUITE_P(All, KnowledgeStoreAdvice, each_store(), kind_name);

}  // namespace
}  // namespace warpmind::contract
