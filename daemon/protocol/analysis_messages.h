#pragma once
/// \file
/// What can be said of CUDA source without measuring it (`kernel.analyze`), and how the kernel of a
/// step spends its time (`episode.profile`), as values. Names on the wire are the field names.

#include "base/launch_profile.h"
#include "base/model/advice.h"
#include "base/model/bottleneck.h"
#include "base/model/kernel.h"
#include "base/model/profile.h"
#include "base/model/verdict.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpmind::daemon::protocol {

/// At least one of the first three. With `directory`, the others stand for the task's kernel; with
/// `path`, `source` is what an editor shows of that file.
struct KernelAnalyzeParams {
  std::string directory;  ///< absolute path of a task folder: launches and sizes are known then
  std::string path;       ///< absolute path of a CUDA file
  std::string source;     ///< CUDA text
  std::string device;     ///< key of the device table; "" = lab.target
  bool predict = true;    ///< run the task's kernel in the simulator, for predicted times: seconds
  std::optional<std::int64_t> insights;  ///< most matched insights a kernel (3); 0 = none
  /// With `directory`: how its kernel, or what stands for it, is launched; absent = as the task
  /// says.
  std::optional<LaunchPlan> plan = {};
};

/// One `__global__` function.
struct AnalyzedKernel {
  std::string name;           ///< as the source spells it, "scale<float>" for an instance
  std::int64_t line = 0;      ///< of its definition, from 1; 0 = not found in the text
  std::int64_t end_line = 0;  ///< of its last brace
  bool built = false;         ///< false: the compiler made nothing of it (see `note`)
  std::int64_t registers = 0;
  std::int64_t static_shared_bytes = 0;
  std::int64_t dynamic_shared_bytes = 0;  ///< of the launch; 0 where it is not known
  std::int64_t stack_bytes = 0;
  std::int64_t spill_store_bytes = 0;
  std::int64_t spill_load_bytes = 0;
  std::int64_t block_threads = 0;           ///< that the occupancy is for
  std::string block_origin;                 ///< "launch", "launch_bounds", "source" or "assumed"
  double occupancy_percent = 0;             ///< theoretical
  std::string occupancy_limiter;            ///< "registers", "shared_memory", …
  Bottleneck bottleneck;                    ///< low confidence where nothing was simulated
  FirstAdvice advice;                       ///< about it
  std::optional<double> predicted_ns = {};  ///< of all its launches in the primary workload
  std::vector<RetrievedInsight> insights = {};
  std::string note = {};  ///< what is not known of it, and why
  bool operator==(const AnalyzedKernel&) const = default;
};

struct KernelAnalyzeResult {
  std::string task;          ///< name; empty without a folder
  std::string device;        ///< "NVIDIA H200"
  std::string architecture;  ///< "sm_90"
  std::string source_hash;   ///< SHA-256 of the text that was looked at: tells a stale answer
  bool built = false;
  std::string diagnostics;  ///< of the compiler, verbatim; untrusted
  std::vector<AnalyzedKernel> kernels;
  Bottleneck bottleneck;                   ///< of the task's plan; of the worst kernel without one
  FirstAdvice advice;                      ///< about it; no text where nothing was built
  std::optional<Measurement> predicted;    ///< provider sim; absent where nothing was simulated
  std::vector<KernelProfile> launches;     ///< of the plan, in order; tier T0 unless simulated
  std::vector<LineProfile> lines;          ///< hottest first, where it was simulated
  std::vector<SimulatorFinding> findings;  ///< of the simulator; defects first
  std::string insights_note;               ///< why there is none
  std::string note;                        ///< what is not known, and how to tell it
  double seconds = 0;
};

/// `library.baseline`
struct LibraryBaselineParams {
  std::string directory;  ///< absolute path of a task folder
  bool again = false;     ///< though its library was timed before
};

struct LibraryBaselineResult {
  std::string task;  ///< its name
  Verdict verdict;   ///< of the given kernel; its measurement carries `best_library`
};

struct EpisodeProfileParams {
  std::string id;                       ///< as for episode.explain; may be open
  std::optional<std::int64_t> step;     ///< default the best
  std::optional<std::int64_t> against;  ///< default the step whose kernel it edited
};

struct EpisodeProfileResult {
  std::string job_id;
  std::int64_t step = 0;
  std::optional<std::int64_t> against;  ///< absent: the given kernel is held against nothing
  Provider provider = Provider::gpu;    ///< sim: times are predicted
  bool made_now = false;                ///< the episode had judged it without a profile
  Profile profile;                      ///< of the step, whole
  std::vector<LaunchChange> launches;   ///< of both, paired; the most time first
  std::optional<Measurement> measurement;
  std::vector<SimulatorFinding> findings;
  std::string note;  ///< what is missing, and why
};

}  // namespace warpmind::daemon::protocol
