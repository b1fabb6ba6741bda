#pragma once
/// \file
/// What can be said of CUDA source without measuring it (`kernel.analyze`), and how the kernel of a
/// step spends its time (`episode.profile`), as values. Names on the wire are the field names.

#include "base/launch_profile.h"
#include "base/model/kernel.h"
#include "base/model/kernel_analysis.h"
#include "base/model/profile.h"
#include "base/model/verdict.h"
#include "daemon/protocol/messages.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpmind::daemon::protocol {

/// At least one of the first three. With `directory`, the others stand for the task's kernel; with
/// `path`, `source` is what an editor shows of that file.
struct KernelAnalyzeParams {
  std::string directory;
  std::string path;
  std::string source;
  std::string device;
  bool predict = true;
  std::optional<std::int64_t> insights;
  std::optional<LaunchPlan> plan = {};

  static void describe(auto& self, auto& field) {
    field.optional("directory", self.directory,
                   "absolute path of a task folder: launches and sizes are known then");
    field.optional("path", self.path,
                   "absolute path of a CUDA file; with `directory`, it replaces the task's kernel");
    field.optional(
        "source", self.source,
        "CUDA text by itself, or what an editor shows of `path` or of the task's kernel");
    field.optional("device", self.device, "key of the device table; default `lab.target`");
    field.optional(
        "predict", self.predict,
        "run the task's kernel in the simulator, for predicted times (true); takes seconds and "
        "waits for the simulator's other users");
    field.optional("insights", self.insights, "most matched insights a kernel, 0 to 10 (3)");
    field.optional("plan", self.plan,
                   "with `directory`: launch plan, whole; default that of the task");
  }
};

/// `library.baseline`
struct LibraryBaselineParams {
  std::string directory;
  bool again = false;

  static void describe(auto& self, auto& field) {
    field.required("directory", self.directory, "absolute path of a task folder");
    field.optional(
        "again", self.again,
        "time the library calls though that was done before for this task, GPU and versions "
        "(false)");
  }
};

struct LibraryBaselineResult {
  std::string task;
  Verdict verdict;

  static void describe(auto& self, auto& field) {
    field.required("task", self.task, "its name");
    field.required(
        "verdict", self.verdict,
        "of the given kernel; `measurement.best_library` has `library`, `call` and `ns`, or "
        "`unknown`, a sentence; `measurement.times_best_library` is how many times as fast as "
        "that the given kernel is, or null");
  }
};

struct EpisodeProfileParams {
  std::string id;
  std::optional<std::int64_t> step;
  std::optional<std::int64_t> against;

  static void describe(auto& self, auto& field) {
    field.required("id", self.id, "as for `episode.explain`; the episode may be open");
    field.optional("step", self.step, "default the best one");
    field.optional("against", self.against,
                   "step to hold it against; default the one whose kernel it edited");
  }
};

struct EpisodeProfileResult {
  std::string job_id;
  std::int64_t step = 0;
  std::optional<std::int64_t> against;
  Provider provider = Provider::gpu;
  bool made_now = false;
  Profile profile;
  std::vector<LaunchChange> launches;
  std::optional<Measurement> measurement;
  std::vector<SimulatorFinding> findings;
  std::string note;

  static void describe(auto& self, auto& field) {
    field.required("job_id", self.job_id, "of the episode");
    field.required("step", self.step, "that was profiled");
    field.required("against", self.against,
                   "step that it is held against; null for the given kernel");
    field.required("provider", self.provider, "`sim`: times are predicted");
    field.required("made_now", self.made_now, "the episode had judged the step without a profile");
    field.required(
        "profile", self.profile,
        "of the step, with all metrics: `tier`, `workload`, `caches` (`cold` or `warm`; absent "
        "where it is not known), `kernels`, `lines`, `absent`, `note`");
    field.required(
        "launches", self.launches,
        "of both steps, the most time first: `before` and `after` (null where a launch has no "
        "counterpart), `paired_by` (`kernel`, `time_share`, `none`). Each side has `kernel` and "
        "its readable `name`, "
        "`time_share`, `time_ns`, `bytes` with the `memory` they passed (`DRAM`, `L2`, "
        "`requested`) and `gb_per_s`, `flops` and `gflop_per_s`, `limited_by`, `pipe` and "
        "`pipe_percent`, `stall` with `stall_percent`, `line` and `stall_origin`");
    field.required("measurement", self.measurement, "of the step; null when it was not timed");
    field.required("findings", self.findings, "of the simulator's checks; defects first");
    field.required("note", self.note, "what is missing, and why");
  }
};

// --- Methods

inline constexpr Method<LibraryBaselineParams, LibraryBaselineResult> kLibraryBaseline{
    "library.baseline",
    "Judges the kernel of a task on the GPU, and times the fastest library call that computes "
    "the same. Nothing is stored but that time. Without a GPU: unavailable."};
inline constexpr Method<KernelAnalyzeParams, KernelAnalysis> kKernelAnalyze{
    "kernel.analyze",
    "Analyses CUDA source without measuring it: it is built, and with a task folder run in the "
    "simulator. Nothing is stored."};
inline constexpr Method<EpisodeProfileParams, EpisodeProfileResult> kEpisodeProfile{
    "episode.profile",
    "How the kernel of one step spends its time, launch by launch, beside the kernel that it "
    "edited. A step that was judged without a profile is profiled now, by the episode's "
    "provider; nothing is stored. May take as long as a measurement."};

[[nodiscard]] std::vector<MethodSpec> analysis_methods();

}  // namespace warpmind::daemon::protocol
