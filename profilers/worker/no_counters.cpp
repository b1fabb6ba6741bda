// In the place of counter_reading.cpp where the toolkit's CUPTI has no range profiler.
#include "profilers/worker/counter_reading.h"

#include <cuda_runtime_api.h>

namespace warpmind::profilers {

Result<void> read_counters(const RunnerSession& /*session*/, const RunnerJob& /*job*/,
                           const std::function<Result<void>()>& /*launch*/, RunnerReport& report) {
  refuse_counters(report, "warpmind-worker was built with CUDA " +
                              std::to_string(CUDART_VERSION / 1000) + "." +
                              std::to_string(CUDART_VERSION % 1000 / 10) +
                              ", whose CUPTI has no range profiler: build warpmind with a newer "
                              "toolkit to read hardware counters");
  return {};
}

Result<void> read_lines(const RunnerSession& /*session*/, const RunnerJob& /*job*/,
                        const std::function<Result<void>()>& /*ready*/,
                        const std::function<Result<void>()>& /*launch*/, double /*run_ns*/,
                        RunnerReport& report) {
  report.lines_note = "this build has no hardware counters";
  return {};
}

}  // namespace warpmind::profilers
