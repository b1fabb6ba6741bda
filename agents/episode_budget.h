#pragma once
/// \file
/// What an episode may still spend. Asked before anything is spent, with what is under way counted
/// as spent.

#include "base/clock.h"
#include "base/model/episode.h"
#include "base/model/job.h"
#include "base/model/verdict.h"

#include <chrono>
#include <cstdint>
#include <string>

namespace warpmind::agents {

/// Time that a verdict kept the device busy, in seconds: the stages that run on it. 0 for
/// predictions.
[[nodiscard]] double device_seconds(const Verdict& verdict, Provider provider);

class EpisodeBudget {
 public:
  /// `clock` must outlive the object; the time runs from now.
  EpisodeBudget(const Budget& budget, const Clock& clock)
      : budget_(budget), clock_(clock), start_(clock.monotonic()) {}

  /// One candidate was judged; the baseline counts for its device time only.
  void judged_baseline(double device_seconds) { device_seconds_ += device_seconds; }
  void judged(double device_seconds);
  /// What earlier starts of the job have spent of it, beside what judged() and paid() are told.
  void spent_before(const Spent& cost) { before_ = cost; }
  /// The episode stood still for so long: others had the machine.
  void rested(std::chrono::steady_clock::duration time) { start_ += time; }
  void paid(const ModelSpending& spending) { spending_ += spending; }

  /// Why one candidate more, beside `under_way` ones, may not be started: a sentence. Empty = it
  /// may. Device time is reserved by what candidates of this episode took so far.
  [[nodiscard]] std::string refusal(std::int64_t under_way = 0) const;

  [[nodiscard]] std::int64_t evaluations_left() const {
    return budget_.evaluations - before_.evaluations - evaluations_;
  }
  [[nodiscard]] const ModelSpending& spending() const { return spending_; }

 private:
  [[nodiscard]] double expected_device_seconds() const;

  Budget budget_;
  const Clock& clock_;
  std::chrono::steady_clock::time_point start_;
  std::int64_t evaluations_ = 0;
  double device_seconds_ = 0;
  double candidate_seconds_ = 0;
  ModelSpending spending_;
  Spent before_;
};

}  // namespace warpmind::agents
