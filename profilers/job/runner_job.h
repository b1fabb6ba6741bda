#pragma once
/// \file
/// What the daemon tells a runner (warpmind-worker) and what it says back: one JSON object a line,
/// jobs on standard input, reports on descriptor 3 (standard output belongs to the candidate's
/// printf). A runner serves one candidate: it creates its CUDA context at start, then takes jobs
/// until end of file, and is never used again. Paths are relative to the job directory (its cwd).

#include "base/enum_names.h"
#include "base/model/device.h"
#include "base/model/dtype.h"
#include "base/model/kernel.h"
#include "base/model/launch_shape.h"
#include "base/model/profile.h"
#include "profilers/job/perturbed_run.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace warpmind::profilers {

enum class JobMode { identify, check, time, profile };

}  // namespace warpmind::profilers

namespace warpmind {
WARPMIND_ENUM_NAMES(profilers::JobMode, {profilers::JobMode::identify, "identify"},
                    {profilers::JobMode::check, "check"}, {profilers::JobMode::time, "time"},
                    {profilers::JobMode::profile, "profile"});
}  // namespace warpmind

namespace warpmind::profilers {

/// One piece of device memory that a run needs.
struct MemorySpec {
  std::string name;
  std::int64_t bytes = 0;
  bool operator==(const MemorySpec&) const = default;
};

/// One argument of a task. Red zones surround it in every mode.
struct BufferSpec : MemorySpec {
  std::string input_file;   ///< raw little-endian elements; empty for a pure output
  std::string output_file;  ///< where to dump it after the run; empty for a pure input
  std::int64_t element_bytes = 1;
  Dtype dtype = Dtype::u8;
  bool operator==(const BufferSpec&) const = default;
};

struct ScratchSpec : MemorySpec {
  bool zeroed = false;
  Dtype dtype = Dtype::u8;
  bool operator==(const ScratchSpec&) const = default;
};

/// Either a buffer (by name), or a scalar (`buffer` empty) as little-endian bytes in hex.
struct CallArgument {
  std::string buffer;
  std::string scalar_hex;
  /// Type of the scalar. Tier B needs it (floating scalars travel in other registers); tier A does
  /// not look at it.
  Dtype scalar_dtype = Dtype::i32;
  bool operator==(const CallArgument&) const = default;
};

/// A launch with every expression evaluated for one workload.
struct LaunchCall : LaunchShape {
  std::string kernel;
  std::vector<CallArgument> arguments;
  bool cooperative = false;  ///< all blocks side by side
  bool operator==(const LaunchCall&) const = default;
};

/// One kernel's way to run one workload. Tier A: `binary` is a fat binary and `launches` its plan.
/// Tier B: `binary` is a shared object, `entry` its host function, `launches[0].arguments` its
/// arguments in order (the stream is appended).
struct Program {
  Tier tier = Tier::a;
  std::string binary;
  std::string entry;
  std::vector<ScratchSpec> scratch;
  std::vector<LaunchCall> launches;
  /// Tier B, ours alone: after its first run `entry` only enqueues, so that it is timed behind a
  /// gate as launches are.
  bool only_enqueues = false;
  bool operator==(const Program&) const = default;
};

struct RunCase {
  std::string id;  ///< "tiny/0"
  std::vector<BufferSpec> buffers;
  Program candidate;
  Program incumbent;      ///< mode time: the A of ABBA; empty binary = time the candidate alone
  bool integers = false;  ///< perturbed runs: inputs are integers, exact integers stay
  bool operator==(const RunCase&) const = default;
};

/// Simulator: which blocks of a grid run, where not all of them do.
struct BlockSample {
  std::uint64_t seed = 0;          ///< decides which; 0 = the simulator's own choice
  std::uint64_t instructions = 0;  ///< of warps that a launch may take; 0 = not limited by them
  bool operator==(const BlockSample&) const = default;
};

struct RunnerJob {
  JobMode mode = JobMode::identify;
  std::vector<RunCase> cases;  ///< time and profile use the first
  std::int64_t runs = 2;       ///< of a case that is repeated
  bool repeat_bitwise = true;  ///< check: run several times, compare outputs bit by bit
  /// check, below a memory checker: no red zones, nothing poisoned, so that the tool knows where a
  /// buffer ends and what was never written.
  bool bare = false;
  bool hot = false;           ///< time: one copy of the data and no flush; never for a verdict
  bool sample_lines = false;  ///< profile: instead, in which lines the warps wait, by PC sampling
  std::int64_t quads = 10;    ///< time: ABBA (or BAAB, drawn) quads; alone: 4 blocks a quad
  double block_ms = 2;        ///< time: shortest block, as far as the ring has slots for it
  double most_ms = 1000;      ///< time: of all quads; long kernels get fewer, at least 3
  std::uint64_t order_seed = 0;
  BlockSample blocks = {};
  /// Simulator, first job of a runner: with this the runtime seals what it reports.
  std::string report_key = {};
  std::vector<PerturbedRun> perturbed = {};  ///< check: of the candidate, after its first run
  std::vector<std::string> metrics;  ///< profile: CUPTI names; those refused come back in `absent`
  bool operator==(const RunnerJob&) const = default;
};

enum class CaseStatus { ok, launch_error, red_zone, input_modified, nondeterministic };

}  // namespace warpmind::profilers

