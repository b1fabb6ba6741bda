#pragma once
/// \file
/// The kernels of limit_bench: what each does, and what it is known to reach.

#include "base/limit.h"
#include "profilers/job/runner_job.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpmind::bench {

/// By what it is known how near to its limit a kernel comes. Never a guess.
enum class KnownBy {
  floor,     ///< it is what the limit is made of: nothing faster reads so many bytes, or launches
  library,   ///< NVIDIA's own copy, fill or cuBLAS, timed by plain events in a process of its own
  clock,     ///< instructions a clock (CUDA programming guide), at the clock of the session
  recorded,  ///< a time of an earlier session on that model, which the case names
  device     ///< a rate in the device table that was measured there
};

/// Data of the cases is poison: what they compute is not looked at.
struct LimitCase {
  std::string name;
  Task task;  ///< types, contract and cost model; one workload
  profilers::RunCase run_case;
  double hot_bytes = 0;  ///< as LimitInput::hot_bytes; more than 0 = timed hot
  KnownBy known = KnownBy::floor;
  std::string library = {};  ///< name of its time among the library's; empty = none
  double library_share = 1;  ///< of the library's bytes that the case moves
  double lanes = 0;          ///< multiply-adds an SM and clock, for KnownBy::clock
  std::string device = {};   ///< key of the row that `recorded_ns` or the rate is of
  double recorded_ns = 0;
  std::string source;  ///< where the figure stands
};

inline constexpr std::int64_t kCopyBytes = std::int64_t{256} << 20U;
inline constexpr std::int64_t kGemmF16 = 8192;
inline constexpr std::int64_t kGemmF32 = 4096;

/// `kernels` and `library` are binaries as the runner knows them; without a library (empty) the
/// cases that run one are left out.
[[nodiscard]] std::vector<LimitCase> limit_cases(const std::string& kernels,
                                                 const std::string& library,
                                                 const DeviceSpec& device);

/// "copy 123.4" a line; a line that is none, or a time of 0, is left out.
[[nodiscard]] std::map<std::string, double> library_times(const std::string& output);

/// What was found out around the case's own time.
struct SessionFacts {
  std::map<std::string, double> library_ns;
  double sm_clock_mhz = 0;  ///< 0 = unknown
};

/// The share of `limit` that the case is known to reach. nullopt where that is not known of this
/// device, and the case is shown without being judged.
[[nodiscard]] std::optional<double> known_share(const LimitCase& one, const Limit& limit,
                                                const DeviceSpec& device,
                                                const SessionFacts& facts);

/// At most five points apart.
[[nodiscard]] bool agrees(double share, double known);

}  // namespace warpmind::bench
