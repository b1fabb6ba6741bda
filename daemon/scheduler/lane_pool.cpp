#include "daemon/scheduler/lane_pool.h"

#include "base/log.h"

#include <algorithm>
#include <utility>

namespace warpmind::daemon {
namespace {

constexpr std::chrono::seconds kStoreRetry{5};
constexpr std::chrono::seconds kLook{1};  // how often what waits for a time is looked at

}  // namespace

LanePool::LanePool(Parts parts, std::function<void(const SharedRun&)> run_job)
    : parts_(std::move(parts)), run_job_(std::move(run_job)) {
  for (auto& spec : parts_.lanes) {
    Lane lane;
    lane.spec = std::move(spec);
    lanes_.push_back(std::move(lane));
  }
}

void LanePool::start() {
  const std::scoped_lock lock(mutex_);
  started_ = parts_.clock.monotonic();
  lanes_at_work_ = lanes_.size();
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    lanes_[i].thread = std::thread([this, i] { serve_lane(i); });
  }
}

void LanePool::wake() {
  // Between a lane's look at the queue and its sleep nothing is missed.
  { const std::scoped_lock lock(mutex_); }
  changed_.notify_all();
}

void LanePool::drain(bool park, std::function<void()> idle) {
  std::vector<std::stop_source> parked;
  {
    const auto lock = still();
    draining_ = true;
    if (idle && lanes_at_work_ > 0) idle_ = std::exchange(idle, {});
    if (park) {
      for (const auto& run : runs(lock)) {
        if (run->interruption == Interruption::none) run->interruption = Interruption::park;
        parked.push_back(run->stop);
      }
    }
  }
  changed_.notify_all();
  for (auto& source : parked) source.request_stop();
  if (idle) idle();
}

void LanePool::join() {
  for (auto& lane : lanes_) {
    if (lane.thread.joinable()) lane.thread.join();
  }
}

void LanePool::serve_lane(std::size_t lane) {
  while (const auto run = take_next(lane)) run_to_end(run);
  std::function<void()> idle;
  {
    const std::scoped_lock lock(mutex_);
    if (--lanes_at_work_ == 0) idle = std::exchange(idle_, {});
  }
  if (idle) idle();
}

/// Whether a lane whose device has less to do is free. Called with the lock held.
bool LanePool::should_leave_to_others(const Lane& mine) const {
  if (!mine.running.empty()) return false;
  return std::any_of(lanes_.begin(), lanes_.end(), [&mine](const Lane& other) {
    return other.running.empty() && other.spec.seat < mine.spec.seat &&
           other.spec.skills == mine.spec.skills;
  });
}

/// Whether another lane of the same device runs a job that somebody waits for: it has the device.
/// Called with the lock held.
bool LanePool::is_awaited_beside(std::size_t lane) const {
  const std::string& device = lanes_[lane].spec.device;
  if (device.empty()) return false;
  return std::any_of(lanes_.begin(), lanes_.end(), [&](const Lane& other) {
    return &other != &lanes_[lane] && other.spec.device == device && !other.running.empty() &&
           other.running.back()->lease.night.empty();
  });
}

/// Null when there is nothing for it. Called with the lock held.
SharedRun LanePool::claim_for(std::size_t lane, Claimable which) {
  Lane& mine = lanes_[lane];
  if (should_leave_to_others(mine)) return nullptr;
  auto lease = parts_.agenda.claim(which, mine.spec.skills);
  if (!lease) return nullptr;
  auto run = std::make_shared<LaneRun>();
  run->lease = std::move(*lease);
  run->lane = lane;
  if (mine.running.empty()) mine.since = parts_.clock.monotonic();
  mine.running.push_back(run);
  return run;
}

SharedRun LanePool::take_next(std::size_t lane) {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (draining_) return nullptr;
    const auto which = is_awaited_beside(lane) ? Claimable::awaited_jobs : Claimable::every_job;
    if (auto run = claim_for(lane, which)) {
      changed_.notify_all();  // what is left is for lanes that let this one go first
      return run;
    }
    // What waits may wait for a time: then it is looked at again and again.
    if (parts_.agenda.waiting() == 0) {
      changed_.wait(lock, [this] { return draining_ || parts_.agenda.waiting() > 0; });
    } else {
      changed_.wait_for(lock, kLook);
    }
  }
}

