#pragma once
/// \file
/// Which kernels a program ran and when, as JSON lines: written from inside of the program, by
/// libwarpmind_inject.so on a GPU and by the simulator's runtime elsewhere; read by the lab.

#include "base/file.h"
#include "base/model/launch_shape.h"
#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::profilers {

/// One run of a kernel; its shared memory is static and dynamic together.
struct KernelRun : LaunchShape {
  std::string kernel;  ///< as the linker knows it: "_Z3addPKfPfi"
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
  std::uint32_t registers = 0;  ///< a thread; 0 = not known (the simulator runs PTX)
  std::uint64_t stream = 0;
  bool skipped = false;  ///< the launch did nothing, as was asked for
  bool operator==(const KernelRun&) const = default;
};

struct KernelRecord {
  std::string recorder;         ///< "simulator": times are predicted; "cupti": they are measured
  std::vector<KernelRun> runs;  ///< in the order in which they were written
  std::uint64_t dropped = 0;    ///< runs that are not in the record
  bool complete = false;        ///< the recorder came to its end
  bool operator==(const KernelRecord&) const = default;
};

/// More runs are counted, not written.
inline constexpr std::size_t kMostKernelRuns = 200'000;

/// Threads: any.
class KernelTrace {
 public:
  /// `target`: a file, which is begun anew by the first write; empty = nothing is written.
  KernelTrace(std::string target, std::string recorder);

  [[nodiscard]] bool is_on() const { return !target_.empty(); }
  /// Each call in one write, so that a program that dies later has said it. Errors: unavailable,
  /// the first time that the file cannot be written; nothing is written then.
  [[nodiscard]] Result<void> write(const std::vector<KernelRun>& runs);
  /// Runs that a recorder lost.
  void add_dropped(std::uint64_t count);
  /// Writes the last line. The next write() goes on behind it.
  [[nodiscard]] Result<void> finish();

 private:
  [[nodiscard]] Result<void> write_text(std::string_view text);

  std::mutex mutex_;
  std::string target_;
  std::string recorder_;
  UniqueFd file_;
  std::size_t written_ = 0;
  std::uint64_t dropped_ = 0;
  bool failed_ = false;
};

/// Errors: corrupt_data as "line 3: …".
[[nodiscard]] Result<KernelRecord> parse_kernel_record(std::string_view lines);
/// Errors: also those of read_file.
[[nodiscard]] Result<KernelRecord> read_kernel_record(const std::filesystem::path& file);

}  // namespace warpmind::profilers
