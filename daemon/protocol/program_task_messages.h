#pragma once
/// \file
/// Program tasks (`program_task.check`), as values. Names on the wire are the field names.

#include "base/model/program_check.h"
#include "daemon/protocol/messages.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpmind::daemon::protocol {

struct ProgramTaskCheckParams {
  std::string directory;
  std::string provider;
  std::string device;
  std::int64_t runs = 0;
  std::string folders;

  static void describe(auto& self, auto& field) {
    field.required("directory", self.directory, "absolute path of a folder with program.toml");
    field.optional("provider", self.provider, "`auto`, `gpu` or `sim`; default `lab.provider`");
    field.optional("device", self.device,
                   "key of the device table, for `sim`; default `lab.target`");
    field.optional("runs", self.runs, "2 to 20 (2): all must pass");
    field.optional(
        "folders", self.folders,
        "folders that it may read beside those of `lab.program_folders`, separated by colons");
  }
};

/// One folder of `warpmind task import`: a line of its table. Not a message of the wire.
struct ProgramImportLine {
  std::string name;
  std::string state;
  std::string refused_by;
  std::string reason;
  std::string folder;
  std::int64_t launches = 0;
  double kernels_ns = 0;
  double build_s = 0;
  double seconds = 0;
  std::string restricted;

  static void describe(auto& self, auto& field) {
    field.required("name", self.name);
    field.required("state", self.state,
                   "admitted, refused, not imported, imported (was not checked)");
    field.required("refused_by", self.refused_by, "\"import\", or a control");
    field.required("reason", self.reason);
    field.required("folder", self.folder, "of the task; empty = none was made");
    field.required("launches", self.launches);
    field.required("kernels_ns", self.kernels_ns, "all timed kernels of the first run");
    field.required("build_s", self.build_s, "that its build took, s");
    field.required("seconds", self.seconds, "that the check took, s");
    field.required("restricted", self.restricted);
  }
};

/// The document of `warpmind task import --json`.
struct ProgramImportReport {
  std::string suite;
  std::string provider;
  std::string device;
  std::vector<ProgramImportLine> programs;
  std::int64_t admitted = 0;

  static void describe(auto& self, auto& field) {
    field.required("suite", self.suite);
    field.required("provider", self.provider);
    field.required("device", self.device);
    field.required("programs", self.programs);
    field.required("admitted", self.admitted);
  }
};

/// The document of `warpmind task new --json`.
struct ProgramTaskNewReport {
  std::string file;
  std::vector<std::string> notes;
  std::optional<ProgramCheck> check;

  static void describe(auto& self, auto& field) {
    field.required("file", self.file, "program.toml");
    field.required("notes", self.notes);
    field.required("check", self.check);
  }
};

// --- Methods

inline constexpr Method<ProgramTaskCheckParams, ProgramCheck> kProgramTaskCheck{
    "program_task.check",
    "Builds and runs a copy of a program task in the sandbox, and says whether it can be a "
    "task: whether it builds, passes, launches the kernels it names, passes again, and fails "
    "when its kernels do nothing. May take minutes."};

[[nodiscard]] std::vector<MethodSpec> program_task_methods();

}  // namespace warpmind::daemon::protocol
