#pragma once
/// \file
/// Tasks, steps and episodes for tests of the base: small, complete, different by number.

#include "base/model/job.h"

#include <cstdint>
#include <string>

namespace warpmind::fakes {

[[nodiscard]] DeviceIdentity h200();
/// Another model of the same compute capability.
[[nodiscard]] DeviceIdentity h100();
/// A model of another compute capability.
[[nodiscard]] DeviceIdentity a100();

[[nodiscard]] Kernel sample_kernel(const std::string& marker);
/// With its content id set.
[[nodiscard]] Task sample_task(const std::string& name, Split split = Split::train);
[[nodiscard]] JobRequest sample_request(const Task& task);

/// What a step is made of; the rest is filled in.
struct StepSketch {
  std::string technique = "block_size";
  Outcome outcome = Outcome::improved;
  double ratio = 1.21;         ///< of the comparison with the incumbent
  std::int64_t processes = 7;  ///< 1 = screening; 0 = no comparison
  std::string proposer = "builtin";
  BottleneckClass bottleneck = BottleneckClass::low_occupancy;
  std::string marker{};  ///< of the kernel's source; empty = made of technique and position
};

[[nodiscard]] Measurement sample_measurement(const DeviceIdentity& device, double median_ns);

/// An episode that starts as its baseline and grows by sketches.
class EpisodeSketch {
 public:
  EpisodeSketch(std::int64_t number, const Task& task, DeviceIdentity device = h200());

  /// An improved step with a confirmed comparison becomes the incumbent.
  EpisodeSketch& step(const StepSketch& sketch);
  EpisodeSketch& provider(Provider provider);
  /// With outcome, best step and its comparison with the baseline.
  [[nodiscard]] Episode finish() const;

 private:
  Episode episode_;
  DeviceIdentity device_;
  double speedup_ = 1;
};

/// Episode `number` of `task`: a baseline and `steps` steps, improved by the first.
[[nodiscard]] Episode sample_episode(std::int64_t number, const Task& task, int steps = 2);

}  // namespace warpmind::fakes
