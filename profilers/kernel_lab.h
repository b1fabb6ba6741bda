#pragma once
/// \file
/// The lab: the one place that says whether a kernel is right and how fast it is.

#include "base/model/effort.h"
#include "base/model/kernel.h"
#include "base/model/task.h"
#include "base/model/verdict.h"
#include "base/result.h"

#include <functional>
#include <stop_token>

namespace warpmind::profilers {

/// Whether the best library call for the task is timed with a baseline (docs/measuring.md).
enum class LibraryTiming {
  by_setting,  ///< lab.library_baseline: once a task and device
  wanted,      ///< once a task and device, whatever the setting says
  again,       ///< though it was timed before
};

/// What is asked about one kernel. The references must outlive the call.
struct JudgeOrder {
  const Task& task;
  const Kernel& kernel;
  /// The kernel to beat. Null for a baseline: then the outcome is `same` when everything worked.
  const Kernel* incumbent = nullptr;
  /// Error of the task's own baseline (Correctness::baseline_error), for reduction-class tasks.
  double baseline_error = 0;
  /// Called before each stage, on the calling thread, by a lab that works here. May be empty.
  std::function<void(Stage)> on_stage = {};
  /// A kernel that spills registers when `incumbent` does not ends after the build
  /// (lab.spill_gate, docs/decisions/0020).
  bool refuse_new_spills = false;
  /// How many seeds, hidden cases and tools a candidate meets.
  Effort effort = Effort::normal;
  /// A device that is lost on the way is an error (unavailable) and no verdict: the caller can come
  /// back to this kernel.
  bool loss_is_error = false;
  LibraryTiming library = LibraryTiming::by_setting;
};

/// Judges kernels: ordered stages, cheapest first, stopping at the first failure (DESIGN 7).
///
/// Does:      turn every end (compile error, wrong element, hang, signal, garbage) into a Verdict.
/// Does not:  retry, remember, choose.
/// Threads:   one call at a time per device; the caller (a scheduler lane) sees to that.
class KernelLab {
 public:
  virtual ~KernelLab() = default;

  [[nodiscard]] virtual Provider provider() const = 0;

  /// The device that judge() measures on. Errors: unavailable with the way out, when there is none.
  [[nodiscard]] virtual Result<DeviceIdentity> device() = 0;

  /// Blocks for seconds. A kernel that fails is a Verdict, and so is a machine that would not let
  /// us measure (`blocked`, with what static analysis found). Errors: cancelled; external_failure
  /// when our own files or processes fail; invalid_argument when the task's reference does not
  /// build.
  [[nodiscard]] virtual Result<Verdict> judge(const JudgeOrder& order, std::stop_token stop) = 0;

  /// Builds `order.kernel`: the digest of its machine code (BuildReport::machine_code), by which a
  /// kernel that differs from a judged one in its text alone is known before it is judged. Empty
  /// when it does not build or a rule refuses its source, and of a lab that cannot say. Errors: as
  /// judge().
  [[nodiscard]] virtual Result<std::string> machine_code(const JudgeOrder& /*order*/,
                                                         std::stop_token /*stop*/) {
    return std::string();
  }

  /// Confirmed comparison of two kernels that were both judged correct: `order.kernel` against
  /// `order.incumbent`. Errors as judge(); unavailable where nothing can be timed.
  [[nodiscard]] virtual Result<Comparison> compare(const JudgeOrder& order,
                                                   std::stop_token stop) = 0;
};

}  // namespace warpmind::profilers
