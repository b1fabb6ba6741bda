#pragma once
/// \file
/// The stage `sanitizer`: a finalist runs once below each tool, on the smallest workload.

#include "base/model/effort.h"
#include "base/result.h"
#include "profilers/lab/judging.h"
#include "profilers/sanitizer/sanitizer_report.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::profilers {

/// References outlive the call.
struct SanitizerOrder {
  const BuiltKernel& kernel;
  const RunnerPlace& place;  ///< of a runner without the tool
  /// compute-sanitizer, or why there is none.
  Result<std::filesystem::path> program;
  Effort effort = Effort::normal;
  bool bounds_checked = false;  ///< the simulator ran the smallest workload: nothing out of bounds
};

struct SanitizerEnd {
  std::string detail;  ///< what ran, and "left out: …" for what did not
  std::optional<StageFailure> failure;
  std::vector<SimulatorFinding> findings;  ///< kinds begin with the tool's name
};

/// A tool that is missing, does not start, or does not end in time is left out and says so: only
/// what it reports about the kernel fails a kernel. Errors: as prepare_cases(); cancelled.
[[nodiscard]] Result<SanitizerEnd> run_sanitizers(Judging& judging, const SanitizerOrder& order);

/// How the first defect of a report ends the judging: accesses that a GPU faults on `crashed`, the
/// others `wrong`; none = no defect in a kernel.
[[nodiscard]] std::optional<StageFailure> failure_of(SanitizerTool tool,
                                                     const SanitizerReport& report);

/// Why `tool` cannot judge a kernel of this source, one phrase; empty = it can. Barriers of a
/// kernel's own in PTX order warps in a way that synccheck and racecheck do not see.
[[nodiscard]] std::string unfit_for(SanitizerTool tool, std::string_view source);

/// The report as it counts for a kernel of this source: racecheck does not see an order that warps
/// make by flags and fences (volatile, acquire and release), so its races are warnings there. The
/// simulator's race check, which does, has judged the kernel before. memcheck takes an asynchronous
/// copy that is filled in part for a read of the whole: where the simulator, which counts the bytes
/// that are read, has passed the kernel (`bounds_checked`), such a copy over an allocation's end is
/// a warning.
[[nodiscard]] SanitizerReport as_it_counts(SanitizerTool tool, std::string_view source,
                                           SanitizerReport report, bool bounds_checked);

}  // namespace warpmind::profilers
