#include "profilers/runner_pool.h"

#include "base/log.h"

#include <algorithm>
#include <chrono>

namespace warpmind::profilers {
namespace {

/// First contexts on a machine whose driver must initialise all its GPUs take tens of seconds.
constexpr double kStartSeconds = 60;
constexpr auto kIdle = std::chrono::seconds(60);

}  // namespace

RunnerPool::RunnerPool(const Sandbox& sandbox, RunnerPlace place,
                       std::shared_ptr<DeviceHealth> health)
    : sandbox_(&sandbox),
      place_(std::move(place)),
      health_(std::move(health)),
      thread_([this](const std::stop_token& stop) { serve(stop); }) {}

RunnerPool::~RunnerPool() = default;

Result<WorkerSession> RunnerPool::make_spare(const std::stop_token& stop, bool& no_device) {
  std::shared_lock<DeviceTurn> turn;
  if (place_.use) {
    DeviceUse::Duration waited{};
    turn = place_.use->beside(waited);
    const std::scoped_lock lock(mutex_);
    waited_ += waited;
  }
  WARPMIND_TRY(auto session, WorkerSession::start(*sandbox_, place_, std::move(turn)));
  RunnerJob job;
  job.mode = JobMode::identify;
  WARPMIND_TRY(auto answer, session.run_job(job, kStartSeconds, stop));
  if (!answer.report) {
    return fail(Errc::external_failure, "a runner did not start: " + answer.reason);
  }
  if (answer.report->no_device) {
    no_device = true;
    return fail(Errc::unavailable,
                answer.report->error.empty() ? "no CUDA device was found" : answer.report->error);
  }
  if (!answer.report->ok) {
    return fail(Errc::external_failure, "a runner did not start: " + answer.report->error);
  }
  if (health_) health_->identify(answer.report->device.name, answer.report->device.uuid);
  const std::scoped_lock lock(mutex_);
  device_ = answer.report->device;
  return session;
}

void RunnerPool::serve(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    if (!wanted_) {
      const bool woken = changed_.wait_for(lock, stop, kIdle, [this] { return wanted_; });
      if (!woken && spare_) {
        const auto idle = std::exchange(spare_, std::nullopt);
        lock.unlock();  // its end is waited for
      }
      if (lock.owns_lock()) lock.unlock();
      // A device comes back also when nobody asks for it.
      if (!woken && health_ && health_->quarantine()) (void)health_->admit(stop);
      lock.lock();
      continue;
    }
    lock.unlock();
    bool no_device = false;
    auto spare = make_spare(stop, no_device);
    lock.lock();
    wanted_ = false;
    if (spare) {
      spare_ = std::move(*spare);
      failure_.reset();
    } else if (no_device) {
      no_device_ = spare.error();
      log::info("profilers", "no CUDA device", {{"cause", spare.error().message}});
    } else {
      failure_ = spare.error();
    }
    changed_.notify_all();
  }
}

template <class Done>
bool RunnerPool::wait(std::unique_lock<std::mutex>& lock, const std::stop_token& stop, Done done) {
  const auto from = std::chrono::steady_clock::now();
  const auto before = waited_;
  const bool is_done = changed_.wait(lock, stop, std::move(done));
  // It may have begun to wait before this caller did.
  const auto lost = std::min(waited_ - before, std::chrono::steady_clock::now() - from);
  if (place_.use) place_.use->add(lost);
  return is_done;
}

Result<void> RunnerPool::wait_for_spare(std::unique_lock<std::mutex>& lock,
                                        const std::stop_token& stop) {
  if (no_device_) return fail(*no_device_);
  // A spare may have died since it answered; a new one is then made at once.
  if (spare_ && !spare_->alive()) spare_.reset();
  if (!spare_) {
    failure_.reset();
    wanted_ = true;
    changed_.notify_all();
  }
  if (!wait(lock, stop, [this] { return spare_.has_value() || failure_ || no_device_; })) {
    return fail(Errc::cancelled, "waiting for a runner was cancelled");
  }
  if (spare_) return {};
  return fail(no_device_ ? *no_device_ : *failure_);
}

Result<void> RunnerPool::admit(const std::stop_token& stop) {
  if (!health_) return {};
  return health_->admit(stop);
}

Result<WorkerSession> RunnerPool::take(const std::stop_token& stop) {
  WARPMIND_CHECK(admit(stop));
  std::unique_lock lock(mutex_);
  WARPMIND_CHECK(wait_for_spare(lock, stop));
  WorkerSession session = std::move(*spare_);
  spare_.reset();
  return session;
}

void RunnerPool::refill() {
  const std::scoped_lock lock(mutex_);
  if (no_device_ || wanted_ || (spare_ && spare_->alive())) return;
  spare_.reset();
  failure_.reset();
  wanted_ = true;
  changed_.notify_all();
}

void RunnerPool::settle(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  wait(lock, stop, [this] { return !wanted_; });
}

Result<DeviceIdentity> RunnerPool::device(const std::stop_token& stop) {
  WARPMIND_CHECK(admit(stop));
  std::unique_lock lock(mutex_);
  if (!device_) WARPMIND_CHECK(wait_for_spare(lock, stop));
  return *device_;
}

}  // namespace warpmind::profilers
