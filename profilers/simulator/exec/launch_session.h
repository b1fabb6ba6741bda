#pragma once
/// \file
/// What run_launch and run_wave share: the state of one launch, and its record.

#include "profilers/simulator/checks/global_shadow.h"
#include "profilers/simulator/exec/launch.h"
#include "profilers/simulator/exec/warp_executor.h"
#include "profilers/simulator/profile/access_profiler.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace warpmind::simulator {

class LaunchSession {
 public:
  /// References outlive the session.
  LaunchSession(const LaunchRequest& request, const LaunchOptions& options, DeviceMemory& memory,
                const CacheGeometry& caches);
  ~LaunchSession() = default;
  LaunchSession(const LaunchSession&) = delete;
  LaunchSession& operator=(const LaunchSession&) = delete;

  [[nodiscard]] LaunchState& state() { return state_; }
  [[nodiscard]] std::vector<ProgramCounters>& counters() { return counters_; }
  [[nodiscard]] FlowCounters& flow() { return flow_; }
  [[nodiscard]] std::uint64_t blocks() const;
  [[nodiscard]] bool going_on() const { return state_.end == LaunchEnd::completed; }

  /// Warp instructions so far.
  [[nodiscard]] std::uint64_t warp_instructions() const;
  /// Global reads so far of what nobody wrote.
  [[nodiscard]] std::uint64_t unwritten_reads() const { return checks_.unwritten_reads(); }
  /// Forgets the counts (not the caches): the warm-up is over.
  void reset_counters();

  [[nodiscard]] LaunchRecord record(std::uint64_t blocks_run) const;

 private:
  void add_instructions(const Program& program, LaunchRecord& record) const;

  LaunchState state_;
  CheckRecorder checks_;
  std::unique_ptr<GlobalShadow> global_shadow_;
  std::unique_ptr<AccessProfiler> profiler_;
  std::vector<ProgramCounters> counters_;
  FlowCounters flow_;
  double started_ = 0;  ///< CPU seconds of the process
};

}  // namespace warpmind::simulator
