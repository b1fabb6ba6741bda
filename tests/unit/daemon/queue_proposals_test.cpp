// What the daemon proposes by itself, from jobs that it knows.

#include "daemon/queue_proposals.h"

#include "base/file.h"
#include "daemon/scheduler/scheduler.h"
#include "knowledge_base/knowledge_base.h"
#include "knowledge_base/knowledge_store.h"
#include "tests/transcript/scripted_engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::daemon {
namespace {

using testing::HasSubstr;

Job measured(int number, const std::string& task, const std::string& device,
             const std::string& driver, double ratio = 1.5) {
  Job job;
  const std::string digits = std::to_string(number);
  job.id = JobId("j-" + std::string(10 - digits.size(), '0') + digits);
  job.state = JobState::done;
  job.request.task.name = task;
  job.request.task.id = TaskId("t-" + task);
  job.request.proposer = "llm";
  job.request.terms.user = "ada";
  job.request.budget.evaluations = 9;
  job.episode.emplace();
  job.episode->provider = Provider::gpu;
  Step given;
  given.verdict.measurement.emplace();
  given.verdict.measurement->device.name = device;
  given.verdict.measurement->device.driver = driver;
  given.verdict.measurement->toolkit = "13.0";
  job.episode->steps.push_back(given);
  job.episode->best_against_baseline = Comparison{ratio, ratio, ratio};
  return job;
}

MachineNow machine(const std::string& device, const std::string& driver,
                   const std::string& toolkit = "13.0") {
  MachineNow now;
  now.device.name = device;
  now.device.driver = driver;
  now.toolkit = toolkit;
  return now;
}

TEST(Retunes, ANewDriverAsksForTheTasksThatGainedMostFirst) {
  const auto jobs = retunes({measured(3, "gemm", "NVIDIA H200", "580", 4.0),
                             measured(2, "softmax", "NVIDIA H200", "580", 9.0),
                             measured(1, "gemm", "NVIDIA H200", "570", 2.0)},
                            machine("NVIDIA H200", "590"));

  ASSERT_EQ(jobs.size(), 2U);
  EXPECT_EQ(jobs[0].request.task.name, "softmax");
  EXPECT_EQ(jobs[1].proposal.subject, "driver NVIDIA H200 590 t-gemm");
  EXPECT_EQ(jobs[1].proposal.why,
            "the driver is 590 now; gemm was last measured with 580 (j-0000000003, 4.00x)");
  const auto& request = jobs[1].request;
  EXPECT_TRUE(request.terms.background) << "within the budget of the night";
  EXPECT_EQ(request.terms.user, "daemon");
  EXPECT_LT(request.terms.priority, 0);
  EXPECT_EQ(request.proposer, "builtin") << "the daemon spends no money of its own accord";
  EXPECT_EQ(request.budget.evaluations, 9);
}

TEST(Retunes, WhatIsAsItWasAsksForNothing) {
  const std::vector<Job> recent{measured(2, "gemm", "NVIDIA L40S", "590"),
                                measured(1, "gemm", "NVIDIA H200", "590")};
  EXPECT_TRUE(retunes(recent, machine("NVIDIA H200", "590")).empty());
  EXPECT_EQ(retunes(recent, machine("NVIDIA H200", "590", "13.1")).at(0).proposal.subject,
            "device NVIDIA H200 NVIDIA H200 t-gemm")
      << "the newest was measured elsewhere";
  EXPECT_EQ(retunes({recent[1]}, machine("NVIDIA H200", "590", "13.1")).at(0).proposal.subject,
            "toolkit NVIDIA H200 13.1 t-gemm");
  EXPECT_EQ(retunes({recent[0]}, machine("NVIDIA H200", "590")).at(0).proposal.subject,
            "device NVIDIA H200 NVIDIA H200 t-gemm");
  Job simulated = recent[1];
  simulated.episode->provider = Provider::sim;
  EXPECT_TRUE(retunes({simulated}, machine("NVIDIA L40S", "1")).empty()) << "nothing was measured";
}

TEST(TieBreaks, ATaskOnBothSidesDecides) {
  Insight insight;
  insight.id = InsightId("i-1");
  insight.claim = "Vector loads help. Often.";
  const auto evidence = [](const char* task, bool supports) {
    EvidenceRef one;
    one.task = TaskId(task);
    one.supports = supports;
    return one;
  };
  insight.evidence = {evidence("t-gemm", true), evidence("t-softmax", true),
                      evidence("t-softmax", false)};
  const std::vector<Job> recent{measured(2, "gemm", "NVIDIA H200", "580"),
                                measured(1, "softmax", "NVIDIA H200", "580")};

  const auto jobs = tie_breaks({insight}, recent);

  ASSERT_EQ(jobs.size(), 1U);
  EXPECT_EQ(jobs[0].request.task.name, "softmax");
  EXPECT_THAT(jobs[0].proposal.why, HasSubstr("2 for it, 1 against it; softmax can decide"));
  EXPECT_TRUE(tie_breaks({insight}, {measured(1, "conv", "NVIDIA H200", "580")}).empty());
}

/// Ends each job with a measurement on one driver.
class MeasuringRunner final : public JobRunner {
 public:
  MeasuringRunner(knowledge_base::KnowledgeStore& store, const Clock& clock)
      : store_(store), clock_(clock) {}
  Result<void> run_job(Job job, const JobControl& /*control*/) override {
    job.state = JobState::done;
    auto episode = tests::scripted_episode(job, clock_.wall());
    episode.provider = Provider::gpu;
    auto& measurement = episode.steps.front().verdict.measurement;
    if (!measurement) measurement.emplace();
    measurement->provider = Provider::gpu;
    measurement->device.name = "NVIDIA H200";
    measurement->device.driver = "580";
    measurement->toolkit = "13.0";
    WARPMIND_TRY(const auto receipt, store_.commit(episode, job));
    return {};
  }

