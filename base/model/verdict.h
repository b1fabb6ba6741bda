#pragma once
/// \file
/// What the lab found out about one kernel.

#include "base/enum_names.h"
#include "base/model/effort.h"
#include "base/model/measurement.h"
#include "base/model/profile.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpmind {

/// DESIGN 2, promise 6. "No measurement" is never "no improvement", and "cannot be judged" is never
/// "wrong" (base/model/verdict_reading.h groups them).
enum class Outcome {
  improved,
  same,
  regressed,
  inconclusive,
  wrong,
  build_failed,
  crashed,
  timed_out,
  cheating,
  blocked,     ///< the machine would not let us measure
  unjudgeable  ///< checks and inputs at hand cannot tell whether it is right; nobody's fault
};
WARPMIND_ENUM_NAMES(Outcome, {Outcome::improved, "improved"}, {Outcome::same, "same"},
                    {Outcome::regressed, "regressed"}, {Outcome::inconclusive, "inconclusive"},
                    {Outcome::wrong, "wrong"}, {Outcome::build_failed, "build_failed"},
                    {Outcome::crashed, "crashed"}, {Outcome::timed_out, "timed_out"},
                    {Outcome::cheating, "cheating"}, {Outcome::blocked, "blocked"},
                    {Outcome::unjudgeable, "unjudgeable"});

enum class Stage {
  static_checks,
  build,
  simulation,  ///< the simulator's checks on small workloads, before a GPU is touched
  tiny_oracle,
  full_oracle,
  hidden_oracle,  ///< secret seeds and shapes, drawn after the candidate was built
  sanitizer,      ///< compute-sanitizer, finalists on a GPU only
  timing,
  profile,
  promotion,
  library  ///< what the best library call takes; of a baseline on a GPU
};
WARPMIND_ENUM_NAMES(Stage, {Stage::static_checks, "static"}, {Stage::build, "build"},
                    {Stage::simulation, "simulation"}, {Stage::tiny_oracle, "tiny_oracle"},
                    {Stage::full_oracle, "full_oracle"}, {Stage::hidden_oracle, "hidden_oracle"},
                    {Stage::sanitizer, "sanitizer"}, {Stage::timing, "timing"},
                    {Stage::profile, "profile"}, {Stage::promotion, "promotion"},
                    {Stage::library, "library"});

struct StageReport {
  Stage stage = Stage::build;
  double seconds = 0;
  bool passed = false;
  std::string detail;  ///< one line; for a failed stage, the reason
  bool operator==(const StageReport&) const = default;
};

/// ptxas' report for one `__global__` function.
struct KernelResources {
  std::string kernel;
  int registers = 0;
  std::int64_t static_shared_bytes = 0;
  std::int64_t stack_bytes = 0;
  std::int64_t spill_store_bytes = 0;
  std::int64_t spill_load_bytes = 0;
  bool operator==(const KernelResources&) const = default;
};

struct BuildReport {
  bool succeeded = false;
  bool from_cache = false;
  std::string architecture;  ///< "sm_90"
  std::vector<KernelResources> kernels;
  std::string diagnostics;  ///< compiler text, verbatim, cut to 64 KiB; untrusted
  /// Digest of what the device runs (simulator/sass/cubin.h): equal for two sources that the
  /// compiler makes the same of. Empty = unknown: tier B, or a record of an older build.
  std::string machine_code = {};
  bool operator==(const BuildReport&) const = default;
};

/// Comparison of every output element with the double-precision reference.
struct Correctness {
  bool passed = false;
  std::int64_t cases = 0;  ///< workloads x seeds x distributions
  std::int64_t elements = 0;
  double worst_error_ratio = 0;  ///< largest |error| / tolerance; <= 1 passes
  double baseline_error = 0;  ///< reduction class: largest |error| / scale, reused for candidates
  std::string worst_case;     ///< "tiny/normal y[3,17]: got 1.5, want 1.25 (tolerance 2e-3)"
  double worst_relative_l2 = 0;  ///< largest |error|_2 / |reference|_2 of one output of one case
  double worst_ulp =
      0;  ///< largest distance in units of the output dtype's last place; 0 for integers
  /// What of the timed workloads was not compared, a sentence that begins "partly checked"; empty =
  /// every element was, or a failure came first.
  std::string unchecked = {};
  bool operator==(const Correctness&) const = default;
};

/// What the simulator's checks saw: a defect, or work that is wasted.
struct SimulatorFinding {
  std::string kind;    ///< "shared race", "out of bounds" … (docs/simulator.md has the list)
  bool defect = true;  ///< false = harmless, but worth an optimisation (same-value stores)
  std::string kernel;
  int line = 0;            ///< of the kernel's source; 0 = unknown
  std::string where;       ///< "block (1,0,0), thread (31,0,0), address 0x…, PTX instruction"
  std::int64_t count = 1;  ///< how often
  bool operator==(const SimulatorFinding&) const = default;
};

struct Verdict {
  Outcome outcome = Outcome::inconclusive;
  std::string reason;               ///< one sentence for a person
  std::vector<StageReport> stages;  ///< in the order run; stops at the first failure
  std::optional<BuildReport> build;
  std::optional<Correctness> correctness;
  std::optional<Measurement> measurement;  ///< confirmed time of the candidate
  std::optional<Comparison> comparison;    ///< against the incumbent; absent for a baseline
  std::optional<Profile> profile;
  std::vector<SimulatorFinding> findings = {};  ///< of the simulator; defects first
  Effort effort = Effort::normal;               ///< what the lab was asked to spend
  bool operator==(const Verdict&) const = default;
};

}  // namespace warpmind