namespace warpmind {
WARPMIND_ENUM_NAMES(profilers::CaseStatus, {profilers::CaseStatus::ok, "ok"},
                    {profilers::CaseStatus::launch_error, "launch_error"},
                    {profilers::CaseStatus::red_zone, "red_zone"},
                    {profilers::CaseStatus::input_modified, "input_modified"},
                    {profilers::CaseStatus::nondeterministic, "nondeterministic"});
}  // namespace warpmind

namespace warpmind::profilers {

struct CaseReport {
  std::string id;
  CaseStatus status = CaseStatus::ok;
  std::string
      message;  ///< "cudaErrorInvalidValue at launch of k: …", "64 bytes past y overwritten"
  double event_ns = 0;  ///< first run, by events
  bool operator==(const CaseReport&) const = default;
};

/// Per-run times of the blocks of one quad, in ns per run of the plan. Alone: incumbent empty.
struct QuadSample {
  std::vector<double> candidate_ns;
  std::vector<double> incumbent_ns;
  bool operator==(const QuadSample&) const = default;
};

/// What a session of timing gave, of one workload.
struct TimedQuads {
  std::vector<QuadSample> quads;
  std::int64_t launches_per_block = 0;
  double sm_clock_mhz = 0;  ///< median over the blocks (NVML); 0 = unknown
  std::string choice = {};  ///< what the candidate says it chose; see LoadedBinary::choice()
  bool operator==(const TimedQuads&) const = default;
};

/// The timed quads: of mode time.
struct RunnerReport : TimedQuads {
  bool ok = false;
  std::string error;       ///< the job as a whole could not be done; one sentence
  bool no_device = false;  ///< no CUDA device or driver: the verdict is `blocked`
  DeviceIdentity device;   ///< always filled when there is one
  std::vector<CaseReport> cases;
  double wall_ns = 0;           ///< time: a run of the candidate by the host's clock, median
  double max_sm_clock_mhz = 0;  ///< time: what the device can reach; 0 = unknown
  std::vector<double> block_clocks_mhz;  ///< time: after each block, in order; empty = unknown
  bool power_capped = false;             ///< time: the power limit held the clock down
  std::string throttle;                  ///< time: reasons seen during the session; empty = none
  /// time: runs of the incumbent before the candidate was loaded; 0 = no incumbent. With it, the
  /// incumbent's times in the quads show whether the candidate slows it.
  double incumbent_alone_ns = 0;
  /// time: programs whose events miss work that the wall clock sees. A sentence; empty = none.
  std::string candidate_clocks_disagree;
  std::string incumbent_clocks_disagree;
  std::vector<KernelProfile> kernels;  ///< profile, in launch order, metrics as CUPTI names them
  std::vector<std::string> absent;
  std::vector<LineProfile> lines = {};  ///< profile, with `sample_lines`; the most samples first
  std::string lines_note = {};          ///< why there are none
  bool counters_refused = false;        ///< profile: no permission
  std::string counters_note;            ///< how to get it
  /// Simulator: of all reports of launches so far (simulator/profile/report_seal.h); empty when one
  /// could not be written.
  std::string report_seal = {};
  double host_ns = 0;  ///< profile on the simulator, tier B: the host function's own work
  bool operator==(const RunnerReport&) const = default;
};

}  // namespace warpmind::profilers
