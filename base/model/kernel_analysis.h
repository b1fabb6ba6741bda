#pragma once
/// \file
/// What can be said of the kernels of a CUDA text without measuring them.

#include "base/enum_names.h"
#include "base/model/advice.h"
#include "base/model/bottleneck.h"
#include "base/model/profile.h"
#include "base/model/verdict.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpmind {

/// Where a block size is known from.
enum class BlockOrigin { launch, launch_bounds, source, assumed };
WARPMIND_ENUM_NAMES(BlockOrigin, {BlockOrigin::launch, "launch"},
                    {BlockOrigin::launch_bounds, "launch_bounds"}, {BlockOrigin::source, "source"},
                    {BlockOrigin::assumed, "assumed"});

/// A `__global__` function where it stands in the text.
struct SourceKernel {
  std::string name;           ///< without template arguments
  std::int64_t line = 0;      ///< from 1
  std::int64_t end_line = 0;  ///< of the last brace
  bool is_template = false;
  std::int64_t block_threads = 256;
  BlockOrigin block_origin = BlockOrigin::assumed;
  bool operator==(const SourceKernel&) const = default;
};

/// What one function would do on one SM.
struct KernelFit {
  double occupancy_percent = 0;   ///< theoretical
  std::string occupancy_limiter;  ///< "warps", "registers", "shared_memory", "blocks", "too_large"
  std::vector<Metric> metrics;    ///< tier T0
  bool operator==(const KernelFit&) const = default;
};

/// One `__global__` function, or one instance of a template: `name` has its arguments then. What is
/// not described does not travel.
struct AnalyzedKernel : SourceKernel, KernelResources, KernelFit {
  bool built = false;
  std::int64_t dynamic_shared_bytes = 0;
  Bottleneck bottleneck = {};
  FirstAdvice advice = {};
  std::optional<double> predicted_ns = {};
  std::vector<RetrievedInsight> insights = {};
  std::string note = {};
  bool operator==(const AnalyzedKernel&) const = default;

  static void describe(auto& self, auto& field) {
    field.required("name", self.name, "as the source spells it, \"scale<float>\" for an instance");
    field.required("line", self.line, "of its definition, from 1; 0 = not found in the text");
    field.required("end_line", self.end_line, "of its last brace");
    field.required("built", self.built, "false: the compiler made nothing of it (see `note`)");
    field.required("registers", self.registers);
    field.required("static_shared_bytes", self.static_shared_bytes);
    field.required("dynamic_shared_bytes", self.dynamic_shared_bytes,
                   "of the launch; 0 where it is not known");
    field.required("stack_bytes", self.stack_bytes);
    field.required("spill_store_bytes", self.spill_store_bytes);
    field.required("spill_load_bytes", self.spill_load_bytes);
    field.required("block_threads", self.block_threads, "that the occupancy is for");
    field.required("block_origin", self.block_origin,
                   "\"launch\", \"launch_bounds\", \"source\" or \"assumed\"");
    field.required("occupancy_percent", self.occupancy_percent, "theoretical");
    field.required("occupancy_limiter", self.occupancy_limiter,
                   "\"registers\", \"shared_memory\", …");
    field.required("bottleneck", self.bottleneck, "low confidence where nothing was simulated");
    field.required("advice", self.advice, "about it");
    field.required("predicted_ns", self.predicted_ns,
                   "of all its launches in the primary workload");
    field.required("insights", self.insights);
    field.required("note", self.note, "what is not known of it, and why");
  }
};

/// What can be said of CUDA source without measuring it.
struct KernelAnalysis {
  std::string task;
  std::string device;
  std::string architecture;
  std::string source_hash;
  bool built = false;
  std::string diagnostics;
  std::vector<AnalyzedKernel> kernels;
  Bottleneck bottleneck;
  FirstAdvice advice;
  std::optional<Measurement> predicted;
  std::vector<KernelProfile> launches;
  std::vector<LineProfile> lines;
  std::vector<SimulatorFinding> findings;
  std::string insights_note;
  std::string note;
  double seconds = 0;

  static void describe(auto& self, auto& field) {
    field.required("task", self.task, "its name; empty without a folder");
    field.required("device", self.device, "\"NVIDIA H200\"");
    field.required("architecture", self.architecture, "\"sm_90\"");
    field.required("source_hash", self.source_hash,
                   "SHA-256 of the analysed text; detects a stale answer");
    field.required("built", self.built, "");
    field.required("diagnostics", self.diagnostics, "of the compiler, verbatim; untrusted");
    field.required(
        "kernels", self.kernels,
        "`__global__` functions, in order: each with `name`, `line`, `end_line` (from 1; 0 = "
        "not found), `built`, `registers`, `static_shared_bytes`, `dynamic_shared_bytes`, "
        "`stack_bytes`, `spill_store_bytes`, `spill_load_bytes`, `block_threads` and "
        "`block_origin` (launch, launch_bounds, source, assumed), `occupancy_percent` and "
        "`occupancy_limiter` (theoretical, for that block), `bottleneck`, `advice` (as below), "
        "`predicted_ns` (of "
        "its launches, or null), `insights`, `note`");
    field.required("bottleneck", self.bottleneck,
                   "of the task's plan; without one, of the worst kernel");
    field.required(
        "advice", self.advice,
        "what to do first about it: `against` (its costliest cause), `text` (\"\" where "
        "nothing was built), `technique` (whose card says how, or \"\"), `by_agent` (the "
        "built-in agent can rewrite this kernel so)");
    field.required(
        "predicted", self.predicted,
        "measurement of provider sim for the primary workload; null where nothing was simulated");
    field.required(
        "launches", self.launches,
        "of the task's plan, in order: each with `kernel`, `time_share`, `metrics`; tier T0 "
        "unless it was simulated");
    field.required(
        "lines", self.lines,
        "what lines of the source cost, hottest first, where it was simulated: each with "
        "`kernel`, `line`, `metrics`");
    field.required("findings", self.findings, "of the simulator's checks; defects first");
    field.required("insights_note", self.insights_note, "why there is none");
    field.required("note", self.note, "what is not known, and how to tell it");
    field.required("seconds", self.seconds, "that it took");
  }
};

}  // namespace warpmind
