#pragma once
/// \file
/// Jobs with every field that a report reads, as a daemon would answer them.

#include "base/model/job.h"

namespace warpmind::clients::samples {

/// A softmax whose second candidate is confirmed 2.31 times faster on an H200.
[[nodiscard]] Job improved();
/// Everything was measured, nothing was better.
[[nodiscard]] Job same();
[[nodiscard]] Job wrong_baseline();
[[nodiscard]] Job build_failed();
/// No GPU: built and analysed, not run.
[[nodiscard]] Job blocked();
/// Cancelled by the user after one candidate.
[[nodiscard]] Job cancelled();
/// A second run that starts from the kernel that the memory gave.
[[nodiscard]] Job memory_started();

/// Simulated, with what the simulator counts by line and the roofline.
[[nodiscard]] Job predicted();
/// Simulated: far above its limit, and no edit helps.
[[nodiscard]] Job dead_end();
/// Simulated, with a model that has low confidence.
[[nodiscard]] Job low_confidence();

}  // namespace warpmind::clients::samples
