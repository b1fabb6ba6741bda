#pragma once
/// \file
/// Stages timing and promotion: samples from fresh runners, checked before they count.

#include "base/model/measurement.h"
#include "base/result.h"
#include "profilers/lab/judging.h"
#include "profilers/statistics.h"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace warpmind::profilers {

struct TimingOrder {
  BuiltKernel candidate;
  std::optional<BuiltKernel> incumbent;  ///< none = the candidate alone
  double baseline_error = 0;
  bool is_library = false;  ///< the candidate is a library call of ours (profilers/baseline/)
};

struct WorkloadSample : TimedQuads {
  std::string workload;
};

/// One process: every timed workload, in the order of the task.
using TimingSample = std::vector<WorkloadSample>;

template <class T>
using StageEnd = std::variant<T, StageFailure>;

/// Takes a fresh runner and fresh inputs and times every timed workload. A session that is void
/// (find_void, find_foreign) is taken again, at most three times, after a pause; then the machine
/// does not let us measure: `blocked`; or `cheating`, where the events of a host function missed
/// work every time. Outputs of the timed launches are judged; a time below the physical floor is
/// `cheating`. Errors: ours only.
[[nodiscard]] Result<StageEnd<TimingSample>> time_once(Judging& judging, const TimingOrder& order);

struct Confirmation {
  Decision decision;
  std::vector<TimingSample> samples;
};

/// `processes` fresh runners under the confirmation rule; needs an incumbent.
[[nodiscard]] Result<StageEnd<Confirmation>> confirm(Judging& judging, const TimingOrder& order,
                                                     double noise);

/// The screening rule on the quads of one process, each averaged over the workloads.
[[nodiscard]] Screening screen_sample(const TimingSample& sample, double noise);

/// Mean over the workloads of the process's median log ratio.
[[nodiscard]] double sample_log_ratio(const TimingSample& sample);

/// Blocks of the candidate on the first timed workload, of all samples.
[[nodiscard]] std::vector<double> candidate_blocks(const std::vector<TimingSample>& samples);

/// Median, interval, clocks of the first timed workload; device, toolkit and tier stay to be filled
/// in. Only for samples that are evidence: never for a screening.
[[nodiscard]] Measurement measurement_of(const std::vector<TimingSample>& samples);

}  // namespace warpmind::profilers