 private:
  knowledge_base::KnowledgeStore& store_;
  const Clock& clock_;
};

TEST(QueueProposals, EachThoughtIsProposedOnceAndWaitsForAPerson) {
  const SystemClock clock;
  auto home = ScratchDirectory::create(std::filesystem::temp_directory_path(), "proposals").value();
  auto base = knowledge_base::KnowledgeBase::open(
                  {.directory = home.path() / "base", .reserve_bytes = 0, .clock = clock})
                  .value();
  MeasuringRunner runner(base->store(), clock);
  Scheduler scheduler({base->store(), base->queue(), runner, clock, {LaneSpec{}}, &base->agenda()},
                      [](const JobEvent&) {});
  ASSERT_TRUE(scheduler.start().has_value());
  JobRequest request;
  request.task.name = "task";
  request.task.id = TaskId("t-0123456789abcdef");
  request.task.kernel.source = "__global__ void k() {}";
  const JobId first = scheduler.submit(request)->id;
  while (scheduler.status(first)->state != JobState::done) std::this_thread::yield();
  MachineNow now = machine("NVIDIA H200", "580");
  QueueProposals proposals(
      {*base, scheduler, [&now]() -> Result<MachineNow> { return now; }, false});

  EXPECT_EQ(proposals.look().value(), 0U) << "nothing is new";
  now.device.driver = "590";
  EXPECT_EQ(proposals.look().value(), 1U);
  EXPECT_EQ(proposals.look().value(), 0U) << "it was proposed";

  const auto lines = scheduler.list();
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_TRUE(lines[0].proposed && lines[0].held);
  EXPECT_THAT(scheduler.why(JobId(lines[0].job_id))->text, HasSubstr("the driver is 590 now"));
  now.device.driver = "600";
  QueueProposals runs({*base, scheduler, [&now]() -> Result<MachineNow> { return now; }, true});
  EXPECT_EQ(runs.look().value(), 1U);
  const JobId third("j-0000000003");
  while (scheduler.status(third)->state != JobState::done) std::this_thread::yield();
  EXPECT_EQ(scheduler.list().size(), 1U) << "the other still waits";
}

}  // namespace
}  // namespace warpmind::daemon