void LanePool::run_to_end(const SharedRun& run) {
  run_job_(run);
  const std::scoped_lock lock(mutex_);
  Lane& mine = lanes_[run->lane];
  std::erase(mine.running, run);
  if (mine.running.empty()) mine.busy += parts_.clock.monotonic() - mine.since;
  changed_.notify_all();  // lanes of its device may have rested for it
  parts_.on_change();
}

/// Between two steps of work in the background: jobs that somebody waits for have the lane and its
/// device first, and quiet hours are kept.
void LanePool::make_way(const SharedRun& run) {
  const auto from = parts_.clock.monotonic();
  for (;;) {
    SharedRun other;
    {
      std::unique_lock lock(mutex_);
      if (draining_ || run->stop.stop_requested()) break;
      parts_.agenda.renew(run->lease.id);
      other = claim_for(run->lane, Claimable::awaited_jobs);
      if (!other && !parts_.agenda.is_quiet() && !is_awaited_beside(run->lane)) break;
      if (!other) {
        changed_.wait_for(lock, kLook);
        continue;
      }
    }
    log::info("daemon", "a job makes way", {{"job", run->lease.id}, {"for", other->lease.id}});
    run_to_end(other);
  }
  run->rested += parts_.clock.monotonic() - from;
}

SharedRun LanePool::find_run(const Still& still, const JobId& id) const {
  for (const auto& run : runs(still)) {
    if (run->lease.id == id) return run;
  }
  return nullptr;
}

std::vector<SharedRun> LanePool::runs(const Still& /*still*/) const {
  std::vector<SharedRun> all;
  for (const auto& lane : lanes_) all.insert(all.end(), lane.running.begin(), lane.running.end());
  return all;
}

bool LanePool::has_lane(const Still& /*still*/, const SharedRun& run) const {
  return lanes_[run->lane].running.back() == run;
}

std::int64_t LanePool::running_jobs(const Still& still) const {
  const auto all = runs(still);
  return std::count_if(all.begin(), all.end(), [this](const SharedRun& run) {
    return parts_.ledger.is_open(run->lease.id);
  });
}

std::vector<LaneView> LanePool::view() const {
  const std::scoped_lock lock(mutex_);
  const auto now = parts_.clock.monotonic();
  const std::chrono::duration<double> up = now - started_;
  std::vector<LaneView> views;
  for (const auto& lane : lanes_) {
    LaneView view;
    view.spec = lane.spec;
    std::chrono::duration<double> busy = lane.busy;
    if (!lane.running.empty()) {
      busy += now - lane.since;
      const JobId& id = lane.running.back()->lease.id;
      if (parts_.ledger.is_open(id)) view.job = id;
    }
    if (up.count() > 0) view.busy = std::min(busy.count() / up.count(), 1.0);
    views.push_back(std::move(view));
  }
  return views;
}

Interruption LanePool::interruption_of(const SharedRun& run) const {
  const std::scoped_lock lock(mutex_);
  return run->interruption;
}

void LanePool::renew_leases(const SharedRun& run) {
  const std::scoped_lock lock(mutex_);
  for (const auto& other : lanes_[run->lane].running) parts_.agenda.renew(other->lease.id);
}

void LanePool::give_back(const SharedRun& run) {
  std::unique_lock lock(mutex_);
  parts_.agenda.unclaim(run->lease.id);
  changed_.wait_for(lock, kStoreRetry, [this] { return draining_; });
}

JobControl LanePool::control_for(const SharedRun& run) {
  JobControl control;
  control.lane = run->lane;
  control.stop = run->stop.get_token();
  control.parking = [this, run] { return interruption_of(run) == Interruption::park; };
  if (!run->lease.night.empty()) control.between_steps = [this, run] { make_way(run); };
  return control;
}

}  // namespace warpmind::daemon
