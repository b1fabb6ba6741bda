#pragma once
/// \file
/// Program tasks (`program_task.check`), as values. Names on the wire are the field names.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpmind::daemon::protocol {

struct ProgramTaskCheckParams {
  std::string directory;  ///< absolute path of a folder with program.toml
  std::string provider;   ///< auto, gpu, sim; "" = lab.provider
  std::string device;     ///< key of the device table, for sim; "" = lab.target
  std::int64_t runs = 0;  ///< 0 = 2
  std::string folders;    ///< that it may read, beside lab.program_folders; separated by colons
};

struct ProgramKernelMessage {
  std::string kernel;
  bool timed = false;  ///< the task names it
  std::int64_t launches = 0;
  double total_ns = 0;
  double median_ns = 0;
  double least_ns = 0;
  std::int64_t registers = 0;  ///< 0 = not known
  bool operator==(const ProgramKernelMessage&) const = default;
};

struct ProgramRunMessage {
  bool passed = false;
  std::string reason;
  double wall_s = 0;
  std::int64_t launches = 0;
  std::vector<ProgramKernelMessage> kernels;
  std::string note;
  bool operator==(const ProgramRunMessage&) const = default;
};

struct ProgramTaskCheckResult {
  std::string name;
  bool admitted = false;
  std::string refused_by;  ///< build, linkage, pass, kernels, agreement, null_kernels; or empty
  std::string reason;
  std::string provider;
  std::string device;
  double build_s = 0;
  std::vector<ProgramRunMessage> runs;
  std::optional<ProgramRunMessage> null_run;  ///< with kernels that do nothing
  std::string diagnostics;                    ///< end of what a compiler or a failing run wrote
  std::string restricted;                     ///< why its text must not be passed on
};

/// One folder of `warpmind task import`: a line of its table. Not a message of the wire.
struct ProgramImportLine {
  std::string name;
  std::string state;       ///< admitted, refused, not imported, imported (was not checked)
  std::string refused_by;  ///< "import", or a control
  std::string reason;
  std::string folder;  ///< of the task; empty = none was made
  std::int64_t launches = 0;
  double kernels_ns = 0;  ///< all timed kernels of the first run
  double build_s = 0;     ///< that its build took, s
  double seconds = 0;     ///< that the check took, s
  std::string restricted;
};

/// The document of `warpmind task import --json`.
struct ProgramImportReport {
  std::string suite;
  std::string provider;
  std::string device;
  std::vector<ProgramImportLine> programs;
  std::int64_t admitted = 0;
};

/// The document of `warpmind task new --json`.
struct ProgramTaskNewReport {
  std::string file;  ///< program.toml
  std::vector<std::string> notes;
  std::optional<ProgramTaskCheckResult> check;
};

}  // namespace warpmind::daemon::protocol
