#include "profilers/device_turn.h"

#include "lab_places.h"
#include "profilers/runner_pool.h"
#include "profilers/worker_session.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

namespace warpmind::profilers {
namespace {

RunnerJob job_of(JobMode mode) {
  RunnerJob job;
  job.mode = mode;
  return job;
}

/// Runners that share a device, which is none: who may run beside whom does not depend on it.
class DeviceTurnTest : public ::testing::Test {
 protected:
  void SetUp() override {
    config::LabSettings settings;
    settings.unsafe_no_sandbox = true;
    auto sandbox = Sandbox::create(settings);
    ASSERT_TRUE(sandbox) << sandbox.error().message;
    sandbox_.emplace(std::move(*sandbox));
  }
  RunnerPlace place(const std::string& behaviour, std::shared_ptr<DeviceUse> use) {
    auto program = places_.path() / behaviour;
    if (!std::filesystem::exists(program))
      program = places_.runner(behaviour);  // it may be at work
    RunnerPlace place{program, places_.path() / "scratch", {}, 0};
    place.use = std::move(use);
    return place;
  }
  WorkerSession start(const std::string& behaviour, const std::shared_ptr<DeviceUse>& use) {
    auto session = WorkerSession::start(*sandbox_, place(behaviour, use));
    EXPECT_TRUE(session) << session.error().message;
    return std::move(*session);
  }
  /// Whether anybody may share the device now.
  bool is_free() {
    const bool free = turn_->try_lock_shared();
    if (free) turn_->unlock_shared();
    return free;
  }
  std::shared_ptr<DeviceUse> use() { return std::make_shared<DeviceUse>(turn_); }

  LabPlaces places_;
  std::optional<Sandbox> sandbox_;
  std::shared_ptr<DeviceTurn> turn_ = std::make_shared<DeviceTurn>();
};

TEST_F(DeviceTurnTest, AContextStartsBesideOthersUntilItsFirstRunHasEnded) {
  auto session = start("stand_in", use());
  EXPECT_TRUE(is_free());
  EXPECT_FALSE(turn_->try_lock()) << "it may not be timed while a context starts";

  EXPECT_TRUE(session.run_job(job_of(JobMode::identify), 60, {}));

  ASSERT_TRUE(turn_->try_lock());
  turn_->unlock();
}

TEST_F(DeviceTurnTest, ATimedRunHasTheDeviceAlone) {
  for (const JobMode mode : {JobMode::time, JobMode::profile}) {
    auto session = start("hang", use());
    std::stop_source stop;
    std::atomic<bool> ended = false;
    std::jthread runner([&] {
      EXPECT_FALSE(session.run_job(job_of(mode), 60, stop.get_token()));
      ended = true;
    });
    while (is_free() && !ended) std::this_thread::yield();
    EXPECT_FALSE(ended);
    stop.request_stop();
    runner.join();
    EXPECT_TRUE(is_free());
  }
}

TEST_F(DeviceTurnTest, ChecksRunBesideEachOtherAndATimedRunAfterThem) {
  auto checked = start("stand_in", use());
  auto timed = start("stand_in", use());
  ASSERT_TRUE(checked.run_job(job_of(JobMode::identify), 60, {}));
  ASSERT_TRUE(timed.run_job(job_of(JobMode::identify), 60, {}));
  std::atomic<bool> ended = false;
  std::jthread runner;
  {
    const std::shared_lock beside(*turn_);
    runner = std::jthread([&] {
      EXPECT_TRUE(timed.run_job(job_of(JobMode::time), 60, {}));
      ended = true;
    });
    // Each takes as long as the run that must not take place meanwhile.
    for (int i = 0; i < 20; ++i) EXPECT_TRUE(checked.run_job(job_of(JobMode::check), 60, {}));
    EXPECT_FALSE(ended);
  }
  runner.join();
  EXPECT_TRUE(ended);
}

TEST_F(DeviceTurnTest, WhoWaitsForASpareWaitsForTheDevice) {
  const auto mine = use();
  auto other = start("hang", use());
  std::stop_source stop;
  std::jthread runner(
      [&] { EXPECT_FALSE(other.run_job(job_of(JobMode::time), 60, stop.get_token())); });
  while (is_free()) std::this_thread::yield();
  RunnerPool pool(*sandbox_, place("stand_in", mine));
  pool.refill();
  // The other run ends only once somebody wants a runner, and some time after.
  std::jthread ender([&] {
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
    while (std::chrono::steady_clock::now() < until) std::this_thread::yield();
    stop.request_stop();
  });

  EXPECT_TRUE(pool.take({}));

  EXPECT_GT(mine->waited(), std::chrono::milliseconds(50));
}

}  // namespace
}  // namespace warpmind::profilers
