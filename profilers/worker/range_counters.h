#pragma once
/// \file
/// Hardware counters of a stretch of launches: one range a kernel, replayed by CUPTI.

#include "base/model/profile.h"
#include "base/result.h"
#include "profilers/worker/cupti_handles.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::profilers {

/// Unit of a CUPTI metric by its name: "ns", "percent", "ratio", "bytes" or "count".
[[nodiscard]] std::string unit_of_metric(std::string_view name);

/// Values of one kernel, in the order of RangeCounters::accepted().
using RangeValues = std::vector<double>;

/// Worked sequence: load_cupti(); RangeCounters::configure(cupti, device, names, …); collect(…).
/// Needs a current context with nothing else profiling it (ncu, another CUPTI client).
class RangeCounters {
 public:
  /// Adds the metrics one by one and drops those that the chip refuses, and smsp__sass_…, which
  /// a range cannot count.
  /// Errors: unavailable where counters may not be read (no permission: `permission_refused`).
  [[nodiscard]] static Result<std::unique_ptr<RangeCounters>> configure(
      const CuptiFunctions& cupti, int device, const std::vector<std::string>& metrics,
      bool& permission_refused);

  [[nodiscard]] const std::vector<std::string>& accepted() const { return accepted_; }
  [[nodiscard]] const std::vector<std::string>& refused() const { return refused_; }

  /// Runs `launch` with counters on; `most_kernels` bounds the ranges. One entry a kernel.
  [[nodiscard]] Result<std::vector<RangeValues>> collect(
      std::size_t most_kernels, const std::function<Result<void>()>& launch,
      bool& permission_refused);

 private:
  explicit RangeCounters(const CuptiFunctions& cupti);

  Result<void> check(CUptiResult code, std::string_view where, bool& permission_refused) const;
  Result<void> read_availability(bool& permission_refused);
  Result<void> add_metrics(int device, const std::vector<std::string>& metrics,
                           bool& permission_refused);
  Result<std::vector<std::uint8_t>> counter_image(CUpti_RangeProfiler_Object* range,
                                                  std::size_t most_kernels,
                                                  bool& permission_refused);
  Result<std::vector<RangeValues>> evaluate(const std::vector<std::uint8_t>& image,
                                            bool& permission_refused);
  [[nodiscard]] std::vector<const char*> names() const;

  const CuptiFunctions& cupti_;
  CuptiProfilerScope scope_;
  std::vector<std::uint8_t> availability_;
  std::vector<std::uint8_t> config_;
  UniqueCuptiHost host_;
  std::vector<std::string> accepted_;
  std::vector<std::string> refused_;
};

}  // namespace warpmind::profilers
