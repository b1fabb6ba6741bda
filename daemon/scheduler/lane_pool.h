#pragma once
/// \file
/// The lanes and what runs on them: one job at a time each, because a device measures one at a
/// time.

#include "base/clock.h"
#include "base/job_control.h"
#include "daemon/scheduler/agenda.h"
#include "daemon/scheduler/job_ledger.h"
#include "daemon/scheduler/lane.h"
#include "daemon/scheduler/night_queue.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace warpmind::daemon {

enum class Interruption { none, cancel, park };

/// A job on a lane.
struct LaneRun {
  Lease lease;
  std::size_t lane = 0;
  std::stop_source stop;
  Interruption interruption = Interruption::none;  ///< guarded by the pool
  std::chrono::steady_clock::duration rested{};    ///< while others had the lane
};
using SharedRun = std::shared_ptr<LaneRun>;

/// Does:      give each free lane the next job that it can run; let jobs make way for those that
///            somebody waits for; say how busy lanes are.
/// Does not:  choose the next job (Agenda), or know how one is run and ends.
/// Threads:   any. It claims with its lock held, so that a job always waits or runs: who needs both
///            sides at one moment holds still().
class LanePool {
 public:
  using Still = std::unique_lock<std::mutex>;
  struct Parts {
    Agenda& agenda;
    const JobLedger& ledger;
    const Clock& clock;
    std::vector<LaneSpec> lanes;      ///< at least one
    std::function<void()> on_change;  ///< a lane is free again; with the lock held
  };
  /// `run_job` runs a claimed job to its end, on its lane's thread; it must not throw.
  LanePool(Parts parts, std::function<void(const SharedRun&)> run_job);
  ~LanePool() { join(); }
  LanePool(const LanePool&) = delete;
  LanePool& operator=(const LanePool&) = delete;

  /// Starts a thread a lane.
  void start();
  /// Lets idle lanes look whether there is something for them. Not with still().
  void wake();
  /// Starts no more jobs. `park`: interrupts those that run. `idle` is called once, when nothing
  /// runs any more, on the last lane's thread or this one.
  void drain(bool park, std::function<void()> idle);
  /// Waits for the threads; drain() comes before.
  void join();

  /// While it is held, no job is claimed and none leaves its lane.
  [[nodiscard]] Still still() const { return Still(mutex_); }
  /// Null for a job that is on no lane.
  [[nodiscard]] SharedRun find_run(const Still& still, const JobId& id) const;
  /// Lane by lane; of one lane, the job that has it comes last.
  [[nodiscard]] std::vector<SharedRun> runs(const Still& still) const;
  /// Whether it did not make way for another.
  [[nodiscard]] bool has_lane(const Still& still, const SharedRun& run) const;
  /// How many jobs on the lanes have not ended.
  [[nodiscard]] std::int64_t running_jobs(const Still& still) const;

  [[nodiscard]] const std::string& name_of_lane(std::size_t lane) const {
    return lanes_[lane].spec.name;
  }
  [[nodiscard]] std::size_t size() const { return lanes_.size(); }
  [[nodiscard]] std::vector<LaneView> view() const;

  [[nodiscard]] Interruption interruption_of(const SharedRun& run) const;
  /// A sign of life of `run`, and of those that made way for it.
  void renew_leases(const SharedRun& run);
  /// It could not be started: it waits again, and the lane rests a moment.
  void give_back(const SharedRun& run);
  /// What the runner of `run` is told, without `progress`.
  [[nodiscard]] JobControl control_for(const SharedRun& run);

 private:
  struct Lane {
    LaneSpec spec;
    std::vector<SharedRun> running = {};  // the last one has the lane; those before made way for it
    std::chrono::steady_clock::duration busy{};        // with jobs that have left it
    std::chrono::steady_clock::time_point since = {};  // it has had a job; while there is one
    std::thread thread = {};
  };

  void serve_lane(std::size_t lane);
  [[nodiscard]] SharedRun take_next(std::size_t lane);
  [[nodiscard]] SharedRun claim_for(std::size_t lane, Claimable which);
  [[nodiscard]] bool should_leave_to_others(const Lane& mine) const;
  [[nodiscard]] bool is_awaited_beside(std::size_t lane) const;
  void run_to_end(const SharedRun& run);
  void make_way(const SharedRun& run);

  Parts parts_;
  std::function<void(const SharedRun&)> run_job_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Lane> lanes_;  // their number is fixed
  std::chrono::steady_clock::time_point started_ = {};
  bool draining_ = false;
  std::size_t lanes_at_work_ = 0;
  std::function<void()> idle_;
};

}  // namespace warpmind::daemon
